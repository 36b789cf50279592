"""The functions that the laws of `quirks` are about."""

from __future__ import annotations

from typing import Protocol

from eukhe_bridge import quirks as bridge
from eukhe_spec import quirks as spec
from eukhe_spec import quirks_types as s

__all__ = ["CORE", "SPEC", "Quirks"]


class Quirks(Protocol):
    """The functions under law."""

    def refusals(self, book: s.Book) -> tuple[s.Refusal, ...]: ...
    def targets(self, book: s.Book, model: s.Model) -> s.Targets: ...
    def lookup(self, book: s.Book, at: s.Targets, directive: int) -> s.Answer: ...
    def setting(self, explicit: s.Value | None, answer: s.Answer, default: s.Value) -> s.Value: ...
    def capability(
        self, book: s.Book, model: s.Model, directive: int
    ) -> s.Supported | s.Unsupported: ...
    def revision(self, prefix: s.Text, name: s.Text) -> s.Revision: ...
    def in_range(self, bounds: tuple[s.Bound, ...], given: s.Revision) -> bool: ...
    def service_tiers(self, book: s.Book, model: s.Model) -> s.Tiers: ...
    def tier_multiplier(self, book: s.Book, model: s.Model, tier: int) -> int: ...
    def cache_write_1h(self, book: s.Book, model: s.Text) -> int | None: ...
    def provider_default(self, book: s.Book, provider: int) -> s.Text | None: ...
    def thinking_budget(
        self,
        level: int,
        user: s.UserBudgets,
        rule: s.Budgets | None,
        otherwise: s.Budgets | None,
    ) -> int | None: ...


SPEC: Quirks = spec
CORE: Quirks = bridge.CORE

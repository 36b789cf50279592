"""The laws of the quirks rulebook (S6), in four files, and where spec and core are compared."""

from __future__ import annotations

from eukhe_laws import (
    _quirks_answers,
    _quirks_compile,
    _quirks_subject,
    _quirks_tables,
    _quirks_targets,
)
from eukhe_laws._quirks_subject import Quirks
from eukhe_laws.engine.agree import Agree

__all__ = ["AGREEMENT", "CORE", "PARTS", "SPEC"]

SPEC: Quirks = _quirks_subject.SPEC
CORE: Quirks = _quirks_subject.CORE

#: The files of the laws, in the order of the report.
PARTS = (_quirks_compile, _quirks_answers, _quirks_targets, _quirks_tables)

_BOOKS = "a rulebook has more tables than a scope can hold: the bridge compares whole ones"
AGREEMENT = {
    name: Agree(skip=_BOOKS)
    for name in (
        "refusals",
        "targets",
        "lookup",
        "capability",
        "service_tiers",
        "tier_multiplier",
        "cache_write_1h",
        "provider_default",
    )
}

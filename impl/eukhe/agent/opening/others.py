"""Other providers of a session's model, which take over when its own fails, and what a model needs to be asked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from eukhe.agent.retry.failover import Candidate, Route, Unusable
from eukhe.core.default_model import Ref
from eukhe.core.effort import Level, fit, sent
from eukhe.models.addresses import missing_address
from eukhe.models.credentials import NoKey
from eukhe.models.headers import NoHeader, headers_of
from eukhe.models.patterns import matching
from eukhe.models.speak import SPOKEN, Ask, speaker, stream_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from eukhe.agent.retry.failover import Others
    from eukhe.models.credentials import Credentials
    from eukhe.models.registry import Model, Registry
    from eukhe.wire.messages import Usage

__all__ = ["Peers", "cost_of"]


@dataclass(frozen=True)
class Peers:
    """What other providers are looked for in.

    Attributes:
        registry: The models.
        credentials: The keys.
        enabled: The setting `enabledModels`, which other providers of the model must be in; empty for all.
        budgets: The setting `thinkingBudgets`: tokens by level.
        cache: The setting `promptCache`.
    """

    registry: Registry
    credentials: Credentials = field(repr=False)
    enabled: Sequence[str] = ()
    budgets: Mapping[str, int] = field(default_factory=dict)
    cache: Literal["none", "short", "long"] = "short"

    def others(
        self, model: Model, level: Level | None, tier: str | None, session: str = ""
    ) -> Others:
        """Return what finds the other providers of a model, in the order of the registry.

        One counts when it has credentials, serves the same model id over a wire API that eukhe speaks, takes all
        that the session's own takes, and is not left out by `enabledModels`.

        Args:
            model: The session's model.
            level: The thinking level of the session; None for an unset one.
            tier: The service tier of the session.
            session: The name of the session, by which a provider finds its prompt cache; empty for none.
        """

        def find() -> Iterator[Candidate]:
            scope = matching(self.registry, self.enabled) if self.enabled else None
            own = model.entry
            for provider, ids in self.registry.ids.items():
                ref = Ref(provider, own.id)
                if (
                    provider == own.provider
                    or own.id not in ids
                    or provider not in self.credentials
                ):
                    continue
                other = self.registry.find(ref)
                if other is None or other.entry.api not in SPOKEN or (scope and ref not in scope):
                    continue
                if set(own.input) <= set(other.entry.input):
                    yield Candidate(provider, partial(self._route, other, level, tier, session))

        return find

    def _route(
        self, model: Model, level: Level | None, tier: str | None, session: str
    ) -> Route | Unusable:
        entry = model.entry
        if missing := missing_address(entry):
            return Unusable(missing)
        key = self.credentials.key(entry.provider)
        if isinstance(key, NoKey):
            return Unusable(key.message)
        headers = headers_of(model, self.credentials, key.text)
        if isinstance(headers, NoHeader):
            return Unusable(headers.message)
        tier = tier if tier in model.tiers else None
        api = speaker(entry.api)
        fits = None if level is None else fit(model.levels, level)
        ask = Ask(sent(model.levels, fits), tier, self.budgets, session)
        return Route(
            stream_for(model),
            entry.base_url,
            entry.provider,
            entry.id,
            key.text,
            headers,
            replace(api.options_of(model, ask), cache=self.cache),
            partial(cost_of, model, tier),
            entry.context_window or None,
        )


def cost_of(model: Model, tier: str | None, usage: Usage, answered: str = "") -> float:
    """Return what the tokens of a reply cost, in US dollars (`agent.cost.Cost`)."""
    from eukhe.models.prices import Tokens, price  # only a reply that has a price pays for it

    tokens = Tokens(
        usage.input,
        usage.output,
        usage.cache_read,
        usage.cache_write,
        usage.cache_write_1h,
    )
    return price(model, tokens, answered or None, tier).total

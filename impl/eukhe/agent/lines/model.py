"""The session commands on the model: `/model`, `/effort`, `/tier`, `/fast`, `/usage` (S10, S6.8, S6.12)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from eukhe.agent.rows.record import AGENT, AgentDocument, agent_document, main_conversation
from eukhe.core.effort import LADDER, Direction, Level, fit, shown, step, switch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.agent.settings import SessionSettings
    from eukhe.models.registry import Model, Registry

__all__ = ["MODEL_LINES", "RefusedLineError", "run_model_line"]

#: The commands, by name.
MODEL_LINES: Final = ("model", "effort", "tier", "fast", "usage")

_STEPS: Final = {"next": Direction.FORWARD, "previous": Direction.BACKWARD}
_FAST: Final = "priority"


class RefusedLineError(Exception):
    """A command did nothing; the text says why and what to do."""


def run_model_line(
    settings: SessionSettings, environ: Mapping[str, str], name: str, args: str
) -> str:
    """Run a command and return what now holds.

    Args:
        settings: The session's settings; its main conversation is there.
        environ: The environment, for the keys of providers.
        name: One of `MODEL_LINES`.
        args: What stands behind it.

    Raises:
        RefusedLineError: It did nothing.
        CommitFailedError: The journal could not be written; nothing changed.
    """
    if name == "usage":
        if args:
            raise RefusedLineError("/usage takes no arguments")
        return _usage(settings)
    line = _Line(settings, environ)
    match name, args:
        case "model", "":
            return line.name or "the session has no model; /model ID chooses one"
        case "model", _:
            return line.model_to(args)
        case "effort", "":
            return line.effort
        case "effort", _:
            return line.effort_to(args)
        case "tier", "":
            return f"{line.document.tier or 'default'}; there are: {', '.join(line.tiers)}"
        case "tier", _:
            return line.tier_to(args)
        case "fast", "":
            return line.tier_to("default" if line.document.tier == _FAST else _FAST)
    raise RefusedLineError(f"/{name} takes no arguments")


class _Line:
    """One command in one session."""

    def __init__(self, settings: SessionSettings, environ: Mapping[str, str]) -> None:
        from eukhe.models.registry import Registry  # only who runs one of these pays for it

        self._settings = settings
        self._environ = environ
        self.document = agent_document(settings.session) or AgentDocument("", "", "", ())
        self.registry: Registry = Registry.of(settings.config.files.agent_dir, environ)
        self.model: Model | None = self._found(self.document)

    def _found(self, document: AgentDocument) -> Model | None:
        from eukhe.core.default_model import Ref

        return self.registry.find(Ref(document.provider, document.model))

    @property
    def name(self) -> str:
        """The session's model as it is named."""
        document = self.document
        return f"{document.provider}/{document.model}" if document.provider else document.model

    @property
    def levels(self) -> tuple[Level, ...] | None:
        """The offered levels; None without a catalog model."""
        return None if self.model is None else self.model.levels

    @property
    def tiers(self) -> tuple[str, ...]:
        """The tiers that the model honours."""
        return ("default",) if self.model is None else self.model.tiers

    @property
    def level(self) -> Level | None:
        """The stored level."""
        stored = self.document.level
        return Level(stored) if stored in LADDER else None

    @property
    def effort(self) -> str:
        """The level, and those on offer."""
        offered = LADDER if self.levels is None else self.levels
        return f"{shown(self.levels, self.level)}; there are: {', '.join(offered) or 'none'}"

    def effort_to(self, word: str) -> str:
        """Set the level, or move it one step."""
        if word in _STEPS:
            level = step(self.levels, self.level, _STEPS[word])
            if level is None:
                raise RefusedLineError(
                    f"{self.name} offers fewer than two levels, so there is no step"
                )
        elif word in LADDER:
            level = fit(self.levels, Level(word))
        else:
            words = ", ".join((*LADDER, *_STEPS))
            raise RefusedLineError(f"/effort: there is no level {word}; there are: {words}")
        self._store(replace(self.document, level=level.value))
        moved = f"; {self.name} does not offer {word}" if word in LADDER and level != word else ""
        return f"the thinking level is {level}{moved}"

    def tier_to(self, tier: str) -> str:
        """Set the service tier."""
        if tier not in self.tiers:
            raise RefusedLineError(f"{self.name} honours {', '.join(self.tiers)}, not {tier}")
        self._store(replace(self.document, tier=None if tier == "default" else tier))
        return f"the service tier is {tier}"

    def model_to(self, text: str) -> str:
        """Switch the model; the level stays where the new one offers it (S10 session 2)."""
        from eukhe.models.credentials import Credentials
        from eukhe.models.patterns import Chosen, choose

        home = self._settings.config.files.agent_dir
        credentials = Credentials.of(home, self._environ, self.registry.custom)
        chosen = choose(self.registry, text, credentials)
        if not isinstance(chosen, Chosen):
            raise RefusedLineError(f"/model: {chosen.message}")
        model = self.registry.find(chosen.ref)
        if model is None:
            raise RefusedLineError(f"/model: there is no model {chosen.ref}")
        level = chosen.level and fit(model.levels, chosen.level)
        level = level or switch(model.levels, self.level)
        changed = replace(
            self.document,
            provider=model.entry.provider,
            model=model.entry.id,
            base_url=model.entry.base_url,
            api_key_env=None,
            level=level,
            tier=self.document.tier if self.document.tier in model.tiers else None,
        )
        self._store(changed)
        hint = ""
        if model.entry.provider not in credentials:
            hint = f"; it has no key yet: eukhe auth set {model.entry.provider}"
        return f"the model is {model.ref}, its thinking level {shown(model.levels, level)}{hint}"

    def _store(self, document: AgentDocument) -> None:
        session = self._settings.session
        draft = session.draft()
        main = main_conversation(session)
        if main is None:
            raise RuntimeError("a command's echo makes the conversation before it runs")
        draft.document(AGENT, document.to_json(), main)
        session.commit(*draft.records)
        self._settings.moved()


def _usage(settings: SessionSettings) -> str:
    """What the requests of the conversation used and cost, and those of the session where that is more."""
    from eukhe.agent.rows.spent import PAID, Spent
    from eukhe.agent.rows.usage import session_spent

    spent = Spent()
    main = main_conversation(settings.session)
    for _, entry in () if main is None else settings.session.entries(main):
        if entry.kind in PAID:
            spent.add(entry.body.get("usage"))
    whole = session_spent(settings.session)
    more = "" if whole.replies <= spent.replies else f"\nthe whole session: {whole.in_words}"
    return spent.in_words + more

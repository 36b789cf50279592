"""The model of a session: chosen before it is opened, told, and what it brings to requests (S6, S10).

A server that is named by `--base-url` needs nothing of the catalog, and nothing of it is imported for one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from eukhe.agent.events import DefaultModelRow, ModelState, SettingsErrorFound, StorageFailed
from eukhe.agent.opening.errors import OptionError
from eukhe.agent.retry.failover import NO_OTHERS
from eukhe.agent.settings import SETTINGS_ERROR
from eukhe.core.effort import LADDER, Level, fit, sent, settle, shown, switch
from eukhe.session.errors import CommitFailedError
from eukhe.settings.family import root
from eukhe.settings.issues import Issue
from eukhe.settings.table import (
    DEFAULT_THINKING_LEVEL,
    ENABLED_MODELS,
    PROMPT_CACHE,
    THINKING_BUDGETS,
)
from eukhe.wire.request import Options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.agent.events import Listener
    from eukhe.agent.opening.options import RunOptions
    from eukhe.agent.opening.others import Peers
    from eukhe.agent.rows.record import AgentDocument
    from eukhe.agent.settings import SessionSettings
    from eukhe.agent.who import Agent, Stream
    from eukhe.core.default_model import Row
    from eukhe.models.credentials import Credentials
    from eukhe.models.registry import Model, Registry
    from eukhe.session.tree import Json
    from eukhe.settings.load import Config

__all__ = ["DEFAULT_MODEL_ROW", "Choice", "after_lines", "choose_model"]

#: The kind of the row that says why the saved default model is not used; no model sees it.
DEFAULT_MODEL_ROW = "eukhe.default_model"


_TITLE = 64
"""Tokens of the reply that holds a title."""

_THINKING_TITLE = 1024
"""The same where the model may think first: what it thinks counts as well."""


@dataclass(frozen=True)
class Choice:
    """The model that a run uses.

    Attributes:
        model: The catalog's model; None for a server that was named by its address, and for no model.
        asked: The level that was asked for; None for none.
        tier: The tier that was asked for; None for none.
        default: The setting `defaultThinkingLevel`.
        key: The key of the model's provider.
        headers: The headers of the model, their values resolved.
        variables: The variables that the key can come from; the tools do not get them.
        row: Why the saved default is not used.
        missing: Why there is no model, and what to do; empty where there is one.
        issues: What is wrong with the catalogs, `models.json` and `auth.json`.
        peers: What other providers of the model are looked for in; None where there are none.
    """

    model: Model | None = None
    asked: Level | None = None
    tier: str | None = None
    default: Level | None = None
    key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    variables: tuple[str, ...] = ()
    row: Row | None = None
    missing: str = ""
    issues: tuple[Issue, ...] = ()
    peers: Peers | None = None

    def options(self, given: RunOptions) -> RunOptions:
        """The options of the run, with the model's id and address in them."""
        if self.model is None:
            return given
        entry = self.model.entry
        return replace(given, model=entry.id, base_url=entry.base_url)

    def settled(self, document: AgentDocument, before: AgentDocument | None) -> AgentDocument:
        """The agent's settings with the model, its level as S10 settles it, and the tier.

        Args:
            document: The settings.
            before: Those that the session had stored; None for a new one.
        """
        level = None if before is None or before.level not in LADDER else Level(before.level)
        if self.model is None:
            provider, levels = "", None
        else:
            provider, levels = self.model.entry.provider, self.model.levels
        if self.asked is not None:
            level = fit(levels, self.asked)
        elif self.model is not None:
            same = before is not None and (before.provider, before.model) == (
                provider,
                document.model,
            )
            level = settle(levels, level if same else switch(levels, level), self.default)
        tier = self.tier or (document.tier if self.model is not None else None)
        if self.model is not None and tier not in self.model.tiers:
            tier = None
        return replace(
            document,
            provider=provider,
            level=level,
            tier=tier,
            api_key_env=document.api_key_env if self.model is None else None,
        )

    def agent(self, agent: Agent, session: str = "") -> Agent:
        """Who runs, with what the model brings.

        Args:
            agent: Who runs.
            session: The name of the session, by which a provider finds its prompt cache; empty for none.
        """
        document = agent.document
        level = Level(document.level) if document.level in LADDER else None
        if self.model is None:
            if level is None or level is Level.OFF:
                return agent
            return replace(agent, options=Options(reasoning_effort=level.value))
        from eukhe.agent.opening.counting import counter_of
        from eukhe.agent.opening.others import cost_of
        from eukhe.models.speak import Ask, speaker

        budgets = {} if self.peers is None else self.peers.budgets
        ask = Ask(sent(self.model.levels, level), document.tier, budgets, session)
        options = speaker(self.model.entry.api).options_of(self.model, ask)
        if self.peers is not None:
            options = replace(options, cache=self.peers.cache)
        sees = "image" in self.model.entry.input
        return replace(
            agent,
            context=replace(agent.context, takes_images=lambda: sees),
            api_key=self.key,
            headers=self.headers,
            options=options,
            cost=partial(cost_of, self.model, document.tier),
            others=NO_OTHERS
            if self.peers is None
            else self.peers.others(self.model, level, document.tier, session),
            compaction=replace(agent.compaction, window=self.model.entry.context_window or None),
            count=None if self.peers is None else counter_of(self.model, self.peers.credentials),
        )

    def title_options(self) -> Options:
        """What the request for a title asks for: a short reply, with as little thinking as can be told."""
        if self.model is None:
            return Options(max_tokens=_THINKING_TITLE)
        from eukhe.models.speak import Ask, speaker

        level = sent(self.model.levels, Level.OFF)
        options = speaker(self.model.entry.api).options_of(self.model, Ask(level))
        thinks = self.model.entry.reasoning and level is not Level.OFF
        most = _THINKING_TITLE if thinks else _TITLE
        if options.max_tokens is not None:
            most = min(most, options.max_tokens)
        return replace(options, max_tokens=most)

    def stream(self) -> Stream:
        """The wire API, set up for the model's server."""
        if self.model is None:
            from eukhe.wire.openai_completions import stream

            return stream
        from eukhe.models.speak import stream_for

        return stream_for(self.model)

    def tell(self, settings: SessionSettings, document: AgentDocument, emit: Listener) -> None:
        """Tell the model and what it offers; store and tell what is wrong, and why a default is not used."""
        rows: list[tuple[str, dict[str, Json]]] = []
        for issue in self.issues:
            emit(SettingsErrorFound(issue.kind, issue.id, issue.file, issue.line, issue.text))
            rows.append((SETTINGS_ERROR, dict(issue.to_json())))
        if self.row is not None:
            saved, reason = str(self.row.saved), self.row.reason.value
            instead = None if self.row.instead is None else str(self.row.instead)
            text = self.row.message
            emit(DefaultModelRow(saved, reason, instead, text))
            body: dict[str, Json] = {"saved": saved, "reason": reason, "instead": instead}
            rows.append((DEFAULT_MODEL_ROW, {**body, "text": text}))
        if rows:
            draft, main = settings.draft()
            for kind, shown_row in rows:
                draft.entry(main, kind, shown_row)
            try:
                settings.commit(draft)
            except CommitFailedError as error:
                emit(StorageFailed(str(error)))
        self.state(document, emit)

    def state(self, document: AgentDocument, emit: Listener) -> None:
        """Tell the model and what it offers."""
        if self.model is not None:
            level = Level(document.level) if document.level in LADDER else None
            emit(
                ModelState(
                    self.model.entry.provider,
                    self.model.entry.id,
                    shown(self.model.levels, level),
                    tuple(self.model.levels),
                    document.tier,
                    self.model.tiers,
                )
            )


def after_lines(options: RunOptions, now: AgentDocument | None) -> RunOptions:
    """The options after commands of the prompt: what they chose counts, not the command line."""
    changed = replace(options, thinking=None, tier=None)
    if now is None or not now.provider:
        return changed
    return replace(changed, model=None, base_url=None, api_key_env=None)


def choose_model(
    options: RunOptions,
    stored: AgentDocument | None,
    config: Config,
    environ: Mapping[str, str],
    *,
    sends: bool,
) -> Choice:
    """Choose the model of a run.

    Args:
        options: The options.
        stored: What the session has stored; None for a new one.
        config: The settings.
        environ: The environment.
        sends: Whether there is a prompt to send, so that a model is needed.

    Raises:
        OptionError: `--model`, `--thinking` or `--tier` names what is not there, or there is no key.
    """
    asked = _level(options.thinking)
    own_server = options.base_url is not None or options.api_key_env is not None
    own_server = own_server or (
        stored is not None and bool(stored.base_url) and not stored.provider
    )
    if own_server and (options.base_url is not None or not _names_provider(options.model)):
        if options.tier is not None:
            raise OptionError("tier", "--tier: only a model of the catalog has service tiers")
        return Choice(asked=asked)
    from eukhe.agent.opening.others import Peers
    from eukhe.models.credentials import Credentials
    from eukhe.models.registry import Registry

    home = config.files.agent_dir
    registry = Registry.of(home, environ)
    credentials = Credentials.of(home, environ, registry.custom)
    values = root(config).cvars.values
    found = _found(options, stored, registry, credentials, values)
    issues = _issues(registry, credentials)
    default = _level(str(values[DEFAULT_THINKING_LEVEL] or "") or None)
    if isinstance(found, _Named):
        asked = asked or found.level
        enabled = values[ENABLED_MODELS]
        scope = tuple(map(str, enabled)) if isinstance(enabled, (list, tuple)) else ()
        choice = Choice(
            found.model,
            asked,
            options.tier,
            default,
            row=found.row,
            issues=issues,
            peers=Peers(registry, credentials, scope, _budgets(values), _cache(values)),
        )
        return _with_key(choice, found.model, credentials, sends=sends)
    if sends and found.row is None:
        raise OptionError("model", f"--model is missing: {found.text}")
    return Choice(asked=asked, row=found.row, missing=found.text, issues=issues)


@dataclass(frozen=True, slots=True)
class _Named:
    """A model, by name or by default."""

    model: Model
    level: Level | None = None
    row: Row | None = None


@dataclass(frozen=True, slots=True)
class _Nothing:
    """No model: what to do, and why the saved default is not used."""

    text: str
    row: Row | None


def _found(
    options: RunOptions,
    stored: AgentDocument | None,
    registry: Registry,
    credentials: Credentials,
    values: Mapping[str, object],
) -> _Named | _Nothing:
    from eukhe.core.default_model import Ref
    from eukhe.models.default import NoModel, start
    from eukhe.models.patterns import Chosen, choose

    if options.model is not None:
        chosen = choose(registry, options.model, credentials)
        if not isinstance(chosen, Chosen):
            server = "; a model of a server of your own needs --base-url as well"
            raise OptionError("model", f"--model: {chosen.message}{server}")
        model = registry.find(chosen.ref)
        if model is not None:
            return _Named(model, chosen.level)
    if stored is not None and stored.provider:
        ref = Ref(stored.provider, stored.model)
        model = registry.find(ref)
        if model is None:
            raise OptionError(
                "model",
                f"the session's model {ref} is not in the catalog any more; choose another with --model",
            )
        return _Named(model)
    resolution = start(registry, credentials, values)
    model = None if resolution.model is None else registry.find(resolution.model)
    if model is None:
        text = NoModel.of(resolution, registry, credentials).message
        return _Nothing(text, resolution.row)
    return _Named(model, None, resolution.row)


def _issues(registry: Registry, credentials: Credentials) -> tuple[Issue, ...]:
    """What is wrong with the files that models and keys come from."""
    bundle = registry.built_in.bundle
    found = [Issue("Bundle", "", bundle.message)] if bundle.message else []
    found += [
        Issue("ModelsJson", str(one.file), one.said, one.id) for one in registry.custom.diagnostics
    ]
    if credentials.message:
        found.append(Issue("Auth", "", credentials.message))
    return tuple(found)


def _with_key(choice: Choice, model: Model, credentials: Credentials, *, sends: bool) -> Choice:
    """The choice with its key and headers; they are resolved only when something is sent."""
    from eukhe.models.addresses import missing_address
    from eukhe.models.credentials import NoKey
    from eukhe.models.headers import NoHeader, headers_of
    from eukhe.models.speak import SPOKEN

    provider = model.entry.provider
    if model.overlap is not None:
        overlap = Issue("FamilyOverlap", "", model.overlap.message, model.entry.id)
        choice = replace(choice, issues=(*choice.issues, overlap))
    if choice.tier is not None and choice.tier not in model.tiers:
        tiers = ", ".join(model.tiers)
        raise OptionError("tier", f"--tier: {model.ref} honours {tiers}, not {choice.tier}")
    choice = replace(choice, variables=credentials.variables(provider))
    if not sends:
        return choice
    if model.entry.api not in SPOKEN:
        raise OptionError(
            "model",
            f"--model: {model.ref} is reached over {model.entry.api}, which this eukhe does not speak; "
            f"it speaks {', '.join(SPOKEN)}",
        )
    if missing := missing_address(model.entry):
        raise OptionError("model", f"--model: {missing}")
    key = credentials.key(provider)
    if isinstance(key, NoKey):
        raise OptionError("model", f"--model: {key.message}")
    headers = headers_of(model, credentials, key.text)
    if isinstance(headers, NoHeader):
        raise OptionError("model", headers.message)
    return replace(choice, key=key.text, headers=headers)


def _names_provider(text: str | None) -> bool:
    """Whether `--model` names a provider of the catalog, so that a session leaves its own server for it."""
    if text is None or "/" not in text:
        return False
    from eukhe.models.provider_table import PROVIDERS

    return text.partition("/")[0] in PROVIDERS


def _budgets(values: Mapping[str, object]) -> dict[str, int]:
    """The user's `thinkingBudgets`: tokens by level, those that are set."""
    found = ((level, values[name]) for level, name in THINKING_BUDGETS.items())
    return {level: tokens for level, tokens in found if isinstance(tokens, int)}


def _cache(values: Mapping[str, object]) -> Literal["none", "short", "long"]:
    match values[PROMPT_CACHE]:
        case "none" | "long" as asked:
            return asked
        case _:
            return "short"


def _level(text: str | None) -> Level | None:
    if text is None:
        return None
    if text not in LADDER:
        raise OptionError(
            "thinking", f"--thinking: there is no level {text}; there are: {', '.join(LADDER)}"
        )
    return Level(text)

"""The model of a session: told, and what it brings to requests (S6, S10). `choosing` chooses it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from eukhe.agent.events import DefaultModelRow, ModelState, SettingsErrorFound, StorageFailed
from eukhe.agent.retry.failover import NO_OTHERS
from eukhe.agent.settings import SETTINGS_ERROR
from eukhe.core.effort import LADDER, Level, fit, sent, settle, shown, switch
from eukhe.session.errors import CommitFailedError
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
    from eukhe.models.registry import Model
    from eukhe.session.tree import Json
    from eukhe.settings.issues import Issue

__all__ = ["DEFAULT_MODEL_ROW", "Choice"]

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

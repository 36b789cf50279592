"""The settings of a session: its agent's family, its own sets, and what is wrong with its files (S4).

The sets are the conversation document `eukhe.cvar.agent`, committed on each change, so that a resume, a fork and a
rewind find them. Settings errors are rows `eukhe.settings_error`, which no model sees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eukhe.agent.compact.settings import Compaction
from eukhe.agent.events import SettingsErrorFound
from eukhe.agent.inbox.entering import Delivery, Modes
from eukhe.agent.prompt.files import read_prompt_files
from eukhe.agent.retry.settings import retry_of
from eukhe.agent.rows.record import agent_document, main_conversation, open_main
from eukhe.core.cvar import (
    CvarError,
    ParseError,
    agent,
    assign,
    execute,
    parse_list,
    text_of,
    written,
)
from eukhe.settings import table
from eukhe.settings.family import Family, root
from eukhe.settings.issues import Issue
from eukhe.settings.load import Config, load_config
from eukhe.wire.request import Timeouts

if TYPE_CHECKING:
    from eukhe.agent.events import Listener
    from eukhe.agent.prompt.system import PromptFiles
    from eukhe.agent.retry.policy import RetryPolicy
    from eukhe.agent.rows.record import AgentDocument
    from eukhe.core.cvar import Aliases, Command, Executed, Registry
    from eukhe.session.store import Draft, Session
    from eukhe.session.tree import Json

__all__ = ["CVARS", "SETTINGS_ERROR", "CvarAgent", "Limits", "SessionSettings", "limits_of"]

#: The document of an agent's sets and aliases.
CVARS: Final = "eukhe.cvar.agent"

#: The kind of the row of a settings error.
SETTINGS_ERROR: Final = "eukhe.settings_error"


class CvarAgent:
    """An agent's own sets and aliases over what it inherits.

    Args:
        family: What it inherits.
        body: The document `eukhe.cvar.agent`; None for an agent that never set anything.

    Attributes:
        family: What it inherits.
        agent: Its sets over that.
        issues: What is wrong with the document: sets that do not apply and aliases that do not parse.
    """

    def __init__(self, family: Family, body: Mapping[str, Json] | None) -> None:
        self.family = family
        self._own: dict[str, tuple[Command, ...]] = {}
        self._unread: dict[str, Json] = {}
        issues: list[Issue] = []
        stored = {} if body is None else body
        for name, text in _items(stored.get("aliases")):
            commands = parse_list(text) if isinstance(text, str) else None
            if commands is None or isinstance(commands, ParseError):
                why = "it is no text" if commands is None else commands.message
                self._unread[name] = text
                issues.append(
                    Issue("Alias", "", f"the session's alias {name} is not read: {why}", name)
                )
            else:
                self._own[name] = commands
        self.agent = agent(family.cvars, _items(stored.get("sets")))
        before = len(family.cvars.refused)
        issues += [
            Issue(
                one.error.kind.value, "", f"a set of the session: {one.error.message}", one.entry.id
            )
            for one in self.agent.cvars.refused[before:]
        ]
        self.issues = tuple(issues)

    @property
    def values(self) -> Mapping[str, object]:
        """The value of each cvar; a read is one look-up."""
        return self.agent.cvars.values

    @property
    def aliases(self) -> Aliases:
        """The aliases that its lines may run."""
        return {**self.family.aliases, **self._own}

    def execute(self, commands: tuple[Command, ...]) -> Executed:
        """Run a line in the agent; what is valid of it holds."""
        done = execute(self.agent, self.aliases, commands)
        self.agent = done.agent
        inherited = self.family.aliases
        self._own = {
            name: body
            for name, body in done.aliases.items()
            if name in self._own or inherited.get(name) != body
        }
        return done

    def assign(self, id: str, given: object) -> CvarError | None:  # noqa: A002 -- the requirement's word
        """Set one cvar; the error when the set is not valid."""
        done = assign(self.agent, id, given)
        if isinstance(done, CvarError):
            return done
        self.agent = done
        return None

    def to_json(self) -> dict[str, Json]:
        """The body of the document; sets and aliases that this eukhe cannot read stay in it."""
        sets: dict[str, Json] = dict(self.agent.stored)  # type: ignore[arg-type]  # sets are JSON values
        own: dict[str, Json] = {name: text_of(body) for name, body in self._own.items()}
        return {"sets": sets, "aliases": {**self._unread, **own}}


def _items(value: Json) -> list[tuple[str, Json]]:
    return list(value.items()) if isinstance(value, Mapping) else []


@dataclass(frozen=True, slots=True)
class Limits:
    """What the settings say about a run.

    Attributes:
        retry: When a failed request goes out again.
        timeouts: How long a server may be silent.
        repeat: The window of the repetition guard in chunks; 0 turns it off.
        tool_rounds: Tool rounds that one run may have.
        shell: The shell of commands; None for the usual one.
        prefix: What is put before each command; empty for nothing.
        titles: Whether a new session gets a title.
        modes: How many queued messages enter at once.
        compaction: How a conversation is compacted; the model's window is not in it.
    """

    retry: RetryPolicy
    timeouts: Timeouts
    repeat: int
    tool_rounds: int
    shell: str | None
    prefix: str
    titles: bool
    modes: Modes
    compaction: Compaction


def limits_of(values: Mapping[str, object]) -> Limits:
    """Read the values of an agent."""

    def number(name: str) -> int:
        value = values[name]
        return value if isinstance(value, int) else 0

    def text(name: str) -> str:
        value = values[name]
        return value if isinstance(value, str) else ""

    silent = number(table.TIMEOUT_MS) / 1000 or None
    return Limits(
        retry_of(values),
        Timeouts() if values[table.TIMEOUT_MS] is None else Timeouts(read=silent),
        number(table.STREAM_REPEAT_LIMIT),
        number(table.MAX_TOOL_ROUNDS),
        text(table.SHELL_PATH) or None,
        text(table.SHELL_COMMAND_PREFIX),
        values[table.TITLES_GENERATE] is True,
        Modes(Delivery(text(table.STEERING_MODE)), Delivery(text(table.FOLLOW_UP_MODE))),
        Compaction(
            bool(values[table.COMPACTION_ENABLED]),
            number(table.COMPACTION_RESERVE),
            number(table.COMPACTION_KEEP_RECENT),
            bool(values[table.COMPACTION_COUNTS]),
        ),
    )


class SessionSettings:
    """The settings of one open session.

    Args:
        registry: The cvars.
        config: The config of the session's directory.
        session: The session, open to write or in memory.
        document: The settings of its agent that are stored with it.
        emit: The listener.

    Attributes:
        registry: The cvars.
        config: The config as it was last read.
        own: The session's agent.
    """

    def __init__(
        self,
        registry: Registry,
        config: Config,
        session: Session,
        document: AgentDocument,
        emit: Listener,
    ) -> None:
        self.registry = registry
        self.config = config
        self._session = session
        self._document = document
        self._emit = emit
        self._shown: set[Issue] = set()
        self._prompt_files: PromptFiles | None = None
        self.own = CvarAgent(root(config), self._stored())

    def _stored(self) -> Mapping[str, Json] | None:
        main = main_conversation(self._session)
        return None if main is None else self._session.document(CVARS, main)

    @property
    def issues(self) -> tuple[Issue, ...]:
        """Everything that is wrong now."""
        found = (*self.config.issues, *self.own.family.issues, *self.own.issues)
        return (*found, *self.prompt_files.issues)

    def draft(self) -> tuple[Draft, int]:
        """Start a commit: the draft, and the main conversation in it."""
        draft = self._session.draft()
        return draft, open_main(draft, self._session, self._document)

    def commit(self, draft: Draft) -> None:
        """Commit a draft.

        Raises:
            CommitFailedError: It is not stored; nothing changed.
        """
        self._session.commit(*draft.records)

    def note_sets(self, draft: Draft, main: int) -> None:
        """Put the agent's sets and aliases into a commit, if they changed."""
        body = self.own.to_json()
        before = self._session.document(CVARS, main)
        if body != (before or {"sets": {}, "aliases": {}}):
            draft.document(CVARS, body, main)

    def show_issues(self) -> None:
        """Show each settings error that this open session has not shown: a row and an event each.

        Raises:
            CommitFailedError: The rows are not stored.
        """
        new = [one for one in dict.fromkeys(self.issues) if one not in self._shown]
        if not new:
            return
        self._shown.update(new)
        for issue in new:
            self._emit(SettingsErrorFound(issue.kind, issue.id, issue.file, issue.line, issue.text))
        draft, main = self.draft()
        for issue in new:
            draft.entry(main, SETTINGS_ERROR, issue.to_json())
        self.commit(draft)

    @property
    def session(self) -> Session:
        """The session that these are the settings of."""
        return self._session

    def moved(self) -> None:
        """Read the session's documents again: it is at another row or in another conversation now."""
        self._document = agent_document(self._session) or self._document
        self.reload(force=True)

    def reload(self, *, force: bool = False) -> bool:
        """Read the files again if one of them changed; the session's sets, as they are stored, stay on top.

        Args:
            force: Read them in any case, also a project's that were not there before.

        Returns:
            Whether they were read.
        """
        if not force and not self.config.changed():
            return False
        self.config = load_config(self.registry, self.config.files)
        self._prompt_files = None
        self.own = CvarAgent(root(self.config), self._stored())
        return True

    def saved_sets(self) -> tuple[tuple[str, object], ...]:
        """The agent's sets that `/cvar save` writes (S4.6)."""
        return written(self.own.agent)

    @property
    def prompt_files(self) -> PromptFiles:
        """What files say of the system prompt; read once, and again by `/reload`."""
        if self._prompt_files is None:
            document = self._document
            self._prompt_files = read_prompt_files(
                self.config, Path(document.cwd), context=document.context_files
            )
        return self._prompt_files

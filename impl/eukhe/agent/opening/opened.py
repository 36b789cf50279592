"""A session is opened: found or made, told, its settings loaded and its model chosen."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

from eukhe.agent.events import Notice, SessionHeader, StorageFailed
from eukhe.agent.opening.choosing import after_lines, choose_model
from eukhe.agent.opening.document import document_of, key_of, toolset_of
from eukhe.agent.opening.errors import OptionError
from eukhe.agent.opening.hidden import hidden_variables
from eukhe.agent.opening.settings import (
    apply_lines,
    apply_sets,
    check,
    config_of,
    sessions_dir,
    warn_of_binds,
)
from eukhe.agent.opening.source import (
    fork_source,
    new_session,
    project_of,
    reopen,
    stored_directory,
)
from eukhe.agent.retry.settings import in_flight_of
from eukhe.agent.rows.record import agent_document
from eukhe.agent.run import Run
from eukhe.agent.settings import SessionSettings, limits_of
from eukhe.agent.stored.summary import remember
from eukhe.agent.who import Agent
from eukhe.session.errors import CommitFailedError
from eukhe.tools import ToolContext
from eukhe.tools.environ import without_credentials

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from eukhe.agent.events import Listener
    from eukhe.agent.lines.line import SlashLine
    from eukhe.agent.opening.model import Choice
    from eukhe.agent.opening.options import RunOptions
    from eukhe.agent.rows.record import AgentDocument
    from eukhe.agent.who import Stream
    from eukhe.session.store import Session
    from eukhe.tools import Toolset

__all__ = ["Opened", "open_session"]


class Opened:
    """An open session, and who runs in it. `open_session` makes it; close it.

    Args:
        session: the session, open to write or in memory.
        settings: its settings.
        choice: its model.
        document: the settings of its agent.
        who: the tools on offer and the server's key.
        asked: the options that it was opened with.
        environ: the environment.
        emit: the listener.

    Attributes:
        session: the session.
        settings: its settings.
        choice: its model.
        document: the settings of its agent.
        stored: whether everything so far is stored.
        emit: the listener.
    """

    def __init__(
        self,
        session: Session,
        settings: SessionSettings,
        choice: Choice,
        document: AgentDocument,
        who: tuple[Toolset, str],
        asked: RunOptions,
        environ: Mapping[str, str],
        emit: Listener,
    ) -> None:
        self.session = session
        self.settings = settings
        self.choice = choice
        self.document = document
        self.stored = True
        self._tools, self._key = who
        self._asked = asked
        self._environ = environ
        self.emit = emit

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the session, and let the next writer in."""
        try:
            remember(self.session)
        finally:
            self.session.close()

    def apply(self, lines: Sequence[SlashLine], *, sends: bool) -> bool:
        """Run the session commands of a prompt, and take up what they chose; False when one is refused.

        Args:
            lines: the commands.
            sends: whether there is a prompt to send.

        Raises:
            OptionError: what they chose cannot be used.
        """
        if not lines:
            return True
        if not apply_lines(self.settings, lines, self.emit, self._environ):
            return False
        switched = any(line.name == "model" for line in lines)
        if switched or agent_document(self.session) not in (None, self.document):
            self.choose(sends=sends)  # of a fork, a rewind, or as a command changed it
        return True

    def choose(self, *, sends: bool) -> None:
        """Choose the model again, now that the session says something else.

        Args:
            sends: whether there is a prompt to send, so that a model and its key are needed.

        Raises:
            OptionError: there is no such model, or no key for it.
        """
        before = agent_document(self.session)
        self._asked = after_lines(self._asked, before)
        self._choose(before, sends=sends)
        self.choice.state(self.document, self.emit)

    def require(self) -> None:
        """See that a prompt can be sent, in a session that was opened without one.

        Raises:
            OptionError: there is no model, no server, or no key for it.
        """
        self._choose(agent_document(self.session), sends=True)
        if self.choice.missing:
            raise OptionError("model", self.choice.missing)

    def refresh(self) -> bool:
        """Read the files of settings again if one of them changed, and tell what is wrong; whether one did."""
        if not self.settings.reload():
            return False
        try:
            self.settings.show_issues()
        except CommitFailedError as error:
            self.session.detach()
            self.stored = False
            self.emit(StorageFailed(str(error)))
        return True

    def _choose(self, before: AgentDocument | None, *, sends: bool) -> None:
        config = self.settings.config
        self.choice = choose_model(self._asked, before, config, self._environ, sends=sends)
        chosen, sends = self.choice.options(self._asked), sends and not self.choice.missing
        self.document = self.choice.settled(document_of(chosen, before, sends=sends), before)
        self._tools = toolset_of(self.document)
        self._key = key_of(self.document, self._environ)

    def agent(self) -> Agent:
        """Who runs: what is stored with the session, what the settings say and what the model brings."""
        limits = limits_of(self.settings.own.values)
        agent_dir = self.settings.config.files.agent_dir
        key_env = self.document.api_key_env
        hidden = hidden_variables(self.choice, key_env, agent_dir, self._environ)
        directory = self.session.directory
        context = ToolContext(
            Path(self.document.cwd),
            without_credentials(self._environ, hidden),
            None if directory is None else directory / "outputs",
            shell=limits.shell,
            command_prefix=limits.prefix,
        )
        return self.choice.agent(
            Agent(
                self.document,
                self._tools,
                context,
                api_key=self._key,
                retry=limits.retry,
                max_tool_rounds=limits.tool_rounds,
                timeouts=limits.timeouts,
                repeat_limit=limits.repeat,
                modes=limits.modes,
                prompt_files=self.settings.prompt_files,
                title_options=self.choice.title_options() if limits.titles else None,
                compaction=limits.compaction,
                in_flight=in_flight_of(self.settings.config),
            ),
            "" if directory is None else directory.name,
        )

    def run(self, through: Callable[[Stream], Stream] | None = None) -> Run:
        """A run in the session. There must be a model: `choice.missing` says why there is none.

        Args:
            through: what the wire API goes through; None for nothing.
        """
        stream = self.choice.stream()
        if through is not None:
            stream = through(stream)
        return Run(self.session, self.agent(), stream, self.emit, stored=self.stored)


def open_session(
    options: RunOptions,
    environ: Mapping[str, str],
    emit: Listener,
    *,
    lines: Sequence[SlashLine] = (),
    sends: bool,
    pick: Callable[[Path], Path] | None = None,
) -> Opened:
    """Open a session. Nothing is stored before the options are known to be good.

    Args:
        options: the options.
        environ: the environment.
        emit: the listener.
        lines: session commands that will be run; `Opened.apply` runs them.
        sends: whether there is a prompt to send, so that a model and its key are needed.
        pick: asks the user to choose a session; None where there is nobody to ask.

    Raises:
        OptionError: the options do not fit together or name what is not there.
        SessionError: the session cannot be opened.
    """
    registry, config = config_of(environ, options.agent_dir, project_of(options.cwd))
    sessions = sessions_dir(environ, config, options.session_dir)
    directory = stored_directory(options, sessions, pick)
    source = fork_source(options.fork, options.at, sessions)
    session, lost = (None, None) if directory is None else reopen(directory)
    with ExitStack() as stack:
        if session is not None:
            stack.enter_context(session)
        stored = None if session is None else agent_document(session)
        if source is not None:
            stored = source.agent
        # What `/model` chooses is what must be there.
        sends = sends and not any(line.name == "model" for line in lines)
        choice = choose_model(options, stored, config, environ, sends=sends)
        chosen, sends = choice.options(options), sends and not choice.missing
        document = choice.settled(document_of(chosen, stored, sends=sends), stored)
        who = toolset_of(document), key_of(document, environ)
        if str(config.files.project) != document.cwd:  # a session of another directory
            registry, config = config_of(environ, options.agent_dir, Path(document.cwd))
        check(config, source.session if source else session, options.sets, lines)
        # Only now, when the options are known to be good, may a new session be made.
        if session is None:
            session, lost = (source.make(), None) if source else new_session(options, sessions)
            stack.enter_context(session)
        _introduce(session, document, lost, emit)
        warn_of_binds(config.files.agent_dir, emit)
        settings = SessionSettings(registry, config, session, document, emit)
        opened = Opened(session, settings, choice, document, who, options, environ, emit)
        opened.stored = apply_sets(settings, options.sets, session, emit) and lost is None
        choice.tell(settings, document, emit)
        stack.pop_all()  # the caller closes it
        return opened


def _introduce(
    session: Session, document: AgentDocument, lost: CommitFailedError | None, emit: Listener
) -> None:
    emit(
        SessionHeader(
            version=1,
            id=session.id,
            directory=None if session.directory is None else str(session.directory),
            cwd=document.cwd,
            model=document.model,
            base_url=document.base_url,
        )
    )
    for warning in session.warnings:
        emit(Notice(warning))
    if lost is not None:
        emit(StorageFailed(str(lost)))

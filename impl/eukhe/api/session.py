"""`Session`: one session of eukhe, for programs. Async; the same set-up as the command line."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from eukhe.agent.inbox.entering import Kind, RefusedMessageError
from eukhe.agent.opening.errors import OptionError
from eukhe.agent.opening.opened import open_session
from eukhe.agent.opening.options import RunOptions
from eukhe.agent.rows.record import agent_document, main_conversation
from eukhe.agent.who import Outcome
from eukhe.api.errors import OtherLoopError, PromptRunningError, SessionClosedError
from eukhe.api.feed import Feed
from eukhe.api.prompting import Prompting
from eukhe.wire.unicode import encodable

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping

    from eukhe.agent.events import AgentEvent
    from eukhe.agent.inbox.entering import Queued
    from eukhe.agent.opening.opened import Opened
    from eukhe.agent.run import Run
    from eukhe.agent.stored.branches import Rewound
    from eukhe.session.nodes import Entry

__all__ = ["Session", "SessionOpening"]


class Session:
    """A session: what was said in it, and prompts that go on with it. Open it with `Session.open`.

    It belongs to the event loop that it is used in, and one prompt of it runs at a time.

    Attributes:
        id: the session.
        directory: where it is stored; None for nowhere.
    """

    def __init__(self, options: RunOptions, environ: Mapping[str, str]) -> None:
        self._told: list[AgentEvent] = []
        self._feed: Feed | None = None
        self._closed = False
        self._ready = False
        self._opened: Opened = open_session(options, environ, self._hear, sends=False)
        self.id = self._opened.session.id
        self.directory = self._opened.session.directory

    @classmethod
    def open(
        cls,
        *,
        resume: str | Path | None = None,
        newest: bool = False,
        fork: str | Path | None = None,
        at: int | Literal["start"] | None = None,
        in_memory: bool = False,
        model: str | None = None,
        base_url: str | None = None,
        api_key_env: str | None = None,
        thinking: str | None = None,
        tier: str | None = None,
        tools: Iterable[str] | None = None,
        system_prompt: str | None = None,
        context_files: bool | None = None,
        cwd: str | Path | None = None,
        session_dir: str | Path | None = None,
        agent_dir: str | Path | None = None,
        settings: Mapping[str, object] | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> SessionOpening:
        """Open a session: use it with `async with`, or `await` it and `close` what it gives.

        The options are those of the command line, and a stored session keeps what is not given again.

        Args:
            resume: go on with this session: its id, the start of its id, or its path.
            newest: go on with the newest session that was started in this directory.
            fork: go on in a new session that starts as this one.
            at: the last entry that the fork shares, or `start`; None for the newest one.
            in_memory: store nothing.
            model: `PROVIDER/ID`, an id or a pattern, with `:LEVEL`; with `base_url` the id that the server knows.
            base_url: the server, such as `http://127.0.0.1:8080/v1`.
            api_key_env: the environment variable that holds the server's key.
            thinking: the thinking level.
            tier: the service tier.
            tools: names of the tools on offer; empty for none, None for the usual ones.
            system_prompt: instructions in place of the built-in ones.
            context_files: whether `AGENTS.md` files are in the system prompt.
            cwd: the working directory of the tools; None for that of the process.
            session_dir: where the sessions are.
            agent_dir: where all state is.
            settings: settings of this session by id, such as `{"maxToolRounds": 20}`.
            environ: the environment; None for that of the process.

        Raises:
            OptionError: the options do not fit together or name what is not there.
            SessionBusyError: another process writes to the session; it says which.
            SessionError: the session cannot be opened.
        """
        if isinstance(tools, str):
            raise OptionError("tools", f'tools: a list of names is expected, such as ["{tools}"]')
        chosen = None if tools is None else tuple(tools)
        return SessionOpening(
            RunOptions(
                base_url=base_url,
                model=model,
                api_key_env=api_key_env,
                thinking=thinking,
                tier=tier,
                go_on=newest,
                resume=None if resume is None else str(resume),
                fork=None if fork is None else str(fork),
                at=None if at is None else str(at),
                no_session=in_memory,
                cwd=None if cwd is None else Path(cwd),
                tools=",".join(chosen) if chosen else None,
                no_tools=chosen == (),
                system_prompt=system_prompt,
                context_files=context_files,
                session_dir=None if session_dir is None else Path(session_dir),
                agent_dir=None if agent_dir is None else Path(agent_dir),
                sets=tuple((settings or {}).items()),
            ),
            os.environ if environ is None else environ,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def model(self) -> str:
        """The id of the model."""
        return self._opened.document.model

    @property
    def cwd(self) -> Path:
        """The working directory of the tools."""
        return Path(self._opened.document.cwd)

    @property
    def entries(self) -> tuple[tuple[int, Entry], ...]:
        """The rows of the conversation with their ids, the oldest first."""
        main = main_conversation(self._opened.session)
        return () if main is None else self._opened.session.entries(main)

    def prompt(self, text: str) -> Prompting:
        """Run a prompt to its final answer: `async for event in session.prompt(...)`.

        The text is text, also where it begins with `/`. A run that fails is told as `RunFailed` and in the
        outcome; it raises nothing. The first events of a session's first prompt are those of its opening.

        Raises:
            OptionError: the text is empty; or, when it is first read, there is no model, or no key for it.
            PromptRunningError: when it is first read, and a prompt runs already.
            SessionClosedError: likewise, and the session is closed.
        """
        if not encodable(text).strip():
            raise OptionError("prompt", "the prompt is empty")
        return self._begin(lambda run: run.prompt(text))

    def resume(self) -> Prompting:
        """Go on with the open run that a killed process left.

        Raises:
            NothingOpenError: when it is first read, and no run is open.
            PromptRunningError: as `prompt`.
            SessionClosedError: as `prompt`.
            OptionError: as `prompt`.
        """
        return self._begin(lambda run: run.resume())

    def compact(self, instructions: str = "") -> Prompting:
        """Compact the conversation now, as `/compact` does. It is read like a prompt; its answer is the summary.

        Args:
            instructions: what is said to the model that writes the summary; empty for nothing.

        Raises:
            NothingToCompactError: when it is read, and there is nothing to compact.
            CompactionFailedError: when it is read, and there is no summary; the conversation is as it was.
            PromptRunningError: as `prompt`.
            SessionClosedError: as `prompt`.
            OptionError: as `prompt`.
        """

        async def work(run: Run) -> Outcome:
            return Outcome(await run.compact(instructions), None, run.stored)

        return self._begin(work)

    async def steer(self, text: str) -> Queued:
        """Send a message to the prompt that runs: it enters before the next request. It is stored on return.

        Raises:
            RefusedMessageError: no prompt runs, the text is empty or too long, or too many messages wait.
            OtherLoopError: the prompt runs in another event loop.
            SessionClosedError: the session is closed.
        """
        return self._send(Kind.STEER, text)

    async def follow_up(self, text: str) -> Queued:
        """Send a message for when the prompt that runs has its answer. It is stored on return.

        Raises:
            RefusedMessageError: as `steer`.
            OtherLoopError: as `steer`.
            SessionClosedError: as `steer`.
        """
        return self._send(Kind.FOLLOW_UP, text)

    async def abort(self) -> None:
        """Abort the prompt that runs, and wait until it has ended; without one nothing happens.

        The tools' process groups are ended, and what there is of the reply and the results is stored. The events
        that are left can still be read.

        Raises:
            OtherLoopError: the prompt runs in another event loop.
        """
        self._here()
        if self._feed is not None:
            self._feed.abort()
            await self._feed.ended()

    async def fork(self, at: int | Literal["start"] | None = None) -> int:
        """Go on in a fork of the conversation, in this session. `Session.open(fork=...)` makes a new session.

        Args:
            at: the last entry that the fork shares, or `start`; None for the newest one.

        Returns:
            The id of the new conversation.

        Raises:
            NoSuchEntryError: the session has no such entry.
            NothingToDoError: the session has nothing in it yet.
            CommitFailedError: the fork is not stored; nothing changed.
            PromptRunningError: a prompt runs.
            SessionClosedError: the session is closed.
        """
        from eukhe.agent.stored.branches import fork

        session = (await self._idle()).session
        conversation = fork(session, 0 if at == "start" else at)
        self._moved()
        return conversation

    async def rewind(self, at: int | Literal["start"] | None = None) -> Rewound:
        """Take the conversation back to an entry, with every document of it as of that entry.

        Args:
            at: the last entry that stays, or `start`; None to take the last prompt back.

        Raises:
            NoSuchEntryError: the session never had such an entry.
            NothingToDoError: there is nothing to take back.
            CommitFailedError: it is not stored; nothing changed.
            PromptRunningError: a prompt runs.
            SessionClosedError: the session is closed.
        """
        from eukhe.agent.stored.branches import rewind

        session = (await self._idle()).session
        done = rewind(session, 0 if at == "start" else at)
        self._moved()
        return done

    async def close(self) -> None:
        """Abort the prompt that runs, close the session, and let the next writer in.

        Raises:
            OtherLoopError: the prompt runs in another event loop; the session is open as it was.
        """
        self._here()
        self._closed = True
        if self._feed is not None:
            self._feed.leave()
            try:
                await self._feed.ended()
            except asyncio.CancelledError:
                self._feed.then(self._opened.close)  # the run stores what there is before that
                raise
        self._opened.close()

    def _hear(self, event: AgentEvent) -> None:
        if self._feed is None or self._feed.over:
            self._told.append(event)  # between two prompts: the next one tells it first
        else:
            self._feed.put(event)

    def _here(self) -> None:
        """See that no prompt runs in another event loop.

        Raises:
            OtherLoopError: one does.
        """
        if self._feed is not None and self._feed.is_elsewhere:
            raise OtherLoopError

    def _send(self, kind: Kind, text: str) -> Queued:
        if self._closed:
            raise SessionClosedError(self.id)
        self._here()
        run = None if self._feed is None else self._feed.run
        if run is None:
            raise RefusedMessageError(kind, "no run works; send it as a prompt")
        return run.send(kind, text)

    def _moved(self) -> None:
        """The conversation is another one, or at another row: its settings and its model count from here on."""
        self._opened.settings.moved()
        self._opened.choose(sends=False)
        self._ready = False

    async def _idle(self) -> Opened:
        """Wait for a prompt that was left and still tidies up.

        Raises:
            PromptRunningError: a prompt runs.
            SessionClosedError: the session is closed.
        """
        while not self._closed and self._feed is not None and not self._feed.over:
            if not self._feed.left:
                raise PromptRunningError(self.id)
            await self._feed.ended()
        if self._closed:
            raise SessionClosedError(self.id)
        return self._opened

    def _begin(self, work: Callable[[Run], Coroutine[object, object, Outcome]]) -> Prompting:
        return Prompting(lambda: self._start(work))

    async def _start(self, work: Callable[[Run], Coroutine[object, object, Outcome]]) -> Feed:
        opened = await self._idle()
        if opened.refresh():
            self._ready = False
        if not self._ready:
            opened.require()
            self._ready = True
        elif agent_document(opened.session) not in (None, opened.document):
            opened.choose(sends=True)  # the last run went on with another provider
        feed = Feed(self._told)
        run = opened.run(feed.paced)
        self._told.clear()
        self._feed = feed

        async def go(run: Run) -> Outcome:
            try:
                outcome = await work(run)
                feed.outcome = outcome  # it stands, also when the caller leaves what is awaited now
                await run.settle()
            finally:
                opened.stored = run.stored
            return outcome

        feed.start(run, go)
        return feed


class SessionOpening:
    """A session that is about to be opened: `async with` it, or `await` it.

    Args:
        options: the options.
        environ: the environment.
    """

    def __init__(self, options: RunOptions, environ: Mapping[str, str]) -> None:
        self._options = options
        self._environ = environ
        self._session: Session | None = None

    async def _open(self) -> Session:
        return Session(self._options, self._environ)

    def __await__(self) -> Generator[object, None, Session]:
        return self._open().__await__()

    async def __aenter__(self) -> Session:
        self._session = await self._open()
        return self._session

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

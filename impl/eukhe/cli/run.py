"""`eukhe -p`: one prompt, run to its end, in a new session or a stored one."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import stat
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

import click

from eukhe.agent.events import Notice, RunFailed, SessionHeader, StorageFailed
from eukhe.agent.record import AgentDocument, agent_document
from eukhe.agent.run import Run
from eukhe.agent.settings import SessionSettings, limits_of
from eukhe.agent.slash_line import split_prompt
from eukhe.agent.stored import newest_session, remember
from eukhe.agent.who import Agent
from eukhe.cli.exits import EXIT_FAILED, EXIT_INTERRUPTED
from eukhe.cli.pick import fork_source, pick_session
from eukhe.cli.printer import JsonPrinter, TextPrinter
from eukhe.cli.run_model import Choice, after_lines, choose_model
from eukhe.cli.run_settings import (
    apply_lines,
    apply_sets,
    check,
    config_of,
    parse_sets,
    sessions_dir,
    warn_of_binds,
)
from eukhe.session.directories import find_session, new_session_id
from eukhe.session.errors import CommitFailedError, SessionNotFoundError
from eukhe.session.store import Session, now_ms
from eukhe.tools import DEFAULT, ToolContext, Toolset, UnknownToolError
from eukhe.tools.environ import without_credentials
from eukhe.wire.errors import WireError
from eukhe.wire.http import endpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType
    from typing import TextIO

    from eukhe.agent.events import AgentEvent
    from eukhe.cli.run_options import RunOptions


PROMPT_BYTES = 64 * 1024 * 1024
"""The most bytes that can be piped in; an endless pipe must not take all memory."""

_PATIENCE = 3.0
"""Seconds before a user is told that a pipe is waited for."""


def run(options: RunOptions) -> int:
    """Run the prompt and return the exit code.

    Raises:
        click.UsageError: the options do not fit together or name what is not there.
    """
    environ = os.environ
    lines, rest = split_prompt(options.prompt)
    prompt = None
    if rest.strip() or not lines:  # else there are commands alone, and nothing to send
        prompt = _prompt(rest, sys.stdin, sys.stderr)
    sets = parse_sets(options.sets)
    emit = (
        JsonPrinter(sys.stdout, sys.stderr)
        if options.mode == "json"
        else TextPrinter(sys.stdout, sys.stderr, environ)
    )
    with ExitStack() as stack:
        registry, config = config_of(environ, options.agent_dir, _project(options.cwd))
        sessions = sessions_dir(environ, config, options.session_dir)
        directory = _stored_directory(options, sessions)
        source = fork_source(options.fork, options.at, sessions)
        session, lost = (None, None) if directory is None else _reopen(directory)
        if session is not None:
            stack.enter_context(session)
        stored = None if session is None else agent_document(session)
        if source is not None:
            stored = source.agent
        switches = any(line.name == "model" for line in lines)
        sends = prompt is not None and not switches  # what `/model` chooses is what must be there
        choice = choose_model(options, stored, config, environ, sends=sends)
        asked, options = options, choice.options(options)
        needed = sends and not choice.missing
        document = choice.settled(_document(options, stored, sends=needed), stored)
        tools, key = _toolset(document), _key(document, environ)
        if str(config.files.project) != document.cwd:  # a session of another directory
            registry, config = config_of(environ, options.agent_dir, Path(document.cwd))
        check(config, source.session if source else session, sets, lines)
        # Only now, when the options are known to be good, may a new session be made.
        if session is None:
            session, lost = (source.make(), None) if source else _new_session(options, sessions)
            stack.enter_context(session)
        stack.callback(remember, session)
        stack.callback(emit.finish)
        _introduce(session, document, lost, emit)
        warn_of_binds(config.files.agent_dir, emit)
        settings = SessionSettings(registry, config, session, document, emit)
        kept = apply_sets(settings, sets, session, emit) and lost is None
        choice.tell(settings, document, emit)
        if lines and not apply_lines(settings, lines, emit, environ):
            return EXIT_FAILED
        if switches or (lines and agent_document(session) not in (None, document)):
            before = agent_document(session)  # of a fork, a rewind, or as a command changed it
            asked = after_lines(asked, before)
            choice = choose_model(asked, before, config, environ, sends=prompt is not None)
            options = choice.options(asked)
            needed = prompt is not None and not choice.missing
            document = choice.settled(_document(options, before, sends=needed), before)
            choice.state(document, emit)
            tools, key = _toolset(document), _key(document, environ)
        if prompt is None:
            return 0 if kept else EXIT_FAILED
        if choice.missing:
            emit(RunFailed("no_model", choice.missing))
            return EXIT_FAILED
        agent = choice.agent(_agent(session, settings, document, tools, key, choice.variables))
        return _run(session, agent, prompt, emit, choice, stored=kept)


def _agent(
    session: Session,
    settings: SessionSettings,
    document: AgentDocument,
    tools: Toolset,
    key: str,
    variables: tuple[str, ...],
) -> Agent:
    """Who runs: what is stored with the session, and what the settings say."""
    limits = limits_of(settings.own.values)
    hidden = filter(None, (document.api_key_env, *variables))
    context = ToolContext(
        Path(document.cwd),
        without_credentials(os.environ, tuple(hidden)),
        None if session.directory is None else session.directory / "outputs",
        shell=limits.shell,
        command_prefix=limits.prefix,
    )
    system, append = settings.prompts()
    return Agent(
        document,
        tools,
        context,
        api_key=key,
        retry=limits.retry,
        max_tool_rounds=limits.tool_rounds,
        timeouts=limits.timeouts,
        repeat_limit=limits.repeat,
        system=system,
        append=append,
    )


def _introduce(
    session: Session,
    document: AgentDocument,
    lost: CommitFailedError | None,
    emit: Callable[[AgentEvent], None],
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


def _run(
    session: Session,
    agent: Agent,
    prompt: str,
    emit: Callable[[AgentEvent], None],
    choice: Choice,
    *,
    stored: bool,
) -> int:
    # httpx would import its own command line with rich and pygments behind it, a third of its
    # import; a None here makes it do without, as if they were not installed.
    sys.modules.setdefault("httpx._main", cast("ModuleType", None))
    stream = choice.stream()
    ended_by: list[int] = []

    async def go() -> int:
        task = asyncio.current_task()
        loop = asyncio.get_running_loop()

        def end(number: int) -> None:
            ended_by.append(number)
            if task is not None:
                task.cancel()

        # Ctrl-C is asyncio's own; a polite end from outside must commit and kill the tools as well.
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, end, number)
        outcome = await Run(session, agent, stream, emit, stored=stored).prompt(prompt)
        return 0 if outcome.error is None and outcome.stored else EXIT_FAILED

    try:
        return asyncio.run(go())
    except (KeyboardInterrupt, asyncio.CancelledError):
        return 128 + ended_by[0] if ended_by else EXIT_INTERRUPTED


def _prompt(given: str, stdin: TextIO | None, err: TextIO) -> str:
    """The prompt: the option's text, and what is piped in after it; `-` is what is piped in alone."""
    piped = ""
    if stdin is not None and (given == "-" or _is_piped(stdin)):
        piped = _piped(stdin, err)
    text = piped if given == "-" else "\n\n".join(filter(None, (given, piped.rstrip("\n"))))
    if not text.strip():
        raise click.UsageError("the prompt is empty")
    return text


def _piped(stdin: TextIO, err: TextIO) -> str:
    """What is piped in, to its end."""
    if _is_piped(stdin) and not select.select((stdin,), (), (), _PATIENCE)[0]:
        # A caller that leaves its pipe open and silent would make this look like a hang.
        err.write("eukhe: note: waiting for what is piped in; `< /dev/null` gives it an end\n")
        err.flush()
    raw = stdin.buffer.read(PROMPT_BYTES + 1)
    if len(raw) > PROMPT_BYTES:
        raise click.UsageError(f"more than {PROMPT_BYTES >> 20} MiB are piped in, too much to send")
    return raw.decode("utf-8", "replace")


def _is_piped(stdin: TextIO) -> bool:
    try:
        mode = os.fstat(stdin.fileno()).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def _stored_directory(options: RunOptions, sessions: Path) -> Path | None:
    """The session to go on with; None for a new one."""
    ways = (options.go_on, options.resume is not None, options.fork is not None, options.no_session)
    if sum(ways) > 1:
        raise click.UsageError("--continue, --resume, --fork and --no-session exclude each other")
    if options.go_on:
        directory = newest_session(sessions, _directory(options.cwd))
        if directory is None:
            raise click.UsageError(
                f"--continue: no session of {_directory(options.cwd)} is stored in {sessions}; "
                "`eukhe sessions list` shows what is, --resume ID goes on with it"
            )
        return directory
    if options.resume == "":
        return pick_session(sessions)
    if options.resume is not None:
        try:
            return find_session(sessions, options.resume)
        except SessionNotFoundError as error:
            raise click.UsageError(f"--resume: {error}") from error
    return None


def _new_session(options: RunOptions, sessions: Path) -> tuple[Session, CommitFailedError | None]:
    """A new session, and why it cannot be stored if it cannot."""
    new_id = new_session_id(now_ms())
    if options.no_session:
        return Session.in_memory(new_id), None
    try:
        return Session.create(sessions / new_id), None
    except CommitFailedError as error:
        return Session.in_memory(new_id), error


def _reopen(directory: Path) -> tuple[Session, CommitFailedError | None]:
    try:
        return Session.open_to_write(directory), None
    except CommitFailedError as error:
        session = Session.open_to_read(directory)
        session.detach()
        return session, error


def _project(cwd: Path | None) -> Path | None:
    """The directory whose settings say where sessions are; None where it is gone."""
    try:
        return Path.cwd() if cwd is None else _directory(cwd)
    except FileNotFoundError:
        return None


def _directory(cwd: Path | None) -> Path:
    try:
        directory = Path.cwd() if cwd is None else cwd
    except FileNotFoundError as error:
        raise click.UsageError(
            "the working directory was deleted; change to another one or name one with --cwd"
        ) from error
    if not directory.is_dir():
        raise click.UsageError(f"--cwd: there is no directory {directory}")
    return directory.resolve()


def _document(options: RunOptions, stored: AgentDocument | None, *, sends: bool) -> AgentDocument:
    """The agent's settings: the options, over what the session has stored.

    Args:
        options: the options.
        stored: what the session has stored.
        sends: whether there is a prompt to send, so that a server and a model are needed.
    """
    if options.no_tools and options.tools is not None:
        raise click.UsageError("--tools and --no-tools exclude each other")
    base = stored or AgentDocument("", "", "", DEFAULT)
    tools = base.tools
    if options.no_tools:
        tools = ()
    elif options.tools is not None:
        tools = tuple(filter(None, (name.strip() for name in options.tools.split(","))))
    moved = options.cwd is not None or not Path(base.cwd or "-").is_dir()
    document = replace(
        base,
        model=_given(options.model, base.model, "--model", needed=sends),
        base_url=_base_url(_given(options.base_url, base.base_url, "--base-url", needed=sends)),
        cwd=str(_directory(options.cwd)) if moved else base.cwd,
        tools=tools,
    )
    if options.system_prompt is not None:
        document = replace(document, system_prompt=options.system_prompt)
    if options.api_key_env is not None:
        document = replace(document, api_key_env=options.api_key_env)
    elif options.base_url is not None and options.base_url != base.base_url:
        # Another server must not get the key of the old one.
        document = replace(document, api_key_env=None)
    return document


def _given(option: str | None, stored: str, name: str, *, needed: bool) -> str:
    value = option or stored
    if not value and needed:
        raise click.UsageError(f"{name} is missing")
    return value


def _base_url(url: str) -> str:
    if not url:
        return ""
    try:
        endpoint(url, "/chat/completions")
    except WireError as error:
        raise click.UsageError(f"--base-url: {error.message}") from error
    parts = urlsplit(url)
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise click.UsageError(
            "--base-url: the address is stored with the session, so it must hold no user name, "
            "password, query or fragment; name the variable that holds the key with --api-key-env"
        )
    return url


def _toolset(document: AgentDocument) -> Toolset:
    try:
        return Toolset.built_in(document.tools)
    except UnknownToolError as error:
        raise click.UsageError(f"--tools: {error}") from error


def _key(document: AgentDocument, environ: Mapping[str, str]) -> str:
    """The key for the server; empty for none."""
    if document.api_key_env is None:
        return ""
    key = environ.get(document.api_key_env, "")
    if not key:
        raise click.UsageError(
            f"--api-key-env: the environment variable {document.api_key_env} is not set"
        )
    return key

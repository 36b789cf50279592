"""`eukhe -p`: one prompt, run to its end, in a new session or a stored one; without one an open run goes on."""

from __future__ import annotations

import asyncio
import os
import select
import stat
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, cast

import click

from eukhe.agent.events import RunFailed
from eukhe.agent.lines.compact import Compacted, compact_line
from eukhe.agent.lines.line import COMPACT, split_prompt
from eukhe.agent.opening.opened import open_session
from eukhe.agent.rows.unfinished import NothingOpenError, open_rounds
from eukhe.cli.exits import EXIT_FAILED, EXIT_INTERRUPTED
from eukhe.cli.input_lines import InputLines
from eukhe.cli.pick import pick_session
from eukhe.cli.printer import JsonPrinter, TextPrinter
from eukhe.cli.stops import Stops

if TYPE_CHECKING:
    from types import ModuleType
    from typing import TextIO

    from eukhe.agent.opening.opened import Opened
    from eukhe.cli.run_options import PrintOptions


PROMPT_BYTES = 64 * 1024 * 1024
"""The most bytes that can be piped in; an endless pipe must not take all memory."""

_PATIENCE = 3.0
"""Seconds before a user is told that a pipe is waited for."""


def run(options: PrintOptions) -> int:
    """Run the prompt, or go on with the open run of a session, and return the exit code.

    Raises:
        click.UsageError: there is no prompt, and no run to go on with.
        OptionError: the options do not fit together or name what is not there.
    """
    if options.takes_lines and options.mode != "json":
        raise click.UsageError(
            "--input-format json-lines needs --mode json: what becomes of a line is told as an event"
        )
    environ = os.environ
    resumes = options.prompt is None
    lines, rest = split_prompt(options.prompt or "")
    prompt = None
    if not resumes and (
        rest.strip() or not lines
    ):  # else there are commands alone, and nothing to send
        stdin = None if options.takes_lines else sys.stdin
        prompt = _prompt(rest, stdin, sys.stderr)
    compact = next((line.args for line in lines if line.name == COMPACT), None)
    sends = resumes or prompt is not None or compact is not None
    emit = (
        JsonPrinter(sys.stdout, sys.stderr)
        if options.mode == "json"
        else TextPrinter(sys.stdout, sys.stderr, environ)
    )
    with ExitStack() as stack:
        stack.callback(emit.finish)
        opened = stack.enter_context(
            open_session(options.of_run, environ, emit, lines=lines, sends=sends, pick=pick_session)
        )
        if not opened.apply(lines, sends=sends):
            return EXIT_FAILED
        if not sends:
            return 0 if opened.stored else EXIT_FAILED
        if resumes and open_rounds(opened.session) is None:
            raise click.UsageError(str(NothingOpenError(opened.session.id)))
        if opened.choice.missing:
            emit(RunFailed("no_model", opened.choice.missing))
            return EXIT_FAILED
        return _run(opened, prompt, compact, resumes=resumes, takes_lines=options.takes_lines)


def _run(
    opened: Opened, prompt: str | None, compact: str | None, *, resumes: bool, takes_lines: bool
) -> int:
    # httpx would import its own command line with rich and pygments behind it, a third of its
    # import; a None here makes it do without, as if they were not installed.
    sys.modules.setdefault("httpx._main", cast("ModuleType", None))
    run = opened.run()
    stops = Stops()
    inputs: list[InputLines] = []

    async def go() -> int:
        task = asyncio.current_task()
        if compact is not None:
            done = await compact_line(run, opened.settings, opened.emit, compact)
            if done is Compacted.FAILED or (prompt is None and done is Compacted.NOTHING):
                return EXIT_FAILED
        if takes_lines and task is not None and (resumes or prompt is not None):
            inputs.append(InputLines(0, run.send, task.cancel, opened.emit))
            # Not before the run has begun: there would be nothing to steer.
            loop = asyncio.get_running_loop()
            loop.call_soon(inputs[0].start, loop)
        if resumes:
            outcome = await run.resume()
        elif prompt is None:
            return 0 if run.stored else EXIT_FAILED
        else:
            outcome = await run.prompt(prompt)
        await run.settle()
        return 0 if outcome.error is None and run.stored else EXIT_FAILED

    try:
        return stops.run(go)
    except (KeyboardInterrupt, asyncio.CancelledError):
        for failure in filter(None, (one.failure for one in inputs)):
            raise failure from None
        return EXIT_INTERRUPTED if stops.first is None else 128 + stops.first


def _prompt(given: str, stdin: TextIO | None, err: TextIO) -> str:
    """The prompt: the option's text, and what is piped in after it; `-` is what is piped in alone."""
    piped = ""
    if given == "-" and stdin is None:
        raise click.UsageError(
            "-p - reads the prompt from stdin, which --input-format json-lines reads lines from; "
            "give the prompt as text"
        )
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

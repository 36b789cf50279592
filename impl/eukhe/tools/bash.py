"""The tool `bash`: one command in its own process group."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import threading
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, cast

from eukhe.tools.output import KEPT_BYTES, OutputBuffer
from eukhe.tools.tool import ToolFailedError, ToolOutput
from eukhe.wire.messages import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.tools.tool import ToolContext

DEFAULT_TIMEOUT = 120.0
"""Seconds that a command may take when the call does not say."""

MAX_TIMEOUT = 86_400
"""The most seconds that a call may ask for: a day."""

_GRACE = 0.5
"""Seconds between the polite signal and the one that cannot be refused."""

_SPEC = ToolSpec(
    name="bash",
    description=(
        "Run a command with bash in the working directory and return what it prints (both streams) "
        f"and its exit code. Output above {KEPT_BYTES // 1024} KiB is cut in the middle. There is no "
        "terminal and no input. What the command leaves in the background is ended when it ends."
    ),
    schema={
        "type": "object",
        "properties": {
            "command": {"type": "string", "description": "The command line."},
            "timeout": {
                "type": "number",
                "minimum": 0.1,
                "maximum": MAX_TIMEOUT,
                "description": f"Seconds after which it is ended; {DEFAULT_TIMEOUT:g} when not given.",
            },
        },
        "required": ["command"],
        "additionalProperties": False,
    },
)


class BashTool:
    """Runs commands; each is a process group that does not outlive its call."""

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema."""
        return _SPEC

    async def run(self, arguments: Mapping[str, object], context: ToolContext) -> ToolOutput:
        """Run the command to its end, its timeout, or the end of the run."""
        command = cast("str", arguments["command"])
        timeout = float(cast("float", arguments.get("timeout", DEFAULT_TIMEOUT)))
        output = OutputBuffer(context.outputs_dir, context.on_output)
        process = _start(command, context)
        ended = _watch(process)
        reader = asyncio.create_task(_pump(process, output))
        timed_out, whole = False, False
        try:
            try:
                async with asyncio.timeout(timeout):
                    await asyncio.wait((ended, reader), return_when=asyncio.FIRST_COMPLETED)
                    if reader.done():
                        reader.result()  # a listener that fails ends the command
                    await asyncio.shield(ended)
            except TimeoutError:
                timed_out = True
                await _end(process.pid, ended)
            # A process that left the group can hold the pipe open for ever: what it says is lost.
            await asyncio.wait((reader,), timeout=_GRACE)
            if reader.done():
                reader.result()
            whole = True
        finally:
            try:
                await _end(process.pid, ended)
            finally:
                reader.cancel()
                await asyncio.gather(reader, return_exceptions=True)
                text = output.finish()
                if not whole:
                    context.on_cut(text)
        return _result(text, ended.result(), timeout if timed_out else None)


def _start(command: str, context: ToolContext) -> subprocess.Popen[bytes]:
    usual = shutil.which("bash", path=context.environ.get("PATH")) or "/bin/sh"
    shell = os.path.expanduser(context.shell) if context.shell else usual  # noqa: PTH111 - maybe a name on the PATH
    if context.command_prefix:
        command = f"{context.command_prefix}\n{command}"
    # Programs that would wait for a person at a terminal must not: there is none.
    quiet = {"PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
    try:
        return subprocess.Popen(
            [shell, "-c", command],
            cwd=context.cwd,
            env={**context.environ, **quiet},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise ToolFailedError(f"the command could not be started: {error}") from error


@dataclass(frozen=True, slots=True)
class _Ending:
    """How a command ended.

    Attributes:
        code: the exit code of the shell; minus the signal's number where a signal ended it.
        left_over: whether other processes of its group were still there, and were killed.
    """

    code: int
    left_over: bool


def _watch(process: subprocess.Popen[bytes]) -> asyncio.Future[_Ending]:
    """The ending to come.

    A thread of its own waits: asyncio's own `wait` also waits for the pipes in some Python
    versions, and a shared pool could run out of threads with many commands side by side.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[_Ending] = loop.create_future()

    def settle(ending: _Ending) -> None:
        if not ended.done():
            ended.set_result(ending)

    def wait() -> None:
        code = process.wait()
        # At once, while the number of the group cannot yet be another group's.
        ending = _Ending(code, _signal_group(process.pid, signal.SIGKILL))
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody asks any more
            loop.call_soon_threadsafe(settle, ending)

    threading.Thread(target=wait, name=f"wait-{process.pid}", daemon=True).start()
    return ended


async def _pump(process: subprocess.Popen[bytes], output: OutputBuffer) -> None:
    pipe = cast("IO[bytes]", process.stdout)
    reader = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), pipe
    )
    try:
        while piece := await reader.read(1 << 16):
            output.feed(piece)
    finally:
        transport.close()


async def _end(group: int, ended: asyncio.Future[_Ending]) -> None:
    """End a command: first politely, then so that it cannot refuse. Nothing if it has ended."""
    if ended.done():
        return
    try:
        _signal_group(group, signal.SIGTERM)
        await asyncio.wait((ended,), timeout=_GRACE)
    finally:
        if not ended.done():
            _signal_group(group, signal.SIGKILL)
    await ended


def _signal_group(group: int, number: signal.Signals) -> bool:
    """Whether there was still a process in the group."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _result(text: str, ending: _Ending, timed_out_after: float | None) -> ToolOutput:
    notes = []
    if timed_out_after is not None:
        notes.append(f"ended after its timeout of {timed_out_after:g} s")
    elif ending.code < 0:
        notes.append(f"ended by signal {-ending.code}")
    elif ending.code:
        notes.append(f"exit code {ending.code}")
    if ending.left_over and timed_out_after is None:
        notes.append("processes that it left in the background were ended")
    parts = [text.rstrip("\n")] if text.strip() else ["[no output]"]
    parts += [f"[{note}]" for note in notes]
    failed = timed_out_after is not None or ending.code != 0
    return ToolOutput("\n".join(parts), is_error=failed)

"""The tool `grep`: lines by a regular expression."""

from __future__ import annotations

import asyncio
import contextlib
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

import eukhe
from eukhe.tools.files import shown
from eukhe.tools.glob import MAX_PATTERN, BadGlobError, Glob
from eukhe.tools.grep_process import BAD_PATTERN, Request
from eukhe.tools.in_thread import in_thread
from eukhe.tools.listing import IGNORED_ARGUMENT, SECONDS, prefix_of, start_of, with_notes
from eukhe.tools.output import OutputBuffer
from eukhe.tools.tool import ToolFailedError, ToolOutput
from eukhe.wire.messages import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.tools.tool import ToolContext

MAX_CONTEXT = 20
"""Lines around a match that a call may ask for."""

_GRACE = 1.0
"""Seconds beyond its time after which a search is ended from outside."""

_PROGRAM = "import sys; sys.path.insert(0, sys.argv.pop(1)); from eukhe.tools.grep_process import main; main()"

_SPEC = ToolSpec(
    name="grep",
    description=(
        "Search text files line by line for a regular expression (Python's `re`). Each match is a line "
        "`path:number: text`. Binary files and links are left out, and what .gitignore names."
    ),
    schema={
        "type": "object",
        "properties": {
            "pattern": {
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_PATTERN,
                "description": "The regular expression.",
            },
            "path": {
                "type": "string",
                "description": "The file or directory to search; the working directory when not given.",
            },
            "glob": {
                "type": "string",
                "maxLength": MAX_PATTERN,
                "description": "Which files, for example *.py or src/**/*.{ts,tsx}.",
            },
            "literal": {
                "type": "boolean",
                "description": "Take the pattern as plain text; false when not given.",
            },
            "ignore_case": {"type": "boolean", "description": "Match letters in either case."},
            "context": {
                "type": "integer",
                "minimum": 0,
                "maximum": MAX_CONTEXT,
                "description": "Lines to show before and after each match; 0 when not given.",
            },
            "ignored": IGNORED_ARGUMENT,
        },
        "required": ["pattern"],
        "additionalProperties": False,
    },
)


class GrepTool:
    """Searches files, in a process of its own that can be ended at any moment."""

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema."""
        return _SPEC

    async def run(self, arguments: Mapping[str, object], context: ToolContext) -> ToolOutput:
        """Search for a bounded time; what was found by then is the result."""
        request = await in_thread("grep", lambda _: _request(arguments, context))
        process = _start(request, context)
        buffer = OutputBuffer(context.outputs_dir, lambda _: None)
        late = False
        try:
            async with asyncio.timeout(SECONDS + _GRACE):
                code = await in_thread("grep", lambda _: _pump(process, buffer))
        except TimeoutError:
            late, code = True, 0
        finally:
            process.kill()
            process.poll()
            text = buffer.finish().removesuffix("\n")
        if late or code < 0:
            note = (
                f"the search was ended after {SECONDS:g} s; search a smaller directory or, if it is "
                "small, for a simpler pattern"
            )
            return ToolOutput(with_notes(text, [note]), is_error=not text)
        if code == BAD_PATTERN:
            raise ToolFailedError(
                f"the pattern is no regular expression: {text}; literal takes it as plain text"
            )
        if code:
            raise ToolFailedError(f"the search failed: {text or f'exit code {code}'}")
        return ToolOutput(text)


def _request(arguments: Mapping[str, object], context: ToolContext) -> Request:
    given = cast("str", arguments.get("path", "."))
    path, found = start_of(context, given)
    pattern = cast("str", arguments["pattern"])
    glob = cast("str", arguments.get("glob", ""))
    request = Request(
        start=str(path),
        prefix=prefix_of(given) if stat.S_ISDIR(found.st_mode) else shown(given),
        pattern=re.escape(pattern) if arguments.get("literal") is True else pattern,
        ignore_case=arguments.get("ignore_case") is True,
        glob=glob,
        context=int(cast("float", arguments.get("context", 0))),
        everything=arguments.get("ignored") is True,
        seconds=SECONDS - 2,
    )
    try:
        if glob:
            Glob.of(glob)
    except BadGlobError as error:
        raise ToolFailedError(f"glob: {error}") from error
    return request


def _start(request: Request, context: ToolContext) -> subprocess.Popen[bytes]:
    packages = str(Path(eukhe.__file__).parent.parent)
    # Neither the site's packages nor variables of Python's own: it needs none, and starts at once.
    command = [
        sys.executable,
        "-I",
        "-S",
        "-W",
        "ignore",
        "-c",
        _PROGRAM,
        packages,
        request.to_argument(),
    ]
    try:
        return subprocess.Popen(
            command,
            env=dict(context.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise ToolFailedError(f"the search could not be started: {error}") from error


def _pump(process: subprocess.Popen[bytes], buffer: OutputBuffer) -> int:
    """Take what the search writes, to its end; its exit code."""
    with cast("IO[bytes]", process.stdout) as pipe:
        while piece := pipe.read1(1 << 16):  # type: ignore[attr-defined]  # a buffered reader
            with contextlib.suppress(ValueError):  # nobody waits any more, and the buffer is closed
                buffer.feed(piece)
    return process.wait()

"""The tool `find`: paths by a pattern."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from eukhe.tools.files import printable
from eukhe.tools.glob import MAX_PATTERN, BadGlobError, Glob
from eukhe.tools.in_thread import in_thread
from eukhe.tools.listing import (
    IGNORED_ARGUMENT,
    SECONDS,
    directory_of,
    listed,
    prefix_of,
    unread,
    with_notes,
)
from eukhe.tools.tool import ToolFailedError, ToolOutput
from eukhe.tools.walk import Walk
from eukhe.wire.messages import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eukhe.tools.in_thread import Stop
    from eukhe.tools.tool import ToolContext

MAX_FOUND = 20_000
"""Paths of one result, most of them in its file."""

_GRACE = 5.0
"""Seconds that a walk may be stuck on a disk beyond its time."""

_SPEC = ToolSpec(
    name="find",
    description=(
        "Find files and directories by a pattern: `*`, `?`, `[...]`, `{a,b}`, and `**` for any directories. "
        "A pattern without `/` is for the name, at any depth. Links are not followed; what .gitignore names "
        "is left out."
    ),
    schema={
        "type": "object",
        "properties": {
            "pattern": {
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_PATTERN,
                "description": "For example *.py, src/**/test_*.{ts,tsx}.",
            },
            "path": {
                "type": "string",
                "description": "The directory to look in; the working directory when not given.",
            },
            "ignored": IGNORED_ARGUMENT,
        },
        "required": ["pattern"],
        "additionalProperties": False,
    },
)


class FindTool:
    """Finds paths."""

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema."""
        return _SPEC

    async def run(self, arguments: Mapping[str, object], context: ToolContext) -> ToolOutput:
        """Walk in a thread, for a bounded time."""
        path = cast("str", arguments.get("path", "."))
        everything = arguments.get("ignored") is True
        try:
            glob = Glob.of(cast("str", arguments["pattern"]))
        except BadGlobError as error:
            raise ToolFailedError(f"{error}") from error
        try:
            async with asyncio.timeout(SECONDS + _GRACE):
                return await in_thread(
                    "find", lambda stop: _find(context, path, glob, everything, stop)
                )
        except TimeoutError as error:
            raise ToolFailedError(f"the disk did not answer for {SECONDS + _GRACE:g} s") from error


def _find(context: ToolContext, given: str, glob: Glob, everything: bool, stop: Stop) -> ToolOutput:
    walk = Walk(directory_of(context, given), everything, SECONDS, lambda: bool(stop))
    text = listed(_paths(walk, glob, prefix_of(given)), context.outputs_dir)
    notes = [] if text else ["nothing found"]
    if walk.limit:
        notes.append(f"not everything was looked at: {walk.limit}; look in a smaller directory")
    return ToolOutput(with_notes(text, [*notes, unread(walk.unread)]))


def _paths(walk: Walk, glob: Glob, prefix: str) -> Iterator[str]:
    count = 0
    for found in walk.entries():
        if not glob.matches(found.parts):
            continue
        count += 1
        if count > MAX_FOUND:
            walk.limit = f"more than {MAX_FOUND} were found"
            return
        yield printable(f"{prefix}{'/'.join(found.parts)}") + "/" * found.is_directory

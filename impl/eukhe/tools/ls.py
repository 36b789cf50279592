"""The tool `ls`: what is in a directory."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING, cast

from eukhe.tools.files import printable, shown, told
from eukhe.tools.in_thread import in_thread
from eukhe.tools.listing import directory_of, listed, with_notes
from eukhe.tools.tool import ToolOutput
from eukhe.wire.messages import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.tools.tool import ToolContext

MAX_ENTRIES = 20_000
"""Entries of one result, most of them in its file."""

_SPEC = ToolSpec(
    name="ls",
    description=(
        "List a directory: its entries by name, `/` after a directory, `-> target` after a link, "
        "the size in bytes after a file. Hidden entries are shown too."
    ),
    schema={
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "The directory; the working directory when not given.",
            },
        },
        "additionalProperties": False,
    },
)


class LsTool:
    """Lists directories."""

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema."""
        return _SPEC

    async def run(self, arguments: Mapping[str, object], context: ToolContext) -> ToolOutput:
        """List in a thread, so that a slow disk holds up nobody else."""
        path = cast("str", arguments.get("path", "."))
        return await in_thread("ls", lambda _: _list(context, path))


def _list(context: ToolContext, given: str) -> ToolOutput:
    directory = directory_of(context, given)
    with told(shown(given), "listed"), os.scandir(directory) as entries:
        some = list(islice(entries, MAX_ENTRIES + 1))
    lines = [_line(entry) for entry in sorted(some, key=lambda one: one.name)[:MAX_ENTRIES]]
    text = listed(lines, context.outputs_dir) or "[the directory is empty]"
    more = f"there are more than {MAX_ENTRIES} entries; these are some of them"
    return ToolOutput(with_notes(text, [more] if len(some) > MAX_ENTRIES else []))


def _line(entry: os.DirEntry[str]) -> str:
    name = printable(entry.name)
    try:
        if entry.is_symlink():
            return f"{name} -> {printable(os.readlink(entry.path))}"  # noqa: PTH115 - a DirEntry, not a path object
        if entry.is_dir(follow_symlinks=False):
            return f"{name}/"
        if entry.is_file(follow_symlinks=False):
            return f"{name} ({entry.stat(follow_symlinks=False).st_size} bytes)"
    except OSError as error:
        return f"{name} ({error.strerror or error})"
    return f"{name} (a pipe, a socket or a device)"

"""The tool `read`: lines of a text file, or a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, cast

from eukhe.tools.files import head_of, open_file, path_of, refuse_binary, shown, told
from eukhe.tools.images import media_type_of, picture
from eukhe.tools.in_thread import in_thread
from eukhe.tools.tool import ToolFailedError, ToolOutput
from eukhe.wire.messages import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.tools.tool import ToolContext

MAX_LINES = 2000
"""Lines of one result."""

MAX_BYTES = 64 * 1024
"""Bytes of one result, before the last note."""

MAX_LINE = 4096
"""Bytes that are shown of one line."""

_SPEC = ToolSpec(
    name="read",
    description=(
        "Read a text file or a picture (PNG, JPEG, GIF, WebP). Returns its lines as they are, at most "
        f"{MAX_LINES} lines or {MAX_BYTES // 1024} KiB a call; a note at the end says where to go on."
    ),
    schema={
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "Path of the file, absolute or from the working directory.",
            },
            "offset": {
                "type": "integer",
                "minimum": 1,
                "description": "Number of the first line to read, from 1.",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "description": "How many lines to read at most.",
            },
        },
        "required": ["path"],
        "additionalProperties": False,
    },
)


class ReadTool:
    """Reads text files and pictures; refuses all else and says why."""

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema."""
        return _SPEC

    async def run(self, arguments: Mapping[str, object], context: ToolContext) -> ToolOutput:
        """Read in a thread, so that a slow disk holds up nobody else."""
        name = cast("str", arguments["path"])
        offset = int(cast("float", arguments.get("offset", 1)))
        limit = min(int(cast("float", arguments.get("limit", MAX_LINES))), MAX_LINES)
        return await in_thread("read", lambda _: _read(context, name, offset, limit))


def _read(context: ToolContext, given: str, offset: int, limit: int) -> ToolOutput:
    name = shown(given)
    with told(name, "read"):
        path = path_of(context.cwd, given)
    with told(name, "read", path), open_file(path, name) as file:
        head = head_of(file, name)
        if media_type := media_type_of(head):
            block = picture(file, name, media_type, context.takes_images)
            return ToolOutput(f"[{name}: a picture, {media_type}]", images=(block,))
        refuse_binary(file, name, head)
        return ToolOutput(_lines(file, name, offset, limit))


def _lines(file: BinaryIO, name: str, offset: int, limit: int) -> str:
    for skipped in range(offset - 1):
        if not _next_line(file):
            raise ToolFailedError(f"{name} has only {skipped} lines; line {offset} is past its end")
    shown: list[bytes] = []
    size = 0
    while len(shown) < limit and size < MAX_BYTES:
        line = _next_line(file)
        if not line:
            break
        shown.append(line)
        size += len(line)
    if not shown:
        if offset == 1:
            return "[the file is empty]"
        raise ToolFailedError(f"{name} has only {offset - 1} lines; line {offset} is past its end")
    text = b"".join(shown).decode("utf-8", "replace")
    notes = []
    if "\ufffd" in text:
        notes.append("bytes that are not UTF-8 are shown as \ufffd")
    if file.read(1):
        after = offset + len(shown)
        notes.append(f"lines {offset} to {after - 1}; more follow, go on with offset {after}")
    return text + "".join(f"\n[{note}]" for note in notes)


def _next_line(file: BinaryIO) -> bytes:
    """The next line with its end, cut to `MAX_LINE` bytes; empty at the end of the file."""
    line = file.readline(MAX_LINE + 1)
    if line.endswith(b"\n") or len(line) <= MAX_LINE:
        return line
    cut = 0
    rest = line
    while rest and not rest.endswith(b"\n"):
        rest = file.readline(1 << 20)
        cut += len(rest)
    shown = line[:MAX_LINE].decode("utf-8", "ignore").encode()
    return shown + f" [{cut + len(line) - len(shown)} more bytes of this line]\n".encode()

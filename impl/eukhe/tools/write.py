"""The tool `write`: a new file, or new content for one."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from eukhe.tools.files import path_of, shown, told
from eukhe.tools.in_thread import in_thread
from eukhe.tools.tool import ToolFailedError, ToolOutput
from eukhe.wire.messages import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.tools.in_thread import Stop
    from eukhe.tools.tool import ToolContext

_SPEC = ToolSpec(
    name="write",
    description=(
        "Write a file: make it, with the directories above it, or replace all that it holds. "
        "To change a part of a file use edit where it is on offer."
    ),
    schema={
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "Path of the file, absolute or from the working directory.",
            },
            "content": {"type": "string", "description": "All that the file shall hold."},
        },
        "required": ["path", "content"],
        "additionalProperties": False,
    },
)


class WriteTool:
    """Writes files, each whole or not at all."""

    sequential = True
    """A round that writes runs its calls one after another: a later call may need what is written."""

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema."""
        return _SPEC

    async def run(self, arguments: Mapping[str, object], context: ToolContext) -> ToolOutput:
        """Write in a thread, so that a slow disk holds up nobody else."""
        path, content = cast("str", arguments["path"]), cast("str", arguments["content"])
        return await in_thread("write", lambda stop: _write(context, path, content, stop))


def _write(context: ToolContext, given: str, content: str, stop: Stop) -> ToolOutput:
    from eukhe.tools import atomic  # a run that writes nothing does not pay for it

    name = shown(given)
    data = encoded(content, "content")
    with told(name, "written"):
        path = path_of(context.cwd, given)
        if given.endswith("/"):
            raise ToolFailedError(f"{name} is the path of a directory, not of a file")
        target = atomic.target_of(context.cwd, path, name)
        target.path.parent.mkdir(parents=True, exist_ok=True)
        atomic.replace(target, name, data, stop)
    before = target.before
    did = "a new file" if before is None else f"in the place of {before.st_size} bytes"
    return ToolOutput(f"{name}: {len(data)} bytes written, {did}")


def encoded(text: str, argument: str) -> bytes:
    r"""The text in UTF-8.

    Raises:
        ToolFailedError: it holds half a character (`\\ud800` in the call's JSON).
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start]
        raise ToolFailedError(
            f"{argument} holds half a character ({half!r}, at character {error.start + 1}), "
            "which no file can hold; nothing was written"
        ) from error

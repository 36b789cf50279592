"""The tool `edit`: one text in a file replaced by another."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from eukhe.tools.in_thread import in_thread
from eukhe.wire.messages import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.tools.tool import ToolContext, ToolOutput

_SPEC = ToolSpec(
    name="edit",
    description=(
        "Replace a text in a file. old_string must be in the file exactly, white space included, and only "
        "once, unless replace_all is true. The result shows the change as a unified diff."
    ),
    schema={
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "Path of the file, absolute or from the working directory.",
            },
            "old_string": {
                "type": "string",
                "minLength": 1,
                "description": "The text to replace, with enough lines around it to be the only one.",
            },
            "new_string": {"type": "string", "description": "What takes its place."},
            "replace_all": {
                "type": "boolean",
                "description": "Replace it wherever it is; false when not given.",
            },
        },
        "required": ["path", "old_string", "new_string"],
        "additionalProperties": False,
    },
)


class EditTool:
    """Edits text files; the bytes around a change stay as they are."""

    sequential = True
    """Two edits of one file at the same time would lose one of them."""

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema."""
        return _SPEC

    async def run(self, arguments: Mapping[str, object], context: ToolContext) -> ToolOutput:
        """Edit in a thread, so that a slow disk holds up nobody else."""
        from eukhe.tools.edit_file import edit_file  # a run that edits nothing does not pay for it

        path = cast("str", arguments["path"])
        texts = cast("str", arguments["old_string"]), cast("str", arguments["new_string"])
        everywhere = arguments.get("replace_all") is True
        return await in_thread(
            "edit", lambda stop: edit_file(context, path, texts, everywhere, stop)
        )

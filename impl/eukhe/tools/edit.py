"""The tool `edit`: one text in a file replaced by another."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from eukhe.tools.atomic import replace, target_of
from eukhe.tools.edit_diff import unified_diff
from eukhe.tools.edit_hint import where_it_may_be
from eukhe.tools.edit_match import MAX_PLACES, Edit, find_edit, line_at
from eukhe.tools.files import head_of, open_file, path_of, refuse_binary, shown, told
from eukhe.tools.in_thread import in_thread
from eukhe.tools.tool import ToolFailedError, ToolOutput
from eukhe.tools.write import encoded
from eukhe.wire.messages import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.tools.in_thread import Stop
    from eukhe.tools.tool import ToolContext

MAX_FILE_BYTES = 16 * 1024 * 1024
"""The largest file that is edited, before and after: all of it is held in memory."""

_LINES_NAMED = 10
"""Places that a message names."""

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
        path = cast("str", arguments["path"])
        old = cast("str", arguments["old_string"])
        new = cast("str", arguments["new_string"])
        everywhere = arguments.get("replace_all") is True
        return await in_thread(
            "edit", lambda stop: _edit(context, path, (old, new), everywhere, stop)
        )


def _edit(
    context: ToolContext, given: str, texts: tuple[str, str], everywhere: bool, stop: Stop
) -> ToolOutput:
    name = shown(given)
    old, new = encoded(texts[0], "old_string"), encoded(texts[1], "new_string")
    if old == new:
        raise ToolFailedError("old_string and new_string are the same; nothing was changed")
    with told(name, "edited"):
        path = path_of(context.cwd, given)
    with told(name, "edited", path):
        target = target_of(context.cwd, path, name)
        with open_file(target.path, name) as file:
            refuse_binary(file, name, head_of(file, name))
            data = file.read(MAX_FILE_BYTES + 1) or b""
    if len(data) > MAX_FILE_BYTES:
        raise ToolFailedError(f"{name} is too large to edit: {_MOST}")
    edit = find_edit(data, old, new)
    _check(edit, name, everywhere)
    with told(name, "edited"):
        replace(target, name, edit.apply(), stop)
    places = "" if len(edit.places) == 1 else f"; {len(edit.places)} places changed"
    return ToolOutput(f"{name}: edited{places}\n{unified_diff(edit, name)}")


_MOST = f"at most {MAX_FILE_BYTES >> 20} MiB, before and after"


def _check(edit: Edit, name: str, everywhere: bool) -> None:
    if not edit.places:
        raise ToolFailedError(
            f"old_string is not in {name}; nothing was changed. {where_it_may_be(edit.data, edit.old)}"
        )
    if edit.count > MAX_PLACES:
        raise ToolFailedError(
            f"old_string is more than {MAX_PLACES} times in {name}, too often to edit; nothing was changed"
        )
    if edit.count > 1 and not everywhere:
        first = [str(line_at(edit.data, place)) for place in edit.found[:_LINES_NAMED]]
        more = ", ..." if edit.count > len(first) else ""
        raise ToolFailedError(
            f"old_string is {edit.count} times in {name}, at lines {', '.join(first)}{more}; nothing was "
            "changed. Give more of the lines around the one that is meant, or set replace_all"
        )
    if edit.size_after > MAX_FILE_BYTES:
        raise ToolFailedError(f"{name} would become too large: {_MOST}; nothing was changed")

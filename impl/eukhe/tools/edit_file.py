"""One text in a file replaced by another: what the tool `edit` does when it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eukhe.tools.atomic import replace, target_of
from eukhe.tools.edit_diff import unified_diff
from eukhe.tools.edit_hint import where_it_may_be
from eukhe.tools.edit_match import MAX_PLACES, Edit, find_edit, line_at
from eukhe.tools.files import head_of, open_file, path_of, refuse_binary, shown, told
from eukhe.tools.tool import ToolFailedError, ToolOutput
from eukhe.tools.write import encoded

if TYPE_CHECKING:
    from eukhe.tools.in_thread import Stop
    from eukhe.tools.tool import ToolContext

MAX_FILE_BYTES = 16 * 1024 * 1024
"""The largest file that is edited, before and after: all of it is held in memory."""

_LINES_NAMED = 10
"""Places that a message names."""

_MOST = f"at most {MAX_FILE_BYTES >> 20} MiB, before and after"


def edit_file(
    context: ToolContext, given: str, texts: tuple[str, str], everywhere: bool, stop: Stop
) -> ToolOutput:
    """Replace a text in a file.

    Args:
        context: the run.
        given: the path, as the model wrote it.
        texts: the text and what takes its place.
        everywhere: whether it may be there more than once.
        stop: whether nobody waits any more; then nothing is replaced.

    Raises:
        ToolFailedError: nothing was changed; the text says why.
    """
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

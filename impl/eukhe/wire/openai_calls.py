"""Which call a fragment of a tool call belongs to: by index, else by id, else by what the fragment looks like.

Servers break the rules in many ways (no index, one index for all calls, ids on each delta or none, arguments as an
object, the whole arguments once more at the end), and each way has one answer here.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.events import ToolCallDelta, ToolCallEnd, ToolCallStart
from eukhe.wire.strict_tools import restored
from eukhe.wire.unicode import Joiner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.wire.assembly import Assembly, OpenCall
    from eukhe.wire.events import Event
    from eukhe.wire.strict_tools import Schema

__all__ = ["CallReader"]


class CallReader:
    """Reads the items of `delta.tool_calls` into the calls of a reply."""

    __slots__ = ("_assembly", "_by_id", "_by_index", "_joiners", "_last")

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._by_index: dict[int, OpenCall] = {}
        self._by_id: dict[str, OpenCall] = {}
        self._joiners: dict[int, Joiner] = {}
        self._last: OpenCall | None = None

    def read(self, fragment: Mapping[str, object], out: list[Event]) -> None:
        """Take one fragment and append what it makes known to `out`.

        Raises:
            WireError: `PROTOCOL`: arguments that are an object with a number that is no JSON.
        """
        inner = fragment.get("function")
        function = inner if isinstance(inner, dict) else {}
        index, call_id = _index(fragment.get("index")), _word(fragment.get("id"))
        name, arguments = _word(function.get("name")), _arguments(function.get("arguments"))
        call = self._find(index, call_id, name, arguments)
        if index is not None:
            self._by_index[index] = call
        if call_id and not call.id:
            call.id = call_id
            self._by_id.setdefault(call_id, call)
        call.name = call.name or name
        self._last = call
        if arguments and not _said_again(call, arguments):
            piece = self._joiners.setdefault(call.number, Joiner()).take(arguments)
            if piece:
                call.parts.append(piece)
        _show(call, out)

    def end(self, out: list[Event], strict: Mapping[str, Schema]) -> None:
        """Append the end of each call to `out`; ids are settled first.

        Args:
            out: Gets the ends.
            strict: The own schemas of the tools that got a strict one.
        """
        self._assembly.settle_ids()
        for call in self._assembly.calls:
            joiner = self._joiners.get(call.number)
            if joiner is not None and (rest := joiner.rest()):
                call.parts.append(rest)
            _show(call, out, ending=True)
            if call.name in strict:
                call.parts = [restored(call.text, strict[call.name])]
            out.append(ToolCallEnd(call.number, call.call()))

    def _find(self, index: int | None, call_id: str, name: str, arguments: str) -> OpenCall:
        known = self._by_id.get(call_id) if call_id else None
        if index is not None:
            call = self._by_index.get(index)
            if call is None:
                return self._assembly.new_call()
            if call_id and call.id and call_id != call.id:
                return known or self._assembly.new_call()
            return (
                self._assembly.new_call()
                if not call_id and _begins(call, name, arguments)
                else call
            )
        if known is not None:
            return known
        last = self._last
        if last is None or (call_id and (last.id or name)):
            return self._assembly.new_call()
        if not call_id and (
            (name and last.name and name != last.name) or _begins(last, "", arguments, lone=True)
        ):
            return self._assembly.new_call()
        return last


def _begins(call: OpenCall, name: str, arguments: str, *, lone: bool = False) -> bool:
    """Whether a fragment without an id begins a call although `call` has its place.

    It does when it begins an object where the arguments so far are complete, and does not repeat them. Where the
    index says that it belongs to `call`, it must also bear a name.
    """
    return (
        (lone or bool(name))
        and arguments.lstrip().startswith("{")
        and _complete(call)
        and not _said_again(call, arguments)
    )


def _said_again(call: OpenCall, arguments: str) -> bool:
    """Whether `arguments` repeat the whole text of a call that is complete."""
    return _complete(call) and arguments == call.text


def _complete(call: OpenCall) -> bool:
    if not call.parts or not call.parts[-1].rstrip().endswith("}"):
        return False
    try:
        json.loads(call.text)
    except (ValueError, RecursionError):
        return False
    return True


def _show(call: OpenCall, out: list[Event], *, ending: bool = False) -> None:
    """Append what is known of a call and was not yet told; its name comes first."""
    if call.started or call.name or ending:
        if not call.started:
            call.started = True
            out.append(ToolCallStart(call.number, call.id, call.name))
        while call.shown < len(call.parts):
            call.shown += 1
            out.append(ToolCallDelta(call.number, call.parts[call.shown - 1]))


def _index(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value[:9])
    return value if isinstance(value, int) else None


def _word(value: object) -> str:
    """Read an id or a name; some servers send numbers as ids."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else ""


def _arguments(value: object) -> str:
    """Read an argument fragment; a value that is no text is written as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise WireError(
            ErrorKind.PROTOCOL, "the model's tool arguments hold a number that is no JSON"
        ) from None

"""One output item of a response while it comes: its deltas, and the final item, which has the last word.

Each kind of item takes its deltas and then the whole item. What the whole item has more than the deltas gave is
told as one more delta, so that a server which sends items whole is read like one that streams.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, Protocol

from eukhe.wire.events import TextDelta, ThinkingDelta, ToolCallDelta, ToolCallStart
from eukhe.wire.payload import kept_text
from eukhe.wire.unicode import Joiner, encodable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.wire.assembly import Assembly, OpenCall, Run
    from eukhe.wire.events import Event

__all__ = ["CUSTOM", "CallItem", "Item", "KeptItem", "TextItem", "ThinkingItem", "opened", "word"]

#: What a call says of itself that was made with a tool that takes plain text.
CUSTOM: Final = "custom_tool_call"

_REASONING: Final = {"id": str, "summary": list, "content": list, "encrypted_content": str}
_JOINT: Final = "\n\n"


class Item(Protocol):
    """An item that is still coming."""

    def delta(self, kind: str, event: Mapping[str, object], out: list[Event], /) -> None:
        """Take an event of the item; `kind` is its type without `response.`."""

    def done(self, item: Mapping[str, object], out: list[Event], /) -> None:
        """Take the whole item; it can come more than once."""

    def close(self, out: list[Event], /) -> None:
        """Give out what is held back: half a character at the end of the text."""


def opened(item: Mapping[str, object], assembly: Assembly, *, after_text: bool) -> Item | None:
    """Begin an item.

    Args:
        item: The item as it is when it begins.
        assembly: Gets its block.
        after_text: Whether the item before it was text, from which more text is set apart.

    Returns:
        None for an item that is of no use here, such as the search of a hosted tool.
    """
    match item.get("type"):
        case "message":
            return TextItem(assembly.new_run(thinking=False), joined=after_text)
        case "reasoning":
            return ThinkingItem(assembly.new_run(thinking=True))
        case "function_call" | "custom_tool_call" as kind:
            return CallItem(assembly.new_call(), item, custom=kind == CUSTOM)
        case "compaction":
            return KeptItem(assembly.new_run(thinking=True))
    return None


class TextItem:
    """A message: text, or the words of a refusal."""

    def __init__(self, run: Run, *, joined: bool) -> None:
        self._run = run
        self._joiner = Joiner()
        self._came: list[str] = []
        self._joined = joined

    def delta(self, kind: str, event: Mapping[str, object], out: list[Event]) -> None:
        """Take an event of the item."""
        if kind in ("output_text.delta", "refusal.delta"):
            self._take(word(event.get("delta")), out)

    def done(self, item: Mapping[str, object], out: list[Event]) -> None:
        """Take the whole item."""
        parts = item.get("content")
        texts = (
            word(part.get("text")) or word(part.get("refusal"))
            for part in (parts if isinstance(parts, list) else ())
            if isinstance(part, dict)
        )
        self._take(_more("".join(texts), "".join(self._came)), out)
        known = {key: item[key] for key in ("id", "phase") if isinstance(item.get(key), str)}
        if self._joined and self._came:
            known["joined"] = True
        self._run.replay = json.dumps(known) if known else ""

    def close(self, out: list[Event]) -> None:
        """Give out what is held back."""
        if rest := self._joiner.rest():
            self._show(rest, out)

    def _take(self, piece: str, out: list[Event]) -> None:
        if not piece:
            return
        if self._joined and not self._came:
            self._show(_JOINT, out)
        self._came.append(piece)
        if text := self._joiner.take(piece):
            self._show(text, out)

    def _show(self, text: str, out: list[Event]) -> None:
        self._run.parts.append(text)
        out.append(TextDelta(text))


class ThinkingItem:
    """Reasoning: its summary in parts, or the raw text of an open model; whichever comes first is shown."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._joiner = Joiner()
        self._came: list[str] = []
        self._raw: bool | None = None
        self._item: dict[str, object] = {}

    def delta(self, kind: str, event: Mapping[str, object], out: list[Event]) -> None:
        """Take an event of the item."""
        match kind:
            case "reasoning_summary_part.added":
                if self._came and self._raw is False:
                    self._take(_JOINT, out, raw=False)
            case "reasoning_summary_text.delta":
                self._take(word(event.get("delta")), out, raw=False)
            case "reasoning_text.delta":
                self._take(word(event.get("delta")), out, raw=True)

    def done(self, item: Mapping[str, object], out: list[Event]) -> None:
        """Take the whole item; what a server put in its place is not kept as what was thought."""
        if item.get("type", "reasoning") != "reasoning":
            return
        came = "".join(self._came)
        for raw, key in ((False, "summary"), (True, "content")):
            if self._raw in (None, raw) and (whole := _texts(item.get(key))):
                self._take(_more(whole, came), out, raw=raw)
                break
        # Some servers give the encrypted content only in the last of an item's forms, some only in the first.
        self._item |= {
            key: item[key]
            for key, kind in _REASONING.items()
            if isinstance(item.get(key), kind) and item[key]
        }
        self._run.replay = kept_text({"type": "reasoning", "summary": [], **self._item})

    def close(self, out: list[Event]) -> None:
        """Give out what is held back."""
        if rest := self._joiner.rest():
            self._show(rest, out)

    def _take(self, piece: str, out: list[Event], *, raw: bool) -> None:
        if not piece or self._raw is (not raw):
            return
        self._raw = raw
        self._came.append(piece)
        if text := self._joiner.take(piece):
            self._show(text, out)

    def _show(self, text: str, out: list[Event]) -> None:
        self._run.parts.append(text)
        out.append(ThinkingDelta(text))


class CallItem:
    """A tool call; the arguments of the whole item count, whatever the deltas said.

    The plain text of a custom tool becomes its argument `input` when it is whole.
    """

    def __init__(self, call: OpenCall, item: Mapping[str, object], *, custom: bool) -> None:
        self._call = call
        self._custom = custom
        self._joiner = Joiner()
        self._came: list[str] = []
        if custom:
            call.replay = CUSTOM
        self._ids = "", ""
        self._name(item)

    def delta(self, kind: str, event: Mapping[str, object], out: list[Event]) -> None:
        """Take an event of the item."""
        match kind:
            case "function_call_arguments.delta" | "custom_tool_call_input.delta":
                self._take(word(event.get("delta")), out)
            case "function_call_arguments.done":
                self._whole(word(event.get("arguments")), out)
            case "custom_tool_call_input.done":
                self._whole(word(event.get("input")), out)

    def done(self, item: Mapping[str, object], out: list[Event]) -> None:
        """Take the whole item."""
        self._name(item)
        self.start(out)
        self._whole(word(item.get("input" if self._custom else "arguments")), out)

    def close(self, out: list[Event]) -> None:
        """Give out what is held back."""
        self.start(out)
        if rest := self._joiner.rest():
            self._show(rest, out)
        if self._custom:
            self._show(json.dumps({"input": self._call.text}, ensure_ascii=False), out, whole=True)

    def start(self, out: list[Event]) -> None:
        """Tell that the call began, once, and what came of its arguments before its name did."""
        if not self._call.started:
            self._call.started = True
            out.append(ToolCallStart(self._call.number, self._call.id, self._call.name))
            if not self._custom and (text := self._call.text):
                out.append(ToolCallDelta(self._call.number, text))

    def _name(self, item: Mapping[str, object]) -> None:
        """Both ids in one, so that they can be told apart again: that of the result and that of the item."""
        call_id, item_id = word(item.get("call_id")), word(item.get("id"))
        self._ids = call_id or self._ids[0], item_id or self._ids[1]
        self._call.id = "|".join(filter(None, self._ids)) if self._ids[0] else ""
        self._call.name = word(item.get("name")) or self._call.name

    def _whole(self, text: str, out: list[Event]) -> None:
        came = "".join(self._came)
        if not text or text == came:
            return
        if text.startswith(came):
            self._take(text[len(came) :], out)
            return
        # The deltas were wrong; they are told already, and what the call holds is put right.
        self._joiner = Joiner()
        self._came = [text]
        self._call.parts[:] = [encodable(text, instead="\ufffd")]

    def _take(self, piece: str, out: list[Event]) -> None:
        if not piece:
            return
        self._came.append(piece)
        if text := self._joiner.take(piece):
            if self._custom:
                self._call.parts.append(text)
            else:
                self._show(text, out)

    def _show(self, text: str, out: list[Event], *, whole: bool = False) -> None:
        if whole:
            self._call.parts.clear()
        self._call.parts.append(text)
        if self._call.started:
            out.append(ToolCallDelta(self._call.number, text))


class KeptItem:
    """An item that says nothing and goes back unchanged."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def delta(self, kind: str, event: Mapping[str, object], out: list[Event]) -> None:
        """Nothing of it is shown."""

    def done(self, item: Mapping[str, object], _: list[Event]) -> None:
        """Take the whole item."""
        self._run.replay = kept_text({**item, "type": "compaction"})

    def close(self, out: list[Event]) -> None:
        """Nothing of it is held back."""


def word(value: object) -> str:
    """Return a text; what is none is empty."""
    return value if isinstance(value, str) else ""


def _texts(parts: object) -> str:
    found = parts if isinstance(parts, list) else ()
    return _JOINT.join(word(part.get("text")) for part in found if isinstance(part, dict))


def _more(whole: str, came: str) -> str:
    """What the whole text has after what came; nothing where it is another text, since that is shown already."""
    return whole[len(came) :] if whole.startswith(came) else ""

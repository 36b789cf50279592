"""A row of a conversation in words: what was said, and what a list shows of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eukhe.agent.rows import transcript
from eukhe.agent.rows.context import COMPACTION, COMPACTION_END
from eukhe.agent.stored.digest import title_of
from eukhe.wire.messages import AssistantMessage, ToolResultMessage, UserMessage

if TYPE_CHECKING:
    from eukhe.session.nodes import Entry

TALK = (transcript.USER, transcript.ASSISTANT, transcript.ERROR, COMPACTION)
"""Kinds of rows that a short list shows."""


def text_of_row(row: Entry) -> str:
    """Everything in a row that a user can look for."""
    match transcript.from_entry(row):
        case UserMessage() as message:
            return message.text
        case AssistantMessage() as message:
            calls = (f"{call.name} {call.arguments}" for call in message.calls)
            return "\n".join(filter(None, (message.text, *calls)))
        case ToolResultMessage() as message:
            return message.text
    match row.kind:
        case _ if row.kind == COMPACTION:
            said = row.body.get("summary")
        case _ if row.kind == COMPACTION_END:
            said = " ".join(
                filter(None, map(str, (row.body.get("status"), row.body.get("error") or "")))
            )
        case _:
            said = row.body.get("message") or row.body.get("text") or row.body.get("error")
    return said if isinstance(said, str) else ""


def compacted(row: Entry) -> str:
    """From how many tokens to how many a compaction led, in words."""
    before, after = row.body.get("tokensBefore"), row.body.get("tokensAfter")
    if not isinstance(before, int) or not isinstance(after, int):
        return "compacted"
    return f"compacted from {before:,} to {after:,} tokens"


def describe(row: Entry) -> str:
    """A row in one short line."""
    match transcript.from_entry(row):
        case AssistantMessage() as message:
            calls = ", ".join(call.name for call in message.calls)
            marks = [f"[{calls}]"] if calls else []
            if not transcript.is_sent(message):
                marks.append(f"[{message.stop.value}]")
            return " ".join([title_of(message.text), *marks]).strip()
        case ToolResultMessage() as message:
            return f"{message.tool}: {title_of(message.text)}"
    if row.kind == COMPACTION:
        return f"[{compacted(row)}] {title_of(text_of_row(row))}"
    return title_of(text_of_row(row))

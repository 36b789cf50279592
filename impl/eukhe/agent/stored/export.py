"""A session as a document for others: Markdown and JSON; HTML is in `export_html`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from eukhe.agent.rows import transcript
from eukhe.agent.rows.context import COMPACTION
from eukhe.agent.rows.naming import name_of
from eukhe.agent.rows.record import agent_document, main_conversation
from eukhe.agent.rows.shown import compacted, text_of_row
from eukhe.session import nodes
from eukhe.session.fork import origin_of
from eukhe.session.nodes import Conversation, Document, Entry
from eukhe.session.tree import ROOT
from eukhe.wire.messages import (
    AssistantMessage,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)

if TYPE_CHECKING:
    from eukhe.session.store import Session
    from eukhe.session.tree import Json
    from eukhe.wire.messages import UserBlock

_WORDS = 10_000
"""Words of a JSON document that are written at once."""


def heading(session: Session) -> tuple[str, str]:
    """The title of a session's document, and a line that says what it is of."""
    agent = agent_document(session)
    parts = [f"session {session.id}"]
    if agent is not None:
        parts += [agent.model, agent.cwd]
    origin = origin_of(session)
    if origin is not None:
        parts.append(f"from session {origin[0]}")
    return name_of(session) or f"Session {session.id}", " · ".join(filter(None, parts))


def main_rows(session: Session) -> tuple[tuple[int, Entry], ...]:
    """The rows of the main conversation."""
    main = main_conversation(session)
    return () if main is None else session.entries(main)


def to_markdown(session: Session) -> Iterator[str]:
    """The main conversation in Markdown, piece by piece."""
    title, line = heading(session)
    yield f"# {title}\n\n{line}\n"
    for _, row in main_rows(session):
        match transcript.from_entry(row):
            case UserMessage() as message:
                yield "\n## User\n\n" + "\n\n".join(map(_user_block, message.content)) + "\n"
            case AssistantMessage() as message:
                yield "\n## Assistant\n"
                for block in message.content:
                    match block:
                        case TextBlock(text=text):
                            yield f"\n{text}\n"
                        case ThinkingBlock(text=text) if text:
                            yield f"\n{_quoted(text)}\n"
                        case ToolCall(name=name, arguments=arguments):
                            yield f"\nCalls `{name}`:\n\n{fenced(arguments, 'json')}\n"
                if not transcript.is_sent(message):
                    yield f"\n*The reply ended early: {message.stop.value}.*\n"
            case ToolResultMessage() as message:
                mark = " (failed)" if message.is_error else ""
                text = "\n".join(map(_user_block, message.content))
                yield f"\n### Result of `{message.tool}`{mark}\n\n{fenced(text)}\n"
            case None if row.kind == COMPACTION:
                yield f"\n## Summary of what is above\n\n*{compacted(row)}*\n\n{text_of_row(row)}\n"
            case None:
                if text := text_of_row(row):
                    yield f"\n*{row.kind}: {' '.join(text.split())}*\n"


def fenced(text: str, language: str = "") -> str:
    """A code block that no line of the text can close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _user_block(block: UserBlock) -> str:
    match block:
        case TextBlock(text=text):
            return text
        case ImageBlock(media_type=media_type):
            return f"[an image, {media_type}]"


def to_json(session: Session) -> Iterator[str]:
    """The whole session as JSON, piece by piece: all conversations with their rows and documents, and its own."""
    form: dict[str, Json] = {
        "session": session.id,
        "name": name_of(session) or None,
        "modified": session.modified,
        "main": main_conversation(session),
        "documents": _documents(session, ROOT),
        "conversations": [_conversation(session, one) for one in session.conversations()],
    }
    yield from json_pieces(form)


def json_pieces(form: Mapping[str, object]) -> Iterator[str]:
    """A JSON document with a line end, piece by piece: that of a long session takes more room than the session."""
    words = json.JSONEncoder(indent=2).iterencode(form)
    while piece := "".join(islice(words, _WORDS)):
        yield piece
    yield "\n"


def _conversation(session: Session, conversation: int) -> Mapping[str, Json]:
    node = session.tree.node(conversation)
    value = None if node is None else nodes.from_json(node.value)
    fork = value.fork if isinstance(value, Conversation) else None
    return {
        "id": conversation,
        "parent": None if node is None else node.parent,
        "forkedAfter": None if fork is None else fork.entry,
        "documents": _documents(session, conversation),
        "entries": [
            {"id": node_id, "kind": row.kind, "body": row.body}
            for node_id, row in session.entries(conversation)
        ],
    }


def _documents(session: Session, parent: int) -> Mapping[str, Json]:
    values = (nodes.from_json(node.value) for node in session.tree.children(parent))
    return {value.name: value.body for value in values if isinstance(value, Document)}

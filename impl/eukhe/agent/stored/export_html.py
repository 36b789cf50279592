"""A session as one HTML page that loads nothing and runs nothing."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from eukhe.agent.rows import transcript
from eukhe.agent.rows.context import COMPACTION
from eukhe.agent.rows.shown import compacted, text_of_row
from eukhe.agent.stored.export import heading, main_rows
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
    from collections.abc import Iterator

    from eukhe.session.nodes import Entry
    from eukhe.session.store import Session
    from eukhe.wire.messages import AssistantBlock, UserBlock

_STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; } .about { color: #666; margin-top: 0; overflow-wrap: anywhere; }
section { border-left: 3px solid #ccc; padding: .1rem 1rem; margin: 1rem 0; }
section.user { border-color: #36c; background: #f2f5fc; } section.error { border-color: #c33; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .9em; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; } .note { color: #a33; } img { max-width: 100%; }
@media (prefers-color-scheme: dark) {
  body { background: #111; color: #ddd; } section.user { background: #1a2030; }
}
"""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

_IMAGE = re.compile(r"image/(png|jpeg|gif|webp)")
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")


def to_html(session: Session) -> Iterator[str]:
    """The main conversation as a page, piece by piece. Everything that was said is text in it."""
    title, line = heading(session)
    yield (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n"
        f'<h1>{escape(title)}</h1>\n<p class="about">{escape(line)}</p>\n'
    )
    for node_id, row in main_rows(session):
        kind, body = _row(row)
        if body:
            yield f'<section class="{kind}" id="entry-{node_id}">\n{body}</section>\n'
    yield "</body>\n</html>\n"


def _row(row: Entry) -> tuple[str, str]:
    """The class of a row's section and what is in it; nothing for a row that has nothing to show."""
    match transcript.from_entry(row):
        case UserMessage() as message:
            return "user", "".join(map(_said, message.content))
        case AssistantMessage() as message:
            body = "".join(map(_reply, message.content))
            if not transcript.is_sent(message):
                body += f'<p class="note">The reply ended early: {message.stop.value}.</p>\n'
            return "assistant", body
        case ToolResultMessage() as message:
            mark = " (failed)" if message.is_error else ""
            body = "".join(map(_said, message.content))
            return "result", _details(f"Result of {message.tool}{mark}", body)
    text = text_of_row(row)
    if row.kind == COMPACTION:
        summary = f"Summary of what is above ({compacted(row)})"
        return "summary", _details(summary, f'<div class="text">{escape(text)}</div>\n')
    kind = "error" if row.kind == transcript.ERROR else "other"
    return kind, f'<p class="note">{escape(row.kind)}: {escape(text)}</p>\n' if text else ""


def _reply(block: AssistantBlock) -> str:
    match block:
        case TextBlock(text=text):
            return f'<div class="text">{escape(text)}</div>\n'
        case ThinkingBlock(text=text):
            return _details("Thinking", f'<div class="text">{escape(text)}</div>\n') if text else ""
        case ToolCall(name=name, arguments=arguments):
            return _details(f"Calls {name}", f"<pre>{escape(arguments)}</pre>\n")


def _said(block: UserBlock) -> str:
    match block:
        case TextBlock(text=text):
            return f'<div class="text">{escape(text)}</div>\n'
        case ImageBlock(data=data, media_type=media_type):
            if _IMAGE.fullmatch(media_type) and _BASE64.fullmatch(data):
                return f'<img alt="an image" src="data:{media_type};base64,{data}">\n'
            return f'<p class="note">an image, {escape(media_type)}</p>\n'


def _details(summary: str, body: str) -> str:
    return f"<details>\n<summary>{escape(summary)}</summary>\n{body}</details>\n"

"""Anthropic's cache marks on Chat Completions, for hosts that pass them through (S6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["mark"]

Fields: TypeAlias = "dict[str, object]"


def mark(messages: Sequence[Fields], tools: Sequence[Fields], *, hour: bool) -> None:
    """Mark the system text, the last tool and the last text of the conversation.

    Args:
        messages: The messages of the request; the content of a marked one becomes a list of parts.
        tools: The tools of the request.
        hour: Whether the cache is to be kept for an hour.
    """
    seal: Fields = {"type": "ephemeral", "ttl": "1h"} if hour else {"type": "ephemeral"}
    talk = [message for message in messages if message["role"] not in ("system", "developer")]
    first = [message for message in messages[:1] if message not in talk]
    for place in (first, talk[::-1]):
        for message in place:
            if _marked(message, seal):
                break
    if tools:
        tools[-1]["cache_control"] = seal


def _marked(message: Fields, seal: Fields) -> bool:
    """Mark the last text of a message; False when it has none."""
    content = message.get("content")
    if isinstance(content, str) and content:
        message["content"] = [{"type": "text", "text": content, "cache_control": seal}]
        return True
    for part in reversed(content) if isinstance(content, list) else ():
        if part.get("type") == "text":
            part["cache_control"] = seal
            return True
    return False

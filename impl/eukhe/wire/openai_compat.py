"""What differs between servers of Chat Completions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from eukhe.wire.affinity import Affinity

__all__ = ["Compat"]


@dataclass(frozen=True, slots=True)
class Compat:
    """What differs between servers. It is data of the model's host, found by whoever builds the request.

    Attributes:
        max_tokens_field: The field of the reply's token limit. Servers other than OpenAI know `max_tokens`.
        system_role: The role of instructions.
        usage_in_stream: Whether to ask for token counts in the stream (`stream_options`).
        empty_tools: Whether to send `tools: []` when the history has calls and no tool is offered now.
        name_in_result: Whether a tool message bears the tool's name.
        thinking_replay: Whether thinking goes back in the field it came in.
        thinking_as_text: Whether thinking goes back as text before the text instead.
        reasoning_content: Whether every reply that goes back must have `reasoning_content`, empty or not.
        assistant_after_result: Whether a user message may not follow a tool message at once.
        needs_finish: Whether a stream without a finish reason is cut off.
        strict: Whether the server takes strict tool schemas.
        strict_cap: How many of them; None for any number.
        forced_choice: Whether the model takes a forced tool choice.
        named_choice: Whether the server takes a tool choice by name.
        cache_marks: Whether the host passes Anthropic's cache marks through (S6.2).
        cache_key: Whether the server finds the cache of a session by a key.
        long_cache: Whether the server can be asked to keep the cache for longer.
        affinity: How the host wants to be told the session.
        copilot: Whether the host is GitHub Copilot, which wants headers of its own.
    """

    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    system_role: Literal["system", "developer"] = "system"
    usage_in_stream: bool = True
    empty_tools: bool = False
    name_in_result: bool = False
    thinking_replay: bool = True
    thinking_as_text: bool = False
    reasoning_content: bool = False
    assistant_after_result: bool = False
    needs_finish: bool = True
    strict: bool = False
    strict_cap: int | None = None
    forced_choice: bool = True
    named_choice: bool = True
    cache_marks: bool = False
    cache_key: bool = False
    long_cache: bool = False
    affinity: Affinity = ""
    copilot: bool = False

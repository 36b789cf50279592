"""The request body of Chat Completions: the conversation and the options, in the form that strict servers take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from eukhe.wire.affinity import cache_key
from eukhe.wire.chat_form import tool_fields
from eukhe.wire.history import origin_of
from eukhe.wire.messages import AssistantMessage
from eukhe.wire.openai_marks import mark
from eukhe.wire.openai_messages import messages_of
from eukhe.wire.payload import body_bytes
from eukhe.wire.strict_tools import OPENAI_SUBSET, strict_plan

if TYPE_CHECKING:
    from eukhe.wire.affinity import Affinity
    from eukhe.wire.messages import ToolSpec
    from eukhe.wire.request import Request
    from eukhe.wire.strict_tools import Strict

__all__ = ["API", "Compat", "body"]

API = "openai-completions"


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


def body(request: Request, compat: Compat) -> bytes:
    """Return the request body: UTF-8 JSON, its keys always in the same order, so that prompt caches hit.

    Raises:
        WireError: `INVALID_REQUEST`: a value that JSON cannot carry, for example an infinite temperature, or a
            tool that cannot be strict as it must.
    """
    options = request.options
    messages = list(messages_of(request.messages, origin_of(request, API), compat))
    plans = strict_plan(request, compat, OPENAI_SUBSET)
    tools = [_tool(tool, strict) for tool, strict in zip(request.tools, plans, strict=True)]
    long = compat.long_cache and options.cache == "long"
    if compat.cache_marks and options.cache != "none":
        mark(messages, tools, hour=long)
    fields: dict[str, object] = {"model": request.model, "messages": messages, "stream": True}
    if compat.usage_in_stream:
        fields["stream_options"] = {"include_usage": True}
    if tools:
        fields |= tool_fields(request, tools, compat)
    elif compat.empty_tools and any(
        m.calls for m in request.messages if isinstance(m, AssistantMessage)
    ):
        fields["tools"] = []
    optional = {
        compat.max_tokens_field: options.max_tokens,
        "temperature": options.temperature,
        "top_p": options.top_p,
        "stop": list(options.stop) or None,
        "seed": options.seed,
        "reasoning_effort": options.reasoning_effort,
        "prompt_cache_key": cache_key(request) if compat.cache_key else None,
        "prompt_cache_retention": "24h" if compat.cache_key and long else None,
    }
    return body_bytes(fields, optional, options.extra)


def _tool(tool: ToolSpec, strict: Strict | None) -> dict[str, object]:
    schema = tool.schema if strict is None else strict.schema
    function: dict[str, object] = {
        "name": tool.name,
        "description": tool.description,
        "parameters": schema,
    }
    if strict is not None:
        function["strict"] = True
    return {"type": "function", "function": function}

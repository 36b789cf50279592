"""The request body of Chat Completions: the conversation and the options, in the form that strict servers take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eukhe.wire.affinity import cache_key
from eukhe.wire.chat_form import tool_fields
from eukhe.wire.history import origin_of
from eukhe.wire.messages import AssistantMessage
from eukhe.wire.openai_marks import mark
from eukhe.wire.openai_messages import messages_of
from eukhe.wire.payload import body_bytes
from eukhe.wire.strict_tools import OPENAI_SUBSET, strict_plan

if TYPE_CHECKING:
    from eukhe.wire.messages import ToolSpec
    from eukhe.wire.openai_compat import Compat
    from eukhe.wire.request import Request
    from eukhe.wire.strict_tools import Strict

__all__ = ["API", "body"]

API = "openai-completions"


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

"""What a wire API is asked to send: the conversation, the model, the address and the settings of one request.

    async with aclosing(stream(request)) as events:
        async for event in events:
            ...

Every wire API module has `stream(request, client=None) -> AsyncGenerator[Event, None]`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.wire.messages import Message, ToolSpec

__all__ = ["Limits", "Options", "Request", "Timeouts"]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long to wait, in seconds; `None` waits without end.

    Attributes:
        connect: For the connection, TLS included.
        read: For the next bytes: before the first one and between any two. Keep-alive comments count as bytes.
        write: For the server to take the request.
        error: For the whole body of a refusal, whose status is known by then.
    """

    connect: float | None = 15.0
    read: float | None = 300.0
    write: float | None = 60.0
    error: float | None = 10.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a reply is held at once, in bytes; more is a `PROTOCOL` error.

    Attributes:
        event: One event of a stream.
        body: One reply that is not a stream.
        reply: One stream in all, framing included; only a model that never ends sends as much.
        error: An error body; the rest of a longer one is not read.
    """

    event: int = 8 * 1024 * 1024
    body: int = 32 * 1024 * 1024
    reply: int = 128 * 1024 * 1024
    error: int = 256 * 1024


@dataclass(frozen=True, slots=True)
class Options:
    """What the model is asked to do; `None` leaves the server's default.

    Attributes:
        max_tokens: The most tokens of the reply.
        temperature: The sampling temperature.
        top_p: The nucleus.
        stop: Texts that end the reply.
        seed: The sampling seed.
        reasoning_effort: The effort word that goes on the wire (S10), already looked up.
        tool_choice: `auto`, `none`, `required`, or the name of a tool as `tool:NAME`.
        parallel_tool_calls: Whether several calls may come in one reply.
        cache: How long the server shall keep the prompt in its cache, where a request can say so.
        session: A name that stays the same through a session, by which some servers find its cache, or empty.
        extra: Fields that are put at the top of the body as they are; they win over all others.
    """

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    reasoning_effort: str | None = None
    tool_choice: str | None = None
    parallel_tool_calls: bool | None = None
    cache: Literal["none", "short", "long"] = "short"
    session: str = ""
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """One request to one model.

    Attributes:
        base_url: The address that the API's path is added to, for example `http://127.0.0.1:8080/v1`.
        model: The model id, sent as it is and never looked into.
        messages: The conversation.
        tools: The tools on offer, in a stable order (prompt caches compare bytes).
        api_key: The key, or empty for none. It is sent in a header and shown nowhere.
        provider: The provider's name in the settings; it only marks the reply's origin.
        options: What the model is asked to do.
        headers: Headers beside the API's own; they may hold secrets and are shown nowhere.
        timeouts: How long to wait.
        limits: How much to hold.
    """

    base_url: str
    model: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    api_key: str = field(default="", repr=False)
    provider: str = ""
    options: Options = Options()
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeouts: Timeouts = Timeouts()
    limits: Limits = Limits()

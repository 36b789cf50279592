"""What the tests of this folder share: ask a scripted server, or read bytes that are cut as a test says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from eukhe.wire.errors import WireError
from eukhe.wire.events import Done, Event, Failed
from eukhe.wire.messages import AssistantMessage, Message, Origin, ToolSpec, UserMessage
from eukhe.wire.openai_chunks import ChunkReader
from eukhe.wire.openai_completions import Compat, stream
from eukhe.wire.request import Request, Timeouts
from eukhe.wire.sse import SseEvent, SseReader
from tests.servers.api import CHAT
from tests.servers.chat import Recorded, Reply
from tests.wire import asking

KEY = "sk-very-secret-key"
QUICK = Timeouts(connect=2.0, read=0.3, write=2.0)
HELLO: tuple[Message, ...] = (UserMessage.of("hello"),)


def asked(
    *messages: Message,
    tools: Sequence[ToolSpec] = (),
    base_url: str = "http://127.0.0.1:1",
    **more: Any,
) -> Request:
    """A request of the key `KEY`; it says hello where it is given nothing to say."""
    return Request(base_url, "m", messages or HELLO, tuple(tools), KEY, **more)


def collect(request: Request, compat: Compat | None = None) -> list[Event]:
    """Run one request to its end."""
    return asking.heard(stream(request, None, compat or Compat()))


def ask(
    reply: Reply,
    *,
    messages: tuple[Message, ...] = HELLO,
    compat: Compat | None = None,
    **more: Any,
) -> list[Event]:
    """Ask a server that gives one reply; `more` is of the request."""
    asking_it = partial(stream, compat=compat or Compat())
    return asking.ask(asking_it, reply, CHAT, asked(*messages, **more))


def recorded(request: Request, compat: Compat | None = None) -> Recorded:
    """Return what a server got for `request` (its base URL is replaced), and check that it was well-formed."""
    asking_it = partial(stream, compat=compat or Compat())
    return asking.recorded(asking_it, Reply(text="ok"), CHAT, request)


def message(events: Sequence[Event]) -> AssistantMessage:
    """Return the reply that the events end with."""
    last = events[-1]
    assert isinstance(last, Done), last
    return last.message


def failure(events: Sequence[Event]) -> WireError:
    """Return the error that the events end with."""
    last = events[-1]
    assert isinstance(last, Failed), last
    return last.error


def cut(body: bytes, places: Iterable[int]) -> list[bytes]:
    """Cut `body` at `places`; pieces may be empty."""
    ends = sorted(min(place, len(body)) for place in places)
    return [body[start:end] for start, end in zip([0, *ends], [*ends, len(body)], strict=True)]


def sse(pieces: Iterable[bytes], limit: int = 1 << 20) -> tuple[list[SseEvent], str]:
    """Read a whole event stream; the text is the error's, or empty."""
    reader, out = SseReader(limit), list[SseEvent]()
    try:
        for piece in pieces:
            reader.feed(piece, out)
        reader.close(out)
    except WireError as error:
        return out, error.message
    return out, ""


def read(pieces: Iterable[bytes], *, needs_finish: bool = True) -> tuple[list[Event], str]:
    """Read a whole reply without a socket; the text is the error's, or empty."""
    return asking.read(ChunkReader(Origin(), needs_finish=needs_finish), pieces)

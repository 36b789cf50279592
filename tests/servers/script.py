"""A script: what the chat server answers, one `Reply` a request, in a plain form that is also its JSON form.

[{"thinking": "Let me look.", "calls": [{"name": "bash", "arguments": {"command": "ls -l"}}]},
 {"text": "b.txt is the largest.", "usage": [120, 7]},
 {"status": 429, "headers": {"Retry-After": "1"}, "json": {"error": {"message": "slow down"}}}]
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

End = Literal["whole", "cut", "reset", "hang"]
Framing = Literal["chunked", "length", "close"]


@dataclass(frozen=True)
class Call:
    """A tool call of a reply.

    Attributes:
        name: The tool.
        arguments: An object, or the raw text.
        id: The id; the server makes one from the position when it is `None`, and leaves it out when it is empty.
        split: Characters of argument text a delta; 0 for all in one.
    """

    name: str
    arguments: Mapping[str, Any] | str
    id: str | None = None
    split: int = 0

    @property
    def text(self) -> str:
        """The raw argument text."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True)
class Reply:
    """One answer of the server.

    Attributes:
        text: The text; a list is one delta an item.
        thinking: The thinking, likewise.
        thinking_field: The field the thinking comes in.
        calls: Tool calls, after the text.
        finish: The finish reason; `None` for the one that fits; empty for none at all.
        usage: Prompt and completion tokens, sent in the last chunk; `None` for no usage.
        done: Whether `[DONE]` ends the stream.
        chunks: Chunk objects in place of all of the above (a string goes out as it is after `data: `).
        raw: The body as it is, in place of all of the above.
        parts: The body as it is, likewise, each item one write.
        json: A JSON body, in place of all of the above; the content type becomes JSON.
        status: The HTTP status.
        headers: More headers; they win over the server's own.
        content_type: The content type.
        framing: How the body is delimited.
        wait: Seconds before the first byte of the head.
        delay: Seconds between two writes.
        piece: Bytes a write; 0 for one event a write (or the whole body).
        sent: Bytes of the body that are sent before `end` happens; `None` for all, -1 for not even the head.
        end: What happens then: the body ends as it should, the connection closes, is reset, or goes silent.
    """

    text: str | Sequence[str] = ""
    thinking: str | Sequence[str] = ""
    thinking_field: str = "reasoning_content"
    calls: Sequence[Call] = ()
    finish: str | None = None
    usage: tuple[int, int] | None = (10, 5)
    done: bool = True
    chunks: Sequence[Mapping[str, Any] | str] | None = None
    raw: bytes | None = None
    parts: Sequence[bytes] | None = None
    json: object = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "text/event-stream"
    framing: Framing = "chunked"
    wait: float = 0.0
    delay: float = 0.0
    piece: int = 0
    sent: int | None = None
    end: End = "whole"

    @classmethod
    def read(cls, value: Mapping[str, Any]) -> Reply:
        """Read the JSON form.

        Raises:
            ValueError: A key that no reply has.
        """
        known = {item.name for item in fields(cls)}
        if unknown := set(value) - known:
            raise ValueError(
                f"a reply has no {', '.join(sorted(unknown))}; it has {', '.join(sorted(known))}"
            )
        values = dict(value)
        if "calls" in values:
            values["calls"] = tuple(Call(**call) for call in values["calls"])
        if isinstance(values.get("raw"), str):
            values["raw"] = values["raw"].encode()
        if "parts" in values:
            values["parts"] = tuple(part.encode() for part in values["parts"])
        if values.get("usage") is not None and "usage" in values:
            values["usage"] = tuple(values["usage"])
        return cls(**values)

    def body(self, model: str) -> Iterator[bytes]:
        """Yield the body, one event (or the whole) at a time."""
        if self.raw is not None:
            yield self.raw
        elif self.parts is not None:
            yield from self.parts
        elif self.json is not None:
            yield json.dumps(self.json).encode()
        else:
            for chunk in self._chunks(model) if self.chunks is None else self.chunks:
                yield b"data: " + _encoded(chunk) + b"\n\n"
            if self.done:
                yield b"data: [DONE]\n\n"

    def writes(self, model: str) -> Iterator[bytes]:
        """Yield the body as it is written: `piece` bytes at a time, up to `sent` bytes."""
        if not self.piece and self.sent is None:
            yield from self.body(model)
            return
        body = b"".join(self.body(model))[: self.sent]
        step = self.piece or len(body) or 1
        for at in range(0, len(body), step):
            yield body[at : at + step]

    def _chunks(self, model: str) -> Iterator[Mapping[str, Any]]:
        def chunk(delta: Mapping[str, Any], finish: str | None = None) -> Mapping[str, Any]:
            return envelope(model, [{"index": 0, "delta": delta, "finish_reason": finish}])

        yield chunk({"role": "assistant", "content": ""})
        for piece in _pieces(self.thinking):
            yield chunk({self.thinking_field: piece})
        for piece in _pieces(self.text):
            yield chunk({"content": piece})
        for index, call in enumerate(self.calls):
            head: dict[str, Any] = {"index": index, "type": "function"}
            if call.id != "":
                head["id"] = call.id if call.id is not None else f"call_{index}"
            step = call.split or len(call.text) or 1
            parts = [call.text[at : at + step] for at in range(0, len(call.text), step)] or [""]
            yield chunk(
                {"tool_calls": [{**head, "function": {"name": call.name, "arguments": parts[0]}}]}
            )
            for part in parts[1:]:
                yield chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
        finish = self.finish if self.finish is not None else "tool_calls" if self.calls else "stop"
        if finish:
            yield chunk({}, finish)
        if self.usage is not None:
            prompt, completion = self.usage
            yield envelope(
                model,
                [],
                usage={
                    "prompt_tokens": prompt,
                    "completion_tokens": completion,
                    "total_tokens": prompt + completion,
                },
            )


@dataclass(frozen=True)
class Script:
    """What a server does.

    Attributes:
        replies: The answers, in order.
        repeat_last: Whether the last answer serves every later request; else those get a 500.
        key: The key that a request must bear; `None` takes any request.
        title: The answer to a request for a session's title; `None` never answers it.
    """

    replies: Sequence[Reply]
    repeat_last: bool = False
    key: str | None = None
    title: Reply | None = None

    @classmethod
    def read(cls, path: Path) -> Script:
        """Read a script file: a list of replies, or an object with `replies` and the other fields."""
        value = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(value, list):
            value = {"replies": value}
        replies = tuple(Reply.read(item) for item in value.pop("replies"))
        if value.get("title") is not None:
            value["title"] = Reply.read(value["title"])
        return cls(replies, **value)


def envelope(model: str, choices: Sequence[Mapping[str, Any]], **more: object) -> Mapping[str, Any]:
    """Make one chunk object."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": model,
        "choices": choices,
        **more,
    }


def delta(value: Mapping[str, Any], finish: str | None = None, **more: object) -> Mapping[str, Any]:
    """Make one chunk object of a single delta, for `Reply.chunks`."""
    return envelope("m", [{"index": 0, "delta": value, "finish_reason": finish}], **more)


def _encoded(chunk: Mapping[str, Any] | str) -> bytes:
    if isinstance(chunk, str):
        return chunk.encode()
    try:
        return json.dumps(chunk, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(chunk).encode()  # half a character can only be spelled as an escape


def _pieces(text: str | Sequence[str]) -> Sequence[str]:
    if isinstance(text, str):
        return (text,) if text else ()
    return text

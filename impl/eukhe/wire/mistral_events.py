"""Chunks of Mistral's chat, put into the form of Chat Completions and read as those."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eukhe.wire.openai_chunks import ChunkReader
from eukhe.wire.payload import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eukhe.wire.events import Event

__all__ = ["MistralReader"]


class MistralReader(ChunkReader):
    """Reads the stream of one reply, as `ChunkReader` does.

    Thinking comes as chunks among the content. Each becomes a piece of `reasoning_details`, so that its signature
    is kept for the replay; a chunk that says that it is closed ends its block of thinking.
    """

    _block = 0

    def take(self, chunk: Mapping[str, object], out: list[Event], *, damaged: bool = False) -> None:
        """Take one chunk object, or a whole reply that was not streamed.

        Args:
            chunk: The object.
            out: Gets what it says.
            damaged: Whether bytes of it were not UTF-8.

        Raises:
            WireError: An error that the server put into the stream.
        """
        for one in self._plain(chunk):
            super().take(one, out, damaged=damaged)

    def _plain(self, chunk: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
        """The chunk as one or more of Chat Completions, a content chunk each, the rest in the last."""
        choices, usage = chunk.get("choices"), chunk.get("usage")
        plain = {**chunk, "usage": _usage(usage)} if isinstance(usage, dict) else dict(chunk)
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict) or choice.get("index"):
            yield plain
            return
        key = "delta" if "delta" in choice else "message"
        delta = choice.get(key)
        rest = dict(delta) if isinstance(delta, dict) else {}
        if isinstance(content := rest.get("content"), list):
            del rest["content"]
            for piece in self._pieces(content):
                yield {**_head(chunk), "choices": [{"index": 0, "delta": piece}]}
        elif content:
            self._block += 1
        if isinstance(calls := rest.get("tool_calls"), list):
            rest["tool_calls"] = [_call(call) for call in calls if isinstance(call, dict)]
        finish = choice.get("finish_reason")
        last = {
            **choice,
            key: rest,
            "finish_reason": "length" if finish == "model_length" else finish,
        }
        yield {**plain, "choices": [last]}

    def _pieces(self, content: list[object]) -> Iterator[Mapping[str, object]]:
        for part in content:
            if isinstance(part, str):
                yield {"content": part}
            elif isinstance(part, dict) and part.get("type") == "thinking":
                detail = {"type": "reasoning.text", "index": self._block, "text": _text(part)}
                if isinstance(signature := part.get("signature"), str):
                    detail["signature"] = signature
                yield {"reasoning_details": [detail]}
                if part.get("closed") is True:
                    self._block += 1
            elif isinstance(part, dict) and isinstance(text := part.get("text"), str):
                self._block += 1
                yield {"content": text}


def _head(chunk: Mapping[str, object]) -> dict[str, object]:
    return {key: chunk[key] for key in ("id", "model") if key in chunk}


def _text(part: Mapping[str, object]) -> str:
    """The text of a thinking chunk, which is a text or a list of text chunks."""
    thought = part.get("thinking")
    if isinstance(thought, str):
        return thought
    found = thought if isinstance(thought, list) else ()
    texts = (one.get("text") for one in found if isinstance(one, dict))
    return "".join(text for text in texts if isinstance(text, str))


def _call(call: Mapping[str, object]) -> Mapping[str, object]:
    """A piece of a call; the id `null` is what the server says for none."""
    return {**call, "id": ""} if call.get("id") == "null" else call


def _usage(usage: Mapping[str, object]) -> Mapping[str, object]:
    """The counts with the cached ones where Chat Completions has them, however they are spelled."""
    cached = count(usage.get("num_cached_tokens"))
    for key in ("prompt_token_details", "prompt_tokens_details"):
        details = usage.get(key)
        if isinstance(details, dict):
            cached = count(details.get("cached_tokens")) or cached
    return {**usage, "prompt_tokens_details": {"cached_tokens": cached}}

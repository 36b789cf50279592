"""The operation `compact` (S6.7): a conversation as something short that the same provider can go on from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eukhe.wire.capabilities import conversation
from eukhe.wire.capabilities.reading import malformed, object_at, objects, text, whole
from eukhe.wire.capabilities.site import chosen, operation, post
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.http import endpoint
from eukhe.wire.messages import SystemMessage, Usage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    import httpx

    from eukhe.wire.capabilities.site import Site
    from eukhe.wire.messages import Message

    Item = Mapping[str, object]

__all__ = ["COMPACT", "Compact", "Compacted", "compact"]

_WHAT: Final = "a compacted conversation"
_MARK: Final = "compaction"


@dataclass(frozen=True, slots=True)
class Compact:
    """What to compact.

    Attributes:
        model: The model that compacts it, and that goes on from it.
        messages: The conversation.
        start: The items of an earlier compaction, which the conversation goes on from.
        cache_key: The key of the prompt cache; empty for none.
        provider: The provider's name in the settings: the thinking of its own earlier replies is compacted too.
    """

    model: str
    messages: tuple[Message, ...]
    start: tuple[Item, ...] = ()
    cache_key: str = ""
    provider: str = ""


@dataclass(frozen=True, slots=True)
class Compacted:
    """A compacted conversation.

    Attributes:
        items: The start of every later input, to be sent unchanged and to the same provider only; one of them
            is encrypted.
        id: The provider's id of the compaction; empty for none.
        usage: The tokens that it took; `None` where the server does not tell.
    """

    items: tuple[Item, ...]
    id: str = ""
    usage: Usage | None = None


if TYPE_CHECKING:
    Client = httpx.AsyncClient | None
    Compacting = Callable[[Site, Compact, Client], Awaitable[Compacted]]


async def compact(dialect: str, site: Site, what: Compact, client: Client = None) -> Compacted:
    """Have the provider compact a conversation.

    Args:
        dialect: One of the dialects of `COMPACT`.
        site: Where to ask; its read timeout is how long the compaction may take.
        what: What to compact.
        client: The client to use; `None` opens one.

    Raises:
        WireError: It failed, there is nothing to compact, or no compaction came.
    """
    compacting = chosen(COMPACT, dialect)
    async with operation(site, what.model):
        return await compacting(site, what, client)


async def _openai(site: Site, what: Compact, client: Client) -> Compacted:
    # The instructions are sent with every request; as an item they would become a part of what is compacted.
    system = [one.text for one in what.messages if isinstance(one, SystemMessage) and one.text]
    rest = [one for one in what.messages if not isinstance(one, SystemMessage)]
    body = conversation.responses(conversation.Talk(what.model, rest, provider=what.provider))
    body["input"] = [*what.start, *objects(body, "input")]
    if not body["input"]:
        raise WireError(ErrorKind.INVALID_REQUEST, "there is nothing to compact")
    if system:
        body["instructions"] = "\n\n".join(system)
    if what.cache_key:
        body["prompt_cache_key"] = what.cache_key
    url = endpoint(site.base_url, "/responses/compact")
    document = await post(site, url, body, _WHAT, client)
    output = objects(document, "output")
    marks = [item for item in output if item.get("type") == _MARK]
    if len(marks) != 1 or not text(marks[0], "encrypted_content"):
        raise malformed(_WHAT)  # without the one item that holds it the conversation would be lost
    return Compacted(tuple(output), text(document, "id"), _usage(document))


def _usage(document: Item) -> Usage | None:
    row = object_at(document, "usage")
    if not row:
        return None
    cached = whole(object_at(row, "input_tokens_details"), "cached_tokens") or 0
    given = whole(row, "input_tokens") or 0
    thought = whole(object_at(row, "output_tokens_details"), "reasoning_tokens") or 0
    output = whole(row, "output_tokens") or 0
    return Usage(max(0, given - cached), output, cached, reasoning=thought)


#: The implementations, by dialect.
COMPACT: Final[Mapping[str, Compacting]] = {"openai": _openai}

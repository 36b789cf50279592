"""The operation `tokenize` (S6.7): a text as the model's tokens, without running the model."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eukhe.wire.capabilities.reading import malformed, objects, texts, whole
from eukhe.wire.capabilities.site import (
    Auth,
    chosen,
    google_model,
    operation,
    post,
    root_url,
)
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.http import endpoint

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    import httpx

    from eukhe.wire.capabilities.site import Site

__all__ = ["TOKENIZE", "Tokenize", "Tokens", "tokenize"]

_WHAT: Final = "tokens"


@dataclass(frozen=True, slots=True)
class Tokenize:
    """What to tokenize.

    Attributes:
        model: The model.
        text: The text.
        special: Whether to add the tokens that the model's format puts around a text.
    """

    model: str
    text: str
    special: bool = False


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens.

    Attributes:
        ids: Their ids, in the order of the text.
        pieces: The bytes that each stands for; empty where the server does not tell. A token may end within a
            character.
    """

    ids: tuple[int, ...]
    pieces: tuple[bytes, ...] = ()


if TYPE_CHECKING:
    Client = httpx.AsyncClient | None
    Tokenizing = Callable[[Site, Tokenize, Client], Awaitable[Tokens]]


async def tokenize(dialect: str, site: Site, what: Tokenize, client: Client = None) -> Tokens:
    """Tokenize a text.

    Args:
        dialect: One of the dialects of `TOKENIZE`.
        site: Where to ask.
        what: What to tokenize.
        client: The client to use; `None` opens one.

    Raises:
        WireError: It failed, or the reply holds no tokens.
    """
    tokenizing = chosen(TOKENIZE, dialect)
    async with operation(site, what.model):
        return await tokenizing(site, what, client)


def _ids(values: object) -> tuple[int, ...]:
    """Read a list of ids, every one of which has to be a whole number."""
    if not isinstance(values, list):
        raise malformed(_WHAT)
    found = [whole({"id": value}, "id") for value in values]
    ids = tuple(one for one in found if one is not None)
    if len(ids) != len(found):
        raise malformed(_WHAT)
    return ids


async def _llama_cpp(site: Site, what: Tokenize, client: Client) -> Tokens:
    body = {
        "model": what.model,  # only a router looks at it
        "content": what.text,
        "add_special": what.special,
        "with_pieces": True,
    }
    document = await post(site, root_url(site, "/tokenize"), body, _WHAT, client)
    rows = document.get("tokens")
    if not isinstance(rows, list):
        raise malformed(_WHAT)
    if not all(isinstance(row, dict) for row in rows):
        return Tokens(_ids(rows))  # an older build, which knows no pieces
    return Tokens(
        _ids([row.get("id") for row in rows]), tuple(_piece(row.get("piece")) for row in rows)
    )


def _piece(value: object) -> bytes:
    """Read a piece: a text, or its bytes as numbers where they are no text."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace")
    try:
        return bytes(_ids(value))
    except ValueError:
        raise malformed(_WHAT) from None


async def _vllm(site: Site, what: Tokenize, client: Client) -> Tokens:
    body = {"model": what.model, "prompt": what.text, "add_special_tokens": what.special}
    document = await post(site, root_url(site, "/tokenize"), body, _WHAT, client)
    ids = _ids(document.get("tokens"))
    if whole(document, "count") not in (None, len(ids)):
        raise malformed(_WHAT)
    return Tokens(ids)


async def _vertex(site: Site, what: Tokenize, client: Client) -> Tokens:
    if what.special:
        raise WireError(
            ErrorKind.INVALID_REQUEST, "this provider does not show the tokens around a text"
        )
    url = endpoint(site.base_url, f"/{google_model(what.model)}:computeTokens")
    body = {"contents": [{"role": "user", "parts": [{"text": what.text}]}]}
    document = await post(site, url, body, _WHAT, client, auth=Auth.GOOGLE)
    rows = objects(document, "tokensInfo")
    if not rows:
        raise malformed(_WHAT)
    ids = [_spelled(one) for row in rows for one in texts(row, "tokenIds")]
    pieces = [_decoded(one) for row in rows for one in texts(row, "tokens")]
    if len(ids) != len(pieces):
        raise malformed(_WHAT)
    return Tokens(tuple(ids), tuple(pieces))


def _spelled(number: str) -> int:
    """Read an id, which is a 64-bit number and so a text in this JSON."""
    if not (number.isascii() and number.isdigit() and len(number) <= 19):
        raise malformed(_WHAT)
    return int(number)


def _decoded(piece: str) -> bytes:
    try:
        return base64.b64decode(piece, validate=True)
    except (binascii.Error, ValueError):
        raise malformed(_WHAT) from None


#: The implementations, by dialect.
TOKENIZE: Final[Mapping[str, Tokenizing]] = {
    "llama-cpp": _llama_cpp,
    "vllm": _vllm,
    "vertex": _vertex,
}

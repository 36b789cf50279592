"""The operation `embed` (S6.7): texts to vectors.

found = await embed("openai", site, Embed("text-embedding-3-small", ("one", "two")))
found.vectors[1]  # of "two"
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from eukhe.wire.capabilities.reading import malformed, object_at, objects, text, whole
from eukhe.wire.capabilities.site import (
    Auth,
    chosen,
    google_model,
    operation,
    post,
    root_url,
    v1_url,
)
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.http import endpoint

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    import httpx

    from eukhe.wire.capabilities.site import Site

__all__ = ["EMBED", "Embed", "Embeddings", "embed"]

_WHAT: Final = "embeddings"
_FLOAT: Final = 4  # bytes


@dataclass(frozen=True, slots=True)
class Embed:
    """What to embed.

    Attributes:
        model: The embedding model.
        texts: The texts; at least one.
        dimensions: The length of the vectors, for models that can shorten them; `None` for the model's own.
        task: What they are for, in the provider's word (`RETRIEVAL_QUERY` for Google); empty for nothing.
        compact: Whether to ask for base64 in place of decimal numbers: a third of the bytes, where the server
            knows it. A reply in base64 is read either way.
    """

    model: str
    texts: tuple[str, ...]
    dimensions: int | None = None
    task: str = ""
    compact: bool = False


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Vectors.

    Attributes:
        vectors: One a text, in the order of the texts, all of one length.
        model: The model that the server names, or the one that was asked for.
        tokens: Tokens of the texts; `None` where the server does not tell.
    """

    vectors: tuple[tuple[float, ...], ...]
    model: str
    tokens: int | None = None


if TYPE_CHECKING:
    Client = httpx.AsyncClient | None
    Embedding = Callable[[Site, Embed, Client], Awaitable[Embeddings]]


async def embed(dialect: str, site: Site, what: Embed, client: Client = None) -> Embeddings:
    """Embed texts in one request.

    Args:
        dialect: One of the dialects of `EMBED`.
        site: Where to ask.
        what: What to embed.
        client: The client to use; `None` opens one.

    Raises:
        WireError: It failed, there is nothing to embed, or the reply is not one sound vector a text.
    """
    embedding = chosen(EMBED, dialect)
    async with operation(site, what.model):
        if not what.texts:
            raise WireError(ErrorKind.INVALID_REQUEST, "there is no text to embed")
        found = await embedding(site, what, client)
        _check(found.vectors, what)
    return found


def _check(vectors: Sequence[Sequence[float]], what: Embed) -> None:
    """Refuse vectors that are too few, too many, of several lengths, or not of finite numbers."""
    if len(vectors) != len(what.texts):
        raise WireError(
            ErrorKind.PROTOCOL,
            f"the server gave {len(vectors)} embeddings for {len(what.texts)} texts",
        )
    lengths = {len(one) for one in vectors}
    if len(lengths) != 1 or 0 in lengths:
        raise WireError(ErrorKind.PROTOCOL, "the server gave embeddings of different lengths")
    if what.dimensions is not None and lengths != {what.dimensions}:
        raise WireError(
            ErrorKind.PROTOCOL,
            f"the server gave embeddings of {len(vectors[0])} dimensions, not {what.dimensions}",
        )
    if not all(math.isfinite(part) for one in vectors for part in one):
        raise WireError(ErrorKind.PROTOCOL, "an embedding holds a number that is not finite")


def _vector(value: object) -> tuple[float, ...]:
    """Read a vector: numbers, or the base64 of little-endian float32."""
    if isinstance(value, str):
        try:
            raw = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            raise malformed(_WHAT) from None
        if len(raw) % _FLOAT:
            raise malformed(_WHAT)
        return struct.unpack(f"<{len(raw) // _FLOAT}f", raw)
    if not isinstance(value, list):
        raise malformed(_WHAT)
    found = []
    for part in value:
        if isinstance(part, bool) or not isinstance(part, int | float):
            raise malformed(_WHAT)
        try:
            found.append(float(part))
        except OverflowError:
            raise malformed(_WHAT) from None
    return tuple(found)


async def _openai_shape(
    url: Callable[[Site, str], str], dimensions: str, site: Site, what: Embed, client: Client
) -> Embeddings:
    """The shape of OpenAI; `dimensions` is the server's name of that field."""
    body: dict[str, object] = {"model": what.model, "input": list(what.texts)}
    if what.dimensions is not None:
        body[dimensions] = what.dimensions
    if what.compact:
        body["encoding_format"] = "base64"
    document = await post(site, url(site, "/embeddings"), body, _WHAT, client)
    rows = {whole(row, "index"): row.get("embedding") for row in objects(document, "data")}
    order = range(len(what.texts))
    if len(objects(document, "data")) != len(rows) or set(rows) != set(order):
        raise WireError(
            ErrorKind.PROTOCOL,
            f"the server did not give one embedding for each of {len(order)} texts",
        )
    return Embeddings(
        tuple(_vector(rows[index]) for index in order),
        text(document, "model") or what.model,
        whole(object_at(document, "usage"), "prompt_tokens"),
    )


def _under_base(site: Site, path: str) -> str:
    return endpoint(site.base_url, path)


async def _google(site: Site, what: Embed, client: Client) -> Embeddings:
    model = google_model(what.model)
    requests = [_google_request(one, what) for one in what.texts]
    if len(requests) == 1:
        url = endpoint(site.base_url, f"/{model}:embedContent")
        document = await post(site, url, requests[0], _WHAT, client, auth=Auth.GOOGLE)
        rows: Sequence[Mapping[str, object]] = (object_at(document, "embedding"),)
    else:
        body = {"requests": [{"model": model, **one} for one in requests]}
        url = endpoint(site.base_url, f"/{model}:batchEmbedContents")
        document = await post(site, url, body, _WHAT, client, auth=Auth.GOOGLE)
        rows = objects(document, "embeddings")
    return Embeddings(tuple(_vector(row.get("values")) for row in rows), what.model)


def _google_request(one: str, what: Embed) -> dict[str, object]:
    request: dict[str, object] = {"content": {"parts": [{"text": one}]}}
    if what.task:
        request["taskType"] = what.task
    if what.dimensions is not None:
        request["outputDimensionality"] = what.dimensions
    return request


async def _ollama(site: Site, what: Embed, client: Client) -> Embeddings:
    # A text that is too long is refused: by default the server would embed only its beginning and not say so.
    body: dict[str, object] = {"model": what.model, "input": list(what.texts), "truncate": False}
    if what.dimensions is not None:
        body["dimensions"] = what.dimensions
    document = await post(site, root_url(site, "/api/embed"), body, _WHAT, client)
    rows = document.get("embeddings")
    if not isinstance(rows, list):
        raise malformed(_WHAT)
    return Embeddings(
        tuple(map(_vector, rows)),
        text(document, "model") or what.model,
        whole(document, "prompt_eval_count"),
    )


#: The implementations, by dialect.
EMBED: Final[Mapping[str, Embedding]] = {
    "openai": partial(_openai_shape, _under_base, "dimensions"),
    "google": _google,
    "mistral": partial(_openai_shape, v1_url, "output_dimension"),
    "ollama": _ollama,
}

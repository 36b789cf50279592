"""The operation `generate_image` (S6.7): a description to pictures."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eukhe.wire.capabilities.reading import malformed, object_at, objects, text
from eukhe.wire.capabilities.site import Auth, chosen, google_model, operation, post
from eukhe.wire.error_body import one_line
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.http import endpoint

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping

    import httpx

    from eukhe.wire.capabilities.site import Site

__all__ = ["GENERATE_IMAGE", "GenerateImage", "GeneratedImage", "Images", "generate_image"]

_WHAT: Final = "pictures"
_FILTERED: Final = ("SAFETY", "PROHIBITED", "BLOCKLIST", "RECITATION", "SPII")


@dataclass(frozen=True, slots=True)
class GenerateImage:
    """What to draw. What is empty is the server's choice.

    Attributes:
        model: The model.
        prompt: The description.
        count: How many pictures, at least 1; only OpenAI makes several in one request.
        size: For OpenAI in pixels (`1024x1536`), else a size class (`2K`).
        aspect_ratio: Such as `16:9`; OpenAI has only sizes.
        quality: OpenAI only, such as `high`.
        output_format: OpenAI only: `png`, `jpeg` or `webp`.
    """

    model: str
    prompt: str
    count: int = 1
    size: str = ""
    aspect_ratio: str = ""
    quality: str = ""
    output_format: str = ""


@dataclass(frozen=True, slots=True)
class GeneratedImage:
    """A picture.

    Attributes:
        data: The file's bytes; empty where the server gave an address in their place.
        media_type: Such as `image/png`, told by the bytes; empty without them.
        url: Where the picture is, for a server that gave no bytes. It is not fetched.
        prompt: The description as the server revised it; empty where it did not.
    """

    data: bytes
    media_type: str
    url: str = ""
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Images:
    """Pictures, at least one.

    Attributes:
        images: The pictures.
        text: What the model wrote beside them; empty for nothing.
    """

    images: tuple[GeneratedImage, ...]
    text: str = ""


if TYPE_CHECKING:
    Client = httpx.AsyncClient | None
    Drawing = Callable[[Site, GenerateImage, Client], Awaitable[Images]]


async def generate_image(
    dialect: str, site: Site, what: GenerateImage, client: Client = None
) -> Images:
    """Make pictures.

    Args:
        dialect: One of the dialects of `GENERATE_IMAGE`.
        site: Where to ask; its read timeout is how long the drawing may take.
        what: What to draw.
        client: The client to use; `None` opens one.

    Raises:
        WireError: It failed, the request asks for what the dialect does not have, the provider's filter refused
            it (`SAFETY`), or no picture came.
    """
    drawing = chosen(GENERATE_IMAGE, dialect)
    async with operation(site, what.model):
        if what.count < 1:
            raise WireError(ErrorKind.INVALID_REQUEST, "ask for at least one picture")
        found = await drawing(site, what, client)
        if not found.images:
            said = f": {one_line(found.text, 300)!r}" if found.text else ""
            raise WireError(ErrorKind.PROTOCOL, f"the model answered without a picture{said}")
    return found


def _decoded(data: str, prompt: str = "") -> GeneratedImage:
    """Read a picture in base64; its type is told by its bytes, not by the server."""
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise malformed(_WHAT) from None
    match raw:
        case _ if raw.startswith(b"\x89PNG\r\n\x1a\n"):
            kind = "image/png"
        case _ if raw.startswith(b"\xff\xd8\xff"):
            kind = "image/jpeg"
        case _ if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
            kind = "image/webp"
        case _:
            raise WireError(
                ErrorKind.PROTOCOL, "the server gave a picture that is no PNG, JPEG or WebP file"
            )
    return GeneratedImage(raw, kind, "", prompt)


def _only(what: GenerateImage, **lacking: object) -> None:
    """Refuse what a dialect would have to ignore."""
    for name, value in lacking.items():
        if value:
            raise WireError(
                ErrorKind.INVALID_REQUEST,
                f"this provider's pictures have no {name.replace('_', ' ')}",
            )
    if what.count != 1:
        raise WireError(
            ErrorKind.INVALID_REQUEST,
            "this provider makes one picture a request; ask several times",
        )


async def _openai(site: Site, what: GenerateImage, client: Client) -> Images:
    if what.aspect_ratio:
        raise WireError(
            ErrorKind.INVALID_REQUEST,
            "this provider's pictures have no aspect ratio; give a size such as 1024x1536",
        )
    optional = {
        "n": what.count if what.count != 1 else None,
        "size": what.size,
        "quality": what.quality,
        "output_format": what.output_format,
    }
    body: dict[str, object] = {"model": what.model, "prompt": what.prompt}
    body |= {name: value for name, value in optional.items() if value}
    url = endpoint(site.base_url, "/images/generations")
    document = await post(site, url, body, _WHAT, client)
    if not isinstance(document.get("data"), list):
        raise malformed(_WHAT)
    return Images(tuple(_openai_rows(document)))


def _openai_rows(document: Mapping[str, object]) -> Iterator[GeneratedImage]:
    for row in objects(document, "data"):
        prompt = text(row, "revised_prompt")
        if data := text(row, "b64_json"):
            yield _decoded(data, prompt)
        elif url := text(row, "url"):
            yield GeneratedImage(b"", "", url, prompt)


async def _google(site: Site, what: GenerateImage, client: Client) -> Images:
    _only(what, quality=what.quality, output_format=what.output_format)
    config: dict[str, object] = {"responseModalities": ["TEXT", "IMAGE"]}
    wanted = {"aspectRatio": what.aspect_ratio, "imageSize": what.size}
    if form := {name: value for name, value in wanted.items() if value}:
        config["imageConfig"] = form
    body = {
        "contents": [{"role": "user", "parts": [{"text": what.prompt}]}],
        "generationConfig": config,
    }
    url = endpoint(site.base_url, f"/{google_model(what.model)}:generateContent")
    document = await post(site, url, body, _WHAT, client, auth=Auth.GOOGLE)
    candidates = objects(document, "candidates")
    parts = [one for row in candidates for one in objects(object_at(row, "content"), "parts")]
    images = tuple(
        _decoded(text(object_at(part, "inlineData"), "data"))
        for part in parts
        if "inlineData" in part and part.get("thought") is not True  # sketches are thoughts
    )
    if not images:
        reasons = [text(row, "finishReason") for row in candidates]
        _refuse_filtered([text(object_at(document, "promptFeedback"), "blockReason"), *reasons])
    return Images(images, "".join(text(one, "text") for one in parts if not one.get("thought")))


def _refuse_filtered(reasons: list[str]) -> None:
    for reason in reasons:
        if any(word in reason for word in _FILTERED):
            raise WireError(
                ErrorKind.SAFETY,
                f"the provider's filter refused the picture ({one_line(reason, 80)})",
            )


async def _openrouter(site: Site, what: GenerateImage, client: Client) -> Images:
    _only(what, quality=what.quality, output_format=what.output_format)
    body: dict[str, object] = {
        "model": what.model,
        "messages": [{"role": "user", "content": what.prompt}],
        "modalities": ["image", "text"],
    }
    wanted = {"aspect_ratio": what.aspect_ratio, "image_size": what.size}
    if form := {name: value for name, value in wanted.items() if value}:
        body["image_config"] = form
    url = endpoint(site.base_url, "/chat/completions")
    document = await post(site, url, body, _WHAT, client)
    choices = objects(document, "choices")
    messages = [object_at(row, "message") for row in choices]
    links = [
        text(object_at(row, "image_url"), "url")
        for one in messages
        for row in objects(one, "images")
    ]
    if not links and any(text(row, "finish_reason") == "content_filter" for row in choices):
        raise WireError(ErrorKind.SAFETY, "the provider's filter refused the picture")
    return Images(
        tuple(_linked(link) for link in links if link),
        "".join(text(one, "content") for one in messages),
    )


def _linked(link: str) -> GeneratedImage:
    """Read a picture that is given as an address: a data URL holds it, any other one only says where it is."""
    if not link.startswith("data:"):
        return GeneratedImage(b"", "", link)
    return _decoded(link.partition(",")[2])


#: The implementations, by dialect.
GENERATE_IMAGE: Final[Mapping[str, Drawing]] = {
    "openai": _openai,
    "google": _google,
    "openrouter": _openrouter,
}

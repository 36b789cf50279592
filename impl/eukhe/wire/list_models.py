"""The operation `list_models` (S6.7): which models a provider says that it has, in three dialects.

Every module of an operation has the dialects that it implements; the rulebook may name no other.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.http import endpoint, exchange, shown, without_secrets

if TYPE_CHECKING:
    import httpx

    from eukhe.wire.request import Request

__all__ = ["Listed", "list_models"]

_MOST_PAGES: Final = 50
_MOST_BYTES: Final = 16 * 1024 * 1024
_ANTHROPIC: Final = "2023-06-01"


@dataclass(frozen=True, slots=True)
class Listed:
    """A model as the provider lists it.

    Attributes:
        id: Its id.
        name: Its display name; empty where the list has none.
    """

    id: str
    name: str = ""


async def list_models(
    dialect: str, request: Request, client: httpx.AsyncClient | None = None
) -> tuple[Listed, ...]:
    """Ask a provider for its models, page by page.

    Args:
        dialect: `openai`, `anthropic` or `google`.
        request: For its base URL, key, headers, timeouts and limits; the model and the messages are not sent.
        client: The client to use; `None` opens one for each page.

    Raises:
        WireError: It failed, or the reply is no list of models.
    """
    found: list[Listed] = []
    after = ""
    try:
        for _ in range(_MOST_PAGES):
            document = await _page(dialect, request, after, client)
            found += _models(dialect, document)
            after = _next(dialect, document)
            if not after:
                break
    except WireError as error:
        message = without_secrets(error.message, request)
        raise replace(error, message=message, url=shown(request.base_url)) from None
    return tuple(found)


def _headers(dialect: str, request: Request) -> dict[str, str]:
    headers = {"Accept": "application/json"}
    match dialect:
        case "anthropic":
            headers |= {"x-api-key": request.api_key, "anthropic-version": _ANTHROPIC}
        case "google":
            headers["x-goog-api-key"] = request.api_key
        case _ if request.api_key:
            headers["Authorization"] = f"Bearer {request.api_key}"
    return headers


def _path(dialect: str, base_url: str, after: str) -> tuple[str, dict[str, str]]:
    """The path below the base URL, and the query."""
    match dialect:
        case "anthropic":
            path = "/models" if base_url.rstrip("/").endswith("/v1") else "/v1/models"
            return path, {"limit": "1000"} | ({"after_id": after} if after else {})
        case "google":
            return "/models", {"pageSize": "1000"} | ({"pageToken": after} if after else {})
        case _:
            return "/models", {}


async def _page(
    dialect: str, request: Request, after: str, client: httpx.AsyncClient | None
) -> dict[str, object]:
    path, query = _path(dialect, request.base_url, after)
    url = endpoint(request.base_url, path)
    if query:
        url = f"{url}?{urlencode(query)}"
    headers = _headers(dialect, request)
    body = bytearray()
    async with exchange(request, url, headers, b"", client, method="GET") as response:
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > _MOST_BYTES:
                raise WireError(ErrorKind.PROTOCOL, "the list of models is longer than 16 MiB")
    try:
        document = json.loads(bytes(body))
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or not isinstance(document.get(_key(dialect)), list):
        raise WireError(
            ErrorKind.PROTOCOL, f"{shown(url)} answered with something else than a list of models"
        )
    return document


def _key(dialect: str) -> str:
    return "models" if dialect == "google" else "data"


def _models(dialect: str, document: dict[str, object]) -> list[Listed]:
    rows = document[_key(dialect)]
    found = []
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, dict):
            continue
        id_ = row.get("name" if dialect == "google" else "id")
        name = row.get({"google": "displayName", "anthropic": "display_name"}.get(dialect, "name"))
        if isinstance(id_, str) and id_:
            bare = id_.removeprefix("models/") if dialect == "google" else id_
            found.append(Listed(bare, name if isinstance(name, str) else ""))
    return found


def _next(dialect: str, document: dict[str, object]) -> str:
    """What the next page comes after; empty for none."""
    match dialect:
        case "anthropic" if document.get("has_more") is True:
            last = document.get("last_id")
        case "google":
            last = document.get("nextPageToken")
        case _:
            last = None
    return last if isinstance(last, str) else ""

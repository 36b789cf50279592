"""Which protocol a server of these tests speaks: what it demands of a request, and where the key stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from tests.servers.check import problems

Problems: TypeAlias = Callable[[str, str, Mapping[str, str], bytes], Iterator[str]]


def _error(_status: int, message: str, code: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "error", "code": code}}


class Api(NamedTuple):
    """A protocol.

    Attributes:
        problems: Yields what a strict server refuses in a request: method, path, headers, body.
        path: What the base URL ends with.
        key: The header of the key, in lower case, and what stands before the key in it.
        error: The body of a refusal, from its status, message and code.
    """

    problems: Problems
    path: str = "/v1"
    key: tuple[str, str] = ("authorization", "Bearer ")
    error: Callable[[int, str, str], dict[str, Any]] = _error


#: Chat Completions.
CHAT = Api(problems)

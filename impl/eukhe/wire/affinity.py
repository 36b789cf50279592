"""Session headers: by them some hosts send the requests of one session to the same machine, where its cache is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.wire.request import Request

__all__ = ["Affinity", "cache_key", "session_headers"]

#: How a host wants to be told the session; empty for not at all.
Affinity: TypeAlias = Literal["", "openai", "openai-nosession", "openrouter"]

_HEADERS: Final[Mapping[Affinity, tuple[str, ...]]] = {
    "": (),
    "openai": ("session_id", "x-client-request-id", "x-session-affinity"),
    "openai-nosession": ("x-client-request-id", "x-session-affinity"),
    "openrouter": ("x-session-id",),
}
_KEY_LIMIT: Final = 64


def session_headers(request: Request, form: Affinity) -> dict[str, str]:
    """Return the headers that name the session of a request; none where nothing is to be cached."""
    options = request.options
    if options.cache == "none" or not options.session:
        return {}
    return dict.fromkeys(_HEADERS[form], options.session)


def cache_key(request: Request) -> str | None:
    """Return the `prompt_cache_key` of a request: the session, at most 64 characters; None for none."""
    options = request.options
    if options.cache == "none" or not options.session:
        return None
    if len(options.session) <= _KEY_LIMIT:
        return options.session
    import hashlib  # only a long name pays for the import

    return hashlib.sha256(options.session.encode("utf-8", "replace")).hexdigest()

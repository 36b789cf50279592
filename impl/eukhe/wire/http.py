"""One HTTP exchange over httpx: every way in which it can fail becomes a `WireError` that holds no secret.

httpx is imported when a request is made, since it takes longer to import than the rest of eukhe together.
"""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from eukhe import __version__
from eukhe.wire.error_body import one_line, refused
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.retry_after import retry_after, should_retry

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Mapping

    import httpx

    from eukhe.wire.request import Request, Timeouts

__all__ = [
    "KEY_HEADERS",
    "endpoint",
    "exchange",
    "open_client",
    "raw_bytes",
    "shown",
    "without_secrets",
]

#: The headers of the wire APIs that hold a key, in lower case.
KEY_HEADERS = frozenset(
    {"authorization", "x-api-key", "x-goog-api-key", "api-key", "x-amz-security-token"}
)


def endpoint(base_url: str, path: str) -> str:
    """Return the address of an API's path below a base URL.

    Args:
        base_url: For example `http://127.0.0.1:8080/v1`, with or without a last slash.
        path: For example `/chat/completions`.

    Raises:
        WireError: `INVALID_REQUEST`: the base URL is no http or https address.
    """
    try:
        parts = urlsplit(base_url.strip())
        usable = (
            parts.scheme in ("http", "https")
            and _is_host(parts.hostname or "")
            and (parts.port or 1) > 0
        )
    except ValueError:
        usable = False
    if not usable or not base_url.isprintable():
        raise WireError(
            ErrorKind.INVALID_REQUEST,
            f"{one_line(shown(base_url), 200)!r} is no base URL; it looks like http://127.0.0.1:8080/v1",
        )
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + path, fragment=""))


def _is_host(name: str) -> bool:
    """Whether `name` can be a host: an IPv6 address, or letters, digits, `-`, `_` and dots, IDNA applied."""
    if ":" in name:
        return True  # urlsplit has looked between the brackets
    if not name.isascii() or "xn--" in name:
        try:
            name.encode("idna").decode("idna")
        except UnicodeError:
            return False
    return bool(name) and all(c.isalnum() or c in "-_." for c in name)


def shown(url: str) -> str:
    """Return an address as it may be shown: without user name, password, query and fragment."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.rpartition("@")[2].partition("?")[0]
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def without_secrets(text: str, request: Request) -> str:
    """Return `text` with the request's key and the values of its own headers blotted out."""
    secrets = [request.api_key, *request.headers.values()]
    secrets += [word for value in request.headers.values() for word in value.split()]
    if "@" in request.base_url:
        secrets.append(urlsplit(request.base_url).password or "")
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        if len(secret) >= 6 or secret == request.api_key:
            text = text.replace(secret, "[hidden]")
    return text


def open_client(url: str, timeouts: Timeouts) -> httpx.AsyncClient:
    """Open a client for requests to `url`; redirects are not followed, since the key would go along."""
    import httpx

    verify: ssl.SSLContext | bool = True
    if url.startswith("http:") and not _has_proxy():
        # Reading the certificate store takes longer than a whole plain request. A context without certificates
        # trusts nobody, so a client that was opened for plain HTTP can never be used for TLS by mistake.
        import ssl

        verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx.AsyncClient(
        verify=verify, timeout=_timeout(timeouts), follow_redirects=False, default_encoding="utf-8"
    )


@asynccontextmanager
async def exchange(
    request: Request,
    url: str,
    headers: Mapping[str, str],
    content: bytes,
    client: httpx.AsyncClient | None,
    *,
    method: str = "POST",
) -> AsyncIterator[httpx.Response]:
    """Send `content` and hand out the response, its body unread, once its status is 2xx.

    Args:
        request: For its headers, timeouts and limits.
        url: The whole address.
        headers: The API's own headers; those of the request win.
        content: The body.
        client: The client to use; `None` opens one for this exchange.
        method: The HTTP method.

    Raises:
        WireError: Any failure, also while the body is read inside the context.
    """
    import httpx

    own = open_client(url, request.timeouts) if client is None else None
    try:
        sent = _headers(_over(headers, request.headers))
        async with (client or own or open_client(url, request.timeouts)).stream(
            method,
            url,
            content=content,
            headers=sent,
            timeout=_timeout(request.timeouts),
            follow_redirects=False,
        ) as response:
            if not response.is_success:
                raise await _refusal(response, request)
            yield response
    except httpx.HTTPError as error:
        raise _failure(error, url, request.timeouts) from None
    except (httpx.InvalidURL, httpx.StreamError, httpx.CookieConflict, UnicodeError) as error:
        # The host's spelling alone raises a UnicodeError: all other text is encoded with replacements.
        raise WireError(
            ErrorKind.INVALID_REQUEST, f"the request cannot be sent: {one_line(str(error))}"
        ) from None
    finally:
        if own is not None:
            await own.aclose()


def raw_bytes(response: httpx.Response) -> AsyncIterable[bytes]:
    """Return the body's bytes as they come, without their coding.

    They are taken from the transport itself: the layers that httpx puts around it would only hand each piece on,
    and a stream of small events has many; and they would unpack all of a piece at once, however much that is.

    Raises:
        WireError: While the body is read: it has a coding that is not known, or is not in it.
    """
    stream = response.stream
    raw = stream if isinstance(stream, AsyncIterable) else response.aiter_raw()
    coding = response.headers.get("content-encoding", "identity")
    if coding.strip().lower() in ("", "identity"):
        return raw
    from eukhe.wire.coding import decoded  # a body is asked for without

    return decoded(raw, coding)


def _over(headers: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Headers under the request's own ones; names are compared without case, so that none goes out twice."""
    names = {name.lower() for name in own}
    return {name: value for name, value in headers.items() if name.lower() not in names} | dict(own)


def _headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Check that the headers can be sent; the error names the header and never its value."""
    for name, value in headers.items():
        if not (name.isascii() and value.isascii() and name.isprintable() and value.isprintable()):
            secret = name.lower() in KEY_HEADERS
            what = "the API key" if secret else f"the header {one_line(name, 80)!r}"
            kind = ErrorKind.AUTH if secret else ErrorKind.INVALID_REQUEST
            raise WireError(
                kind, f"{what} holds a character that cannot be sent (a line end, for example)"
            )
    return {"User-Agent": f"eukhe/{__version__}", "Accept-Encoding": "identity", **headers}


def _timeout(timeouts: Timeouts) -> httpx.Timeout:
    import httpx

    return httpx.Timeout(
        connect=timeouts.connect, read=timeouts.read, write=timeouts.write, pool=timeouts.connect
    )


def _has_proxy() -> bool:
    from urllib.request import getproxies  # httpx itself imports and asks it

    return bool(getproxies())


async def _refusal(response: httpx.Response, request: Request) -> WireError:
    """Make the error of a response whose status is not 2xx."""
    if response.is_redirect:
        place = one_line(shown(response.headers.get("location", "")), 200)
        points = f"points to {place!r}" if place else "names no other place"
        return WireError(
            ErrorKind.NOT_FOUND,
            f"the server answered {response.status_code} and {points}; redirects are not followed, "
            "so set the base URL to the right address",
            status=response.status_code,
        )
    import asyncio  # it brings ssl along, which whoever only reads a reply need not wait for

    import httpx

    body = bytearray()
    try:
        async with asyncio.timeout(request.timeouts.error):
            async for chunk in raw_bytes(response):
                body += chunk
                if len(body) > request.limits.error:
                    break
    except (httpx.HTTPError, TimeoutError, WireError):
        pass  # the status is known, and it says more than the failure of the rest of the body
    error = refused(response.status_code, bytes(body[: request.limits.error]))
    error.code = error.code or _aws_code(response.headers.get("x-amzn-errortype", ""))
    if error.kind is ErrorKind.NOT_FOUND:
        error.message += f" (asked for {shown(str(response.request.url))})"
    if (wait := retry_after(response.headers, time.time())) is not None:
        error.retry_after = wait
    if (word := should_retry(response.headers)) is not None:
        error.should_retry = word
    return error


def _aws_code(header: str) -> str:
    """The error code that AWS puts into a header, without the address behind it."""
    return one_line(header.partition(":")[0].rpartition("#")[2], 100)


def _failure(error: httpx.HTTPError, url: str, timeouts: Timeouts) -> WireError:
    """Turn a failure of the transport into its kind and a line for a user."""
    import httpx

    place = urlunsplit((*urlsplit(shown(url))[:2], "", "", ""))
    match error:
        case httpx.ConnectTimeout() | httpx.PoolTimeout():
            return WireError(
                ErrorKind.TIMEOUT, f"no connection to {place} within {timeouts.connect:g} s"
            )
        case httpx.ReadTimeout():
            return WireError(ErrorKind.TIMEOUT, f"{place} sent nothing for {timeouts.read:g} s")
        case httpx.WriteTimeout():
            return WireError(
                ErrorKind.TIMEOUT, f"{place} did not take the request within {timeouts.write:g} s"
            )
        case httpx.ConnectError():
            return WireError(
                ErrorKind.NETWORK,
                f"cannot connect to {place}: {_reason(error)}; is the server running?",
            )
        case httpx.RemoteProtocolError() if "complete message body" in str(error):
            return WireError(
                ErrorKind.STREAM_ENDED,
                f"{place} closed the connection before the reply was complete",
            )
        case httpx.RemoteProtocolError() if "without sending" in str(error):
            return WireError(ErrorKind.NETWORK, f"{place} closed the connection without an answer")
        case httpx.RemoteProtocolError():
            return WireError(
                ErrorKind.PROTOCOL, f"{place} does not answer in HTTP: {one_line(str(error), 200)}"
            )
        case httpx.UnsupportedProtocol() | httpx.LocalProtocolError():
            return WireError(
                ErrorKind.INVALID_REQUEST, f"the request to {place} cannot be sent as it is"
            )
        case _:
            return WireError(
                ErrorKind.NETWORK, f"the connection to {place} broke: {_reason(error)}"
            )


def _reason(error: BaseException) -> str:
    """Return the operating system's own word at the end of the chain of causes."""
    found = ""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and seen.strerror:
            own = seen.strerror.startswith("Connect call")  # asyncio's words, not the system's
            found = os.strerror(seen.errno or 0) if own else seen.strerror
        seen = seen.__cause__ or seen.__context__
    return one_line(found or str(error) or type(error).__name__, 200)

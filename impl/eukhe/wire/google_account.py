"""A Google account from a credentials file (application default credentials), and the access tokens it gives.

A file of `gcloud auth application-default login` (`authorized_user`) needs nothing else. The key of a service
account must sign, which the package google-auth does; it is imported when such a key is used.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from eukhe.wire.error_body import one_line
from eukhe.wire.errors import ErrorKind, WireError
from eukhe.wire.http import endpoint, exchange, raw_bytes, without_secrets

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import httpx

    from eukhe.wire.request import Request

__all__ = ["INSTALL", "Account", "Token"]

#: How to get what signs with the key of a service account.
INSTALL: Final = "pip install 'eukhe[cloud]'"

_OAUTH: Final = "https://oauth2.googleapis.com/token"
_SCOPE: Final = "https://www.googleapis.com/auth/cloud-platform"
_GRANT: Final = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_LOGIN: Final = "run `gcloud auth application-default login`"
_HOUR: Final = 3600
#: Seconds before its end at which a token is not used any more.
_MARGIN: Final = 60
_LONGEST: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Token:
    """An access token.

    Attributes:
        text: The token, never shown.
        until: When it ends, by the clock that never goes back.
        quota_project: The project that pays; empty for the account's own.
    """

    text: str
    until: float
    quota_project: str = ""


class Account:
    """Gives access tokens, each until shortly before it ends.

    Args:
        path: The credentials file; it is read when a token is needed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._token: Token | None = None

    async def token(self, request: Request, client: httpx.AsyncClient | None = None) -> Token:
        """Return a token that can be used now.

        Args:
            request: For its timeouts and limits; none of its headers goes to the token's server.
            client: The client to use; `None` opens one.

        Raises:
            WireError: `AUTH`: the file cannot be read, is of a kind that is not known, or the account is refused.
        """
        if self._token is None or self._token.until < time.monotonic() + _MARGIN:
            self._token = await self._fetched(request, client)
        return self._token

    async def _fetched(self, request: Request, client: httpx.AsyncClient | None) -> Token:
        info = self._read()
        url = _text(info, "token_uri") or _OAUTH
        match info.get("type"):
            case "authorized_user":
                form = {
                    "grant_type": "refresh_token",
                    **{name: self._needed(info, name) for name in _USER_FIELDS},
                }
            case "service_account":
                form = {"grant_type": _GRANT, "assertion": self._signed(info, url)}
            case kind:
                raise self._unusable(
                    f"is of the type {one_line(str(kind), 80)!r}; eukhe uses authorized_user and service_account"
                )
        began = time.monotonic()
        answer = await self._post(url, form, replace(request, headers={}), client)
        text, lasts = _text(answer, "access_token"), answer.get("expires_in")
        if not text:
            raise self._unusable("got no access token from its server")
        seconds = lasts if isinstance(lasts, int) and not isinstance(lasts, bool) else 0
        return Token(text, began + seconds, _text(info, "quota_project_id"))

    def _read(self) -> Mapping[str, object]:
        try:
            info = json.loads(self.path.read_bytes())
        except OSError as error:
            raise self._unusable(f"cannot be read ({error.strerror})") from None
        except (ValueError, RecursionError):
            info = None
        if not isinstance(info, dict):
            raise self._unusable("is no JSON object")
        return info

    def _needed(self, info: Mapping[str, object], name: str) -> str:
        text = _text(info, name)
        if not text:
            raise self._unusable(f"has no {name}")
        return text

    def _signed(self, info: Mapping[str, object], url: str) -> str:
        """The signed claim of a service account (RFC 7523)."""
        email = self._needed(info, "client_email")
        self._needed(info, "private_key")
        try:
            crypt, jwt = import_module("google.auth.crypt"), import_module("google.auth.jwt")
        except ImportError:
            raise WireError(
                ErrorKind.AUTH,
                f"{self.path} is the key of a service account, and what signs with it is not installed: {INSTALL}",
            ) from None
        now = int(time.time())
        claim = {"iss": email, "scope": _SCOPE, "aud": url, "iat": now, "exp": now + _HOUR}
        try:
            signer = crypt.RSASigner.from_service_account_info(info)
            return bytes(jwt.encode(signer, claim)).decode()
        except ValueError:
            raise self._unusable("has a private_key that cannot be read") from None

    async def _post(
        self,
        url: str,
        form: Mapping[str, str],
        request: Request,
        client: httpx.AsyncClient | None,
    ) -> Mapping[str, object]:
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        body = bytearray()
        try:
            content = urlencode(form).encode()
            async with exchange(request, endpoint(url, ""), headers, content, client) as response:
                async for chunk in raw_bytes(response):
                    body += chunk
                    if len(body) > _LONGEST:
                        break
        except WireError as error:
            hidden = replace(request, headers=form)
            message = f"no access token for {self.path}: {error.message}"
            if error.kind in (ErrorKind.AUTH, ErrorKind.INVALID_REQUEST):
                # A grant that is spent is answered with 400.
                error.kind, message = ErrorKind.AUTH, f"{message}; {_LOGIN}"
            error.message = without_secrets(message, hidden)
            error.provider_message = without_secrets(error.provider_message, hidden)
            raise
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            answer = None
        return answer if isinstance(answer, dict) else {}

    def _unusable(self, why: str) -> WireError:
        return WireError(
            ErrorKind.AUTH, f"the credentials file {self.path} {why}; {_LOGIN}, or set an API key"
        )


_USER_FIELDS: Final = ("client_id", "client_secret", "refresh_token")


def _text(info: Mapping[str, object], name: str) -> str:
    found = info.get(name)
    return found if isinstance(found, str) else ""

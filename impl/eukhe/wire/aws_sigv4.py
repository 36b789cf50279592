"""AWS Signature Version 4: a request is signed with a key that is derived from the secret, which is never sent."""

from __future__ import annotations

import hashlib
import hmac
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, quote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["AwsKeys", "signed_headers"]

_ALGORITHM: Final = "AWS4-HMAC-SHA256"


@dataclass(frozen=True, slots=True)
class AwsKeys:
    """The credentials of an AWS account or role.

    Attributes:
        key_id: The access key, which is no secret.
        secret: The secret key.
        token: The session token of temporary credentials; empty for none.
    """

    key_id: str
    secret: str = field(repr=False)
    token: str = field(default="", repr=False)


def signed_headers(
    keys: AwsKeys,
    url: str,
    headers: Mapping[str, str],
    content: bytes,
    *,
    region: str,
    service: str,
    now: float | None = None,
    method: str = "POST",
) -> dict[str, str]:
    """Return the headers of a request with its signature.

    Args:
        keys: The credentials.
        url: The whole address, its path encoded.
        headers: The headers that are signed beside the host and the date.
        content: The body.
        region: For example `us-east-1`.
        service: For example `bedrock`.
        now: Seconds since the epoch; None for the clock.
        method: The HTTP method.
    """
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    parts = urlsplit(url)
    sent = {"host": parts.netloc.rpartition("@")[2], "x-amz-date": stamp}
    if keys.token:
        sent["x-amz-security-token"] = keys.token
    known = {name.lower(): " ".join(value.split()) for name, value in headers.items()} | sent
    names = ";".join(sorted(known))
    # The path is signed encoded once more than it is sent (but for S3).
    path = quote(parts.path or "/", safe="/~")
    pairs = sorted(parse_qsl(parts.query, keep_blank_values=True))
    query = "&".join(f"{quote(name, safe='~')}={quote(value, safe='~')}" for name, value in pairs)
    lines = [method, path, query, *(f"{name}:{known[name]}" for name in sorted(known)), "", names]
    request = "\n".join([*lines, hashlib.sha256(content).hexdigest()])
    scope = f"{stamp[:8]}/{region}/{service}/aws4_request"
    to_sign = "\n".join([_ALGORITHM, stamp, scope, hashlib.sha256(request.encode()).hexdigest()])
    key = f"AWS4{keys.secret}".encode()
    for word in scope.split("/"):
        key = _digest(key, word)
    signature = _digest(key, to_sign).hex()
    signed = f"{_ALGORITHM} Credential={keys.key_id}/{scope}, SignedHeaders={names}, Signature={signature}"
    return {
        **headers,
        **{name: sent[name] for name in sent if name != "host"},
        "Authorization": signed,
    }


def _digest(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()

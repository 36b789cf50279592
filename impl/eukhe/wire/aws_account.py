"""The AWS credentials that requests are signed with, from the environment.

Plain keys, in variables or in a profile of the credentials file, need nothing else. Roles, SSO, containers and web
identities are AWS's own protocols, which the package botocore speaks; it is imported when one of them is used.
"""

from __future__ import annotations

import asyncio
from configparser import ConfigParser
from configparser import Error as ConfigError
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from eukhe.wire.aws_sigv4 import AwsKeys
from eukhe.wire.error_body import one_line
from eukhe.wire.errors import ErrorKind, WireError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["INSTALL", "find_keys"]

#: How to get what speaks AWS's protocols for credentials.
INSTALL: Final = "pip install 'eukhe[cloud]'"

_LONGEST: Final = 1024 * 1024


async def find_keys(environ: Mapping[str, str]) -> AwsKeys | None:
    """Return the credentials: of the profile that is named, else of the variables, else what botocore finds.

    Args:
        environ: The environment.

    Returns:
        None where `AWS_BEDROCK_SKIP_AUTH=1` says that the server asks for none.

    Raises:
        WireError: `AUTH`: there are none, or they cannot be had.
    """
    if environ.get("AWS_BEDROCK_SKIP_AUTH") == "1":
        return None
    profile = environ.get("AWS_PROFILE", "")
    if profile:
        found = _of_profile(environ, profile)
    else:
        found = _plain({name.lower(): value for name, value in environ.items()})
    # A signature may need a request of its own, which must not hold up the others.
    return found or await asyncio.to_thread(_of_botocore, profile)


def _plain(values: Mapping[str, str]) -> AwsKeys | None:
    key_id, secret = values.get("aws_access_key_id"), values.get("aws_secret_access_key")
    if not key_id or not secret:
        return None
    return AwsKeys(key_id, secret, values.get("aws_session_token") or "")


def _of_profile(environ: Mapping[str, str], profile: str) -> AwsKeys | None:
    """The plain keys of a profile; None where it has none."""
    named, home = environ.get("AWS_SHARED_CREDENTIALS_FILE"), environ.get("HOME")
    if not named and not home:
        return None
    path = Path(named) if named else Path(home or "", ".aws", "credentials")
    parser = ConfigParser(interpolation=None, strict=False, default_section="")
    try:
        with path.open(encoding="utf-8") as file:
            parser.read_string(file.read(_LONGEST))
    except (OSError, UnicodeError, ConfigError):
        return None  # botocore says what is wrong with the file
    return _plain(dict(parser[profile])) if parser.has_section(profile) else None


def _of_botocore(profile: str) -> AwsKeys:
    whose = f"of the AWS profile {one_line(profile, 80)}" if profile else "of AWS"
    try:
        session: Any = import_module("botocore.session")
    except ImportError:
        raise WireError(
            ErrorKind.AUTH,
            f"the credentials {whose} are no plain keys, and what finds others is not installed; run "
            f"`{INSTALL}`, or set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY",
        ) from None
    errors: Any = import_module("botocore.exceptions")
    try:
        found = session.Session(profile=profile or None).get_credentials()
        frozen = None if found is None else found.get_frozen_credentials()
    except (errors.BotoCoreError, errors.ClientError, ValueError, OSError) as error:
        raise WireError(
            ErrorKind.AUTH, f"the credentials {whose} cannot be had: {one_line(str(error), 300)}"
        ) from None
    if frozen is None:
        raise WireError(ErrorKind.AUTH, f"there are no credentials {whose}")
    return AwsKeys(frozen.access_key, frozen.secret_key, frozen.token or "")

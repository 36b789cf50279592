"""Addresses that the catalog cannot know: of a cloud account, from the environment.

What `models.json` gives as `baseUrl` always wins.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eukhe.core.catalog import Entry

__all__ = ["address_of", "missing_address"]

_BEDROCK: Final = re.compile(r"https://bedrock-runtime\.[a-z0-9-]+\.amazonaws\.com/?")
_ARN_REGION: Final = re.compile(r"arn:aws[a-z-]*:bedrock:([a-z0-9-]+):")
_VERTEX: Final = "aiplatform.googleapis.com"
_PROJECT: Final = re.compile(r"[a-z0-9.:-]+")
_LOCATION: Final = re.compile(r"[a-z0-9-]+")
_RESOURCE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*")


def address_of(entry: Entry, environ: Mapping[str, str]) -> str:
    """Return the address of a model; empty where the environment does not say it either.

    Args:
        entry: The model's row.
        environ: The environment.
    """
    known = _KNOWN.get(entry.api)
    return entry.base_url if known is None else known(entry, environ)


def missing_address(entry: Entry) -> str:
    """Return what to say of a model without an address; empty for one that has one."""
    if entry.base_url:
        return ""
    ways = _NAMED_BY.get(entry.api, "")
    return (
        f"there is no address for {entry.provider}: {ways}give it a baseUrl in models.json "
        f"(providers.{entry.provider}.baseUrl)"
    )


def _azure(entry: Entry, environ: Mapping[str, str]) -> str:
    if entry.base_url:
        return entry.base_url
    if url := environ.get("AZURE_OPENAI_BASE_URL", ""):
        return url
    name = environ.get("AZURE_OPENAI_RESOURCE_NAME", "")
    return f"https://{name}.openai.azure.com/openai/v1" if _RESOURCE.fullmatch(name) else ""


def _bedrock(entry: Entry, environ: Mapping[str, str]) -> str:
    """The catalog's address is that of the default region of the model's inference profile."""
    if not _BEDROCK.fullmatch(entry.base_url):
        return entry.base_url
    if url := environ.get("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", ""):
        return url
    arn = _ARN_REGION.match(entry.id)
    region = environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION") or ""
    region = arn[1] if arn else region
    if not re.fullmatch(r"[a-z0-9-]+", region):
        return entry.base_url
    return f"https://bedrock-runtime.{region}.amazonaws.com"


def _vertex(entry: Entry, environ: Mapping[str, str]) -> str:
    """The address of the project and the location; without them that of API keys, which needs neither."""
    if entry.base_url:
        return entry.base_url
    project = environ.get("GOOGLE_CLOUD_PROJECT") or environ.get("GCLOUD_PROJECT") or ""
    location = environ.get("GOOGLE_CLOUD_LOCATION", "")
    if not _PROJECT.fullmatch(project) or not _LOCATION.fullmatch(location):
        return f"https://{_VERTEX}/v1/publishers/google"
    host = f"{location}-{_VERTEX}"
    if location == "global":
        host = _VERTEX
    elif location in ("us", "eu"):
        host = f"aiplatform.{location}.rep.googleapis.com"
    place = f"projects/{project}/locations/{location}"
    return f"https://{host}/v1/{place}/publishers/google"


_KNOWN: Final[Mapping[str, Callable[[Entry, Mapping[str, str]], str]]] = {
    "azure-openai-responses": _azure,
    "bedrock-converse-stream": _bedrock,
    "google-vertex": _vertex,
}

_NAMED_BY: Final[Mapping[str, str]] = {
    "azure-openai-responses": (
        "set the environment variable AZURE_OPENAI_BASE_URL or AZURE_OPENAI_RESOURCE_NAME, or "
    ),
}

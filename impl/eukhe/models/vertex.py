"""A model as Vertex AI sees it: as `eukhe.models.google` says, with the account of the environment."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from eukhe.models.google import google_compat, options_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.models.registry import Model
    from eukhe.models.speak import Stream

__all__ = ["credentials_file", "options_of", "stream_of"]

_FILE = "application_default_credentials.json"


def stream_of(model: Model) -> Stream:
    """Return Vertex AI as the model's server takes it."""
    from eukhe.wire.google_account import Account  # it brings the HTTP client along
    from eukhe.wire.google_vertex import stream

    path = credentials_file(model.environ)
    account = None if path is None else Account(path)
    return partial(stream, compat=google_compat(model), account=account)


def credentials_file(environ: Mapping[str, str]) -> Path | None:
    """Return the file of the application default credentials: the one that is named, else gcloud's where it is.

    Args:
        environ: The environment.
    """
    if named := environ.get("GOOGLE_APPLICATION_CREDENTIALS"):
        return Path(named)
    own, home = environ.get("CLOUDSDK_CONFIG"), environ.get("HOME")
    folder = Path(own) if own else Path(home, ".config", "gcloud") if home else None
    found = None if folder is None else folder / _FILE
    return found if found is not None and found.is_file() else None

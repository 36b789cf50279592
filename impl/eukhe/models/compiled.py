"""The compiled catalog: `data/PROVIDER.json`, a file a provider, read when the provider is asked for (C1).

`scripts/make_catalog.py` makes the files. Their index names every id, so that one model costs one file.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eukhe.core.catalog import Cost, Entry
from eukhe.core.quirks_types import ModelKey

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DATA", "compiled", "compiled_ids", "every_compiled", "key_of", "transports"]

#: Where the files are.
DATA: Final = Path(__file__).with_name("data")


@cache
def compiled_ids() -> Mapping[str, tuple[str, ...]]:
    """Return the ids of each provider, without reading a provider's file."""
    index = json.loads((DATA / "index.json").read_bytes())
    return {provider: tuple(ids) for provider, ids in index.items()}


@cache
def compiled(provider: str) -> tuple[Entry, ...]:
    """Return the models of a provider; none for one that the catalog does not have."""
    if provider not in compiled_ids():
        return ()
    document = json.loads((DATA / f"{provider}.json").read_bytes())
    api, base_url = document["api"], document["baseUrl"]
    return tuple(
        Entry(
            provider,
            row["id"],
            row.get("api", api),
            row.get("baseUrl", base_url),
            row["name"],
            row.get("reasoning", False),
            tuple(row.get("input", ("text",))),
            Cost(*row["cost"]),
            row["contextWindow"],
            row["maxTokens"],
            row.get("thinkingLevelMap"),
            row.get("compat"),
            row.get("featured"),
        )
        for row in document["models"]
    )


def every_compiled() -> tuple[Entry, ...]:
    """Return all models of the compiled catalog, provider by provider."""
    return tuple(one for provider in compiled_ids() for one in compiled(provider))


@cache
def transports() -> frozenset[tuple[str, str, str]]:
    """Return every (provider, wire API, base URL) that the compiled catalog reaches a model by."""
    return frozenset((one.provider, one.api, one.base_url) for one in every_compiled())


def key_of(entry: Entry) -> ModelKey:
    """Return what the rulebook is asked with."""
    return ModelKey(entry.id, entry.name, entry.api, entry.provider, entry.base_url)

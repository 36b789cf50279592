"""Families: what an agent inherits, and its own profile on top (S4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from eukhe.core.cvar import Place, over
from eukhe.settings.disk import read_text
from eukhe.settings.issues import Issue, of_entry, shown
from eukhe.settings.load import cfg_layer, place_of

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.core.cvar import Aliases, Cvars
    from eukhe.settings.load import Config
    from eukhe.settings.places import Files

__all__ = ["MAIN", "Family", "child", "root"]

#: The name of the root session's agent.
MAIN: Final = "main"


class Family(NamedTuple):
    """What an agent has before its own sets.

    Attributes:
        name: The name of the agent; empty for a subagent without one.
        cvars: The config, the layers of its parents, and its own profile.
        aliases: The aliases of all these.
        issues: What is wrong with its profile.
    """

    name: str
    cvars: Cvars
    aliases: Aliases
    issues: tuple[Issue, ...] = ()


def root(config: Config) -> Family:
    """Return the family of the root session: the agent `main` over the config."""
    return _over(MAIN, config.cvars, config.aliases, (config.files.profile(MAIN),))


def child(parent: Cvars, aliases: Aliases, files: Files, name: str = "") -> Family:
    """Return the family of a subagent: its parent's layers, then `subagent.cfg`, then its own cfg file.

    Args:
        parent: What the parent sees, its sets included.
        aliases: The parent's aliases.
        files: Where the profiles are.
        name: The name of the agent; empty for none.
    """
    named = (files.profile(name),) if name else ()
    return _over(name, parent, aliases, (files.subagent, *named))


def _over(name: str, below: Cvars, aliases: Aliases, paths: tuple[Path, ...]) -> Family:
    cvars = below
    issues: list[Issue] = []
    for path in paths:
        layer = cfg_layer(path, read_text(path), Place.PROFILE, aliases)
        before = len(cvars.refused)
        cvars = over(cvars, layer.entries)
        aliases = layer.aliases
        issues += layer.issues
        issues += [of_entry(one.error, *place_of(one.entry, {})) for one in cvars.refused[before:]]
    return Family(name, cvars, aliases, shown(issues))

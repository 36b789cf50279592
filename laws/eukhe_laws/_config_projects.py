"""The laws of `config` about projects, MCP entries and the sessions directory (S4b.5 to S4b.7)."""

from __future__ import annotations

from eukhe_laws._config_inputs import (
    FREE,
    once,
)
from eukhe_laws._config_subject import CORE, SPEC, Config
from eukhe_laws.engine.domain import Scope
from eukhe_laws.engine.law import law
from eukhe_spec.config import (
    Directory,
    Entry,
    Item,
    Listed,
    Listing,
    Place,
    Screened,
    Server,
    Servers,
    Source,
    Text,
    Trust,
)

__all__ = ["AREA", "CORE", "SPEC"]

AREA = "config"

# What an untrusted project changes (S4b.5).


@law(
    section="S4b",
    scope=Scope(1, 2),
    wide=Scope(1, 9),
    given=lambda S, items: any(one not in FREE for one in items),
)
def untrusted_changes_nothing_guarded(S: Config, items: tuple[Item, ...]) -> bool:
    """An untrusted project changes no limit, prompt or credential (S4b.5)."""
    guarded = tuple(one for one in items if one not in FREE)
    found = S.screen(items, False)
    return found.withheld == guarded and not set(found.applied) & set(guarded)


@law(section="S4b", scope=Scope(1, 2), wide=Scope(1, 9))
def trusted_project_applies(S: Config, items: tuple[Item, ...]) -> bool:
    """A trusted project's item applies."""
    return S.screen(items, True) == Screened(items, ())


@law(section="S4b", scope=Scope(1, 2), wide=Scope(1, 9), ours=True)
def untrusted_applies_the_rest(S: Config, items: tuple[Item, ...]) -> bool:
    """An item that is not guarded applies in an untrusted project too (S4b.5)."""
    return S.screen(items, False).applied == tuple(one for one in items if one in FREE)


@law(
    section="S4b",
    scope=Scope(2, 2, over=(("after", Scope(1, 1)),)),
    wide=Scope(2, 4),
    ours=True,
    reach={
        "below a listed one": lambda S, directory, entries, after: any(
            one.absolute and 0 < len(one.parts) < len(directory.parts) for one in entries
        )
    },
)
def trust_is_listed_or_below(
    S: Config, directory: Directory, entries: tuple[Listed, ...], after: tuple[Listed, ...]
) -> bool:
    """A project is trusted exactly when the global layer lists its directory or one above it, as an absolute path
    (S4b.5).
    """
    ways = [directory.parts[:count] for count in range(len(directory.parts) + 1)]
    said = (
        Listing(Place.GLOBAL, after),
        Listing(Place.GLOBAL, after),
        Listing(Place.GLOBAL, entries),
        Listing(Place.PROJECT, after),
        Listing(Place.WITHHELD, after),
    )
    return S.trust(directory, said) == Trust(
        any(one.absolute and one.parts in ways for one in entries),
        tuple(one for one in entries if not one.absolute),
    )


@law(section="S4b", scope=Scope(2, 2), wide=Scope(2, 4), ours=True)
def trust_not_by_the_project(
    S: Config, directory: Directory, entries: tuple[Listed, ...], withheld: bool
) -> bool:
    """A project's own list trusts nothing (S4b.5)."""
    place = Place.WITHHELD if withheld else Place.PROJECT
    return S.trust(directory, (Listing(place, entries),)) == Trust(False, ())


# MCP entries are units (S4b.6).


_UNITS = Scope(1, 1, over=(("name", Scope(2)),))
_UNITS_WIDE = Scope(3, 4)


@law(section="S4b", scope=_UNITS, wide=_UNITS_WIDE)
def project_entry_never_merges(
    S: Config, below: tuple[Entry, ...], name: int, server: Server, beside: tuple[Entry, ...]
) -> bool:
    """A project MCP entry applies whole (S4b.6)."""
    own = once((Entry(name, server), *beside))
    found = S.servers((Servers(Place.GLOBAL, once(below)), Servers(Place.PROJECT, own)))
    return [one.server for one in found if one.name == name] == [server]


@law(section="S4b", scope=_UNITS, wide=_UNITS_WIDE)
def global_entry_kept(
    S: Config, name: int, server: Server, beside: tuple[Entry, ...], project: tuple[Entry, ...]
) -> bool:
    """A global entry that the project does not name stays whole."""
    own = tuple(one for one in once(project) if one.name != name)
    everyone = once((Entry(name, server), *beside))
    found = S.servers((Servers(Place.GLOBAL, everyone), Servers(Place.PROJECT, own)))
    return [one.server for one in found if one.name == name] == [server]


@law(section="S4b", scope=_UNITS, wide=_UNITS_WIDE, ours=True)
def mcp_withheld_is_ignored(
    S: Config, below: tuple[Entry, ...], withheld: tuple[Entry, ...]
) -> bool:
    """The MCP entries of an untrusted project change nothing, and nothing else is added or lost (S4b.5, S4b.6)."""
    own = once(below)
    return S.servers((Servers(Place.GLOBAL, own), Servers(Place.WITHHELD, once(withheld)))) == own


@law(section="S4b", ours=True)
def session_dir_precedence(
    S: Config, flag: Text, variable: Text, legacy: Text, setting: Text
) -> bool:
    """The sessions directory is the flag's, else the variable's, else the legacy variable's, else the setting's,
    else the agent directory's (S4b.7).
    """
    said = zip((flag, variable, legacy, setting), Source, strict=False)
    found = [source for text, source in said if text is Text.SAYS]
    return S.session_dir(flag, variable, legacy, setting) is (*found, Source.AGENT_DIR)[0]

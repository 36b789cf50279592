"""What a model names in a rulebook (S6.2): its family by pattern and revision, its host by one signal."""

from __future__ import annotations

import operator
import re
import warnings
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from eukhe.core.quirks_types import Family, Host, ModelKey, Scope, Targets

__all__ = [
    "Bounds",
    "FamilyTest",
    "HostIndex",
    "Matcher",
    "Revision",
    "TargetIndex",
    "family_test",
    "host_index",
    "in_range",
    "normal",
    "pattern_of",
    "range_of",
    "revision_of",
    "target_index",
    "targets_of",
]

Revision: TypeAlias = tuple[int, int, int]
Matcher: TypeAlias = re.Pattern[str]
Bounds: TypeAlias = tuple[tuple[Callable[[Revision, Revision], bool], Revision], ...]

# A size such as `8b` or `2.4t` is no revision; neither is a number above 255, which is a date or a build.
_SIZE = r"[0-9]+(?:\.[0-9]+)?[bt](?![a-z])"
_NUMBER = rf"(?!{_SIZE})0*(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(?![0-9])"
_REVISION = re.compile(rf"[^0-9]*{_NUMBER}(?:[.-]{_NUMBER}(?:[.-]{_NUMBER})?)?")
_BOUND = re.compile(r"(>=|<=|>|<|=)([0-9]{1,3})(?:\.([0-9]{1,3}))?(?:\.([0-9]{1,3}))?")
_COMPARE: Mapping[str, Callable[[Revision, Revision], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}


class FamilyTest(NamedTuple):
    """A family, compiled."""

    id: str
    pattern: Matcher
    on_name: bool
    exclude: Matcher | None
    prefix: str
    bounds: Bounds


class HostIndex(NamedTuple):
    """The hosts of one lookup: by API, by provider, by fragment (the longest, then the smallest id first)."""

    apis: Mapping[str, str]
    providers: Mapping[str, str]
    fragments: tuple[tuple[str, str], ...]


class TargetIndex(NamedTuple):
    """What finds the targets of a model."""

    families: tuple[FamilyTest, ...]
    wire: HostIndex
    every: HostIndex


def normal(text: str) -> str:
    """Return an id, name, URL or fragment as patterns see it: in lower case, without space around it."""
    return text.strip().lower()


def _numbers(found: re.Match[str], first: int) -> Revision:
    major, minor, patch = (int(found[group] or 0) for group in range(first, first + 3))
    return major, minor, patch


def revision_of(prefix: str, name: str) -> Revision:
    """Return the revision that an id or name gives (S6.2); (0, 0, 0) when it names none.

    Args:
        prefix: What stands before the revision in the bare name (the text after the last `/`).
        name: The id or display name.
    """
    bare = normal(name).rpartition("/")[2]
    start = normal(prefix)
    at = bare.find(start)
    found = None if at < 0 else _REVISION.match(bare, at + len(start))
    return (0, 0, 0) if found is None else _numbers(found, 1)


def range_of(text: str) -> Bounds | None:
    """Return the bounds of a range such as `>=4.3 <4.4`, or None for a text that is no range."""
    found = [_BOUND.fullmatch(part) for part in text.split()]
    bounds = tuple((_COMPARE[one[1]], _numbers(one, 2)) for one in found if one is not None)
    return bounds if len(bounds) == len(found) else None


def in_range(bounds: Bounds, revision: Revision) -> bool:
    """Whether a revision meets every bound, compared number by number."""
    return all(compare(revision, bound) for compare, bound in bounds)


def pattern_of(text: str) -> Matcher | None:
    """Return a regular expression, or None for a text that is none."""
    with warnings.catch_warnings(
        action="ignore"
    ):  # what a warning filter says decides nothing here
        try:
            return re.compile(text)
        except (re.error, OverflowError, RecursionError):
            return None


def family_test(
    family: Family, pattern: Matcher, exclude: Matcher | None, bounds: Bounds
) -> FamilyTest:
    """Return a family, compiled from its parts."""
    return FamilyTest(family.id, pattern, family.on_name, exclude, family.prefix, bounds)


def _in_family(family: FamilyTest, texts: tuple[str, ...]) -> bool:
    if family.exclude is not None and any(map(family.exclude.search, texts)):
        return False
    return any(
        family.pattern.search(text) and in_range(family.bounds, revision_of(family.prefix, text))
        for text in texts
    )


def host_index(hosts: tuple[Host, ...]) -> HostIndex:
    """Return the index of the hosts of one lookup."""
    fragments = [(normal(fragment), host.id) for host in hosts for fragment in host.fragments]
    return HostIndex(
        {api: host.id for host in hosts for api in host.apis},
        {provider: host.id for host in hosts for provider in host.providers},
        tuple(sorted(fragments, key=lambda pair: (-len(pair[0]), pair[1]))),
    )


def target_index(families: tuple[FamilyTest, ...], hosts: tuple[Host, ...]) -> TargetIndex:
    """Return what finds the targets of a model; the wire lookup skips the hosts of scope `capabilities`."""
    wire = tuple(host for host in hosts if host.scope is Scope.WIRE)
    return TargetIndex(families, host_index(wire), host_index(hosts))


def _host(index: HostIndex, model: ModelKey) -> str | None:
    """Return the one host that a model names; the signals do not combine."""
    owner = index.apis.get(model.api)
    if owner is None:
        owner = index.providers.get(model.provider)
    if owner is None:
        url = normal(model.base_url)
        owner = next((host for fragment, host in index.fragments if fragment in url), None)
    return owner


def targets_of(index: TargetIndex, model: ModelKey) -> Targets:
    """Return the one target a layer that a model names (S6.2, S6.7)."""
    on_id = (normal(model.id),)
    on_both = (*on_id, normal(model.name))
    matching = tuple(
        family.id
        for family in index.families
        if _in_family(family, on_both if family.on_name else on_id)
    )
    only = len(matching) == 1
    return Targets(
        matching[0] if only else None,
        model.id,
        _host(index.wire, model),
        _host(index.every, model),
        () if only else matching,
    )

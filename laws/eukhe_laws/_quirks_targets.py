"""The laws of `quirks` about what a model names (S6.2): revisions, families, hosts."""

from __future__ import annotations

from typing import Annotated

from eukhe_laws._quirks import (
    MODEL,
    Row,
    family,
    host_by_signal,
    named,
    tables,
    text,
)
from eukhe_laws._quirks_subject import CORE, SPEC, Quirks
from eukhe_laws.engine.domain import Among, Range, Scope
from eukhe_laws.engine.law import law
from eukhe_spec import quirks_types as s

__all__ = ["AREA", "CORE", "SPEC"]

AREA = "quirks"

_PAIRS = Scope(nat=2, size=2)
_FEW = Scope(nat=2, size=4)


_TAILS = (
    *("", "-", "-x", ".x", ".b", ".-4", "x4", ":4", "-7bit"),  # no size
    *("b", "t", "b-x", "b{", "t`"),  # the last number is a size
    *("ba", "tz", "bx"),  # a letter follows, so it is none
    *("-8b", "-2.4t"),  # a size follows
)
_Number = Annotated[int, Among((9, 0, 255, 256, 20250514))]


def _expected(numbers: tuple[int, ...], dots: bool, tail: str) -> s.Revision:
    kept = list(numbers)
    if tail[:1] in ("b", "t") and not tail[1:2].isalpha():
        kept = kept[: -2 if dots else -1]  # a size, with the number before a dot
    elif tail == "-7bit":
        kept.append(7)
    small = [n for at, n in enumerate(kept) if max(kept[: at + 1]) < 256]
    return (*small, 0, 0, 0)[0], (*small, 0, 0, 0)[1], (*small, 0, 0, 0)[2]


@law(section="S6.2", scope=_PAIRS, wide=_FEW, ours=True)
def quirk_revision_read(
    S: Quirks,
    around: Annotated[tuple[str, bool], Among((("", False), ("3/qw9/", True)))],
    prefix: Annotated[str, Among(("", "qw"))],
    before: Annotated[tuple[str, str], Among((("", ""), ("-plus:", "0")))],
    numbers: tuple[_Number, ...],
    dots: bool,
    tail: Annotated[str, Among(_TAILS)],
) -> bool:
    """The revision starts at the first digit after the prefix: three numbers below 256, no sizes (S6.2)."""
    (vendor, upper), (filler, zero) = around, before
    body = ("." if dots else "-").join(zero + str(one) for one in numbers)
    tail = tail if numbers else "-x"
    name = vendor + prefix + filler + body + tail
    given = f" {name.upper()} " if upper else name
    return S.revision(text(prefix.upper() if upper else prefix), text(given)) == _expected(
        numbers, dots, tail
    )


@law(section="S6.2", ours=True)
def quirk_revision_needs_prefix(
    S: Quirks,
    before: Annotated[str, Among(("", "3.8-", "qw/", "w", "q"))],
    prefix: Annotated[str, Among(("q", "qw", "qwe", "x-", "8", ".", "/"))],
    numbers: Annotated[str, Among(("", "3", "3.8", "9-1"))],
) -> bool:
    """A bare name without the prefix names no revision, and the first of two prefixes counts (S6.2)."""
    name = before + "qw" + numbers + "qw7"
    bare = name.rpartition("/")[2]
    read = S.revision((), text(bare.partition(prefix)[2]))
    return S.revision(text(prefix), text(name)) == (read if prefix in bare else (0, 0, 0))


@law(section="S6.2", scope=_PAIRS, wide=_FEW, ours=True)
def quirk_range_exact(S: Quirks, bounds: tuple[s.Bound, ...], given: s.Revision) -> bool:
    """A range holds exactly when each of its bounds does, compared number by number (S6.2)."""
    for bound in bounds:
        differ = [(a, b) for a, b in zip(given, bound.revision, strict=True) if a != b]
        above = bool(differ) and differ[0][0] > differ[0][1]
        below = bool(differ) and not above
        met = {
            s.Op.AT_LEAST: not below,
            s.Op.ABOVE: above,
            s.Op.AT_MOST: not above,
            s.Op.BELOW: below,
            s.Op.EQUAL: not differ,
            s.Op.ODD: False,
        }[bound.op]
        if not met:
            return S.in_range(bounds, given) is False
    return S.in_range(bounds, given) is True


def _matches(place: s.Place, part: str, name: str) -> bool:
    low = name.strip().lower()
    return {
        s.Place.STARTS: low.startswith(part),
        s.Place.ANYWHERE: part in low,
        s.Place.WHOLE: low == part,
        s.Place.BROKEN: False,
    }[place]


_Sound = Annotated[s.Place, Among((s.Place.STARTS, s.Place.ANYWHERE, s.Place.WHOLE))]


@law(section="S6.2", ours=True)
def quirk_family_exact(
    S: Quirks,
    place: _Sound,
    part: Annotated[str, Among(("q", "3", ""))],
    on_name: bool,
    exclude: Annotated[
        tuple[s.Place, str] | None,
        Among((None, (s.Place.STARTS, "q"), (s.Place.ANYWHERE, "x"), (s.Place.WHOLE, "q"))),
    ],
    at_least: Annotated[int, Among((0, 3, 4))],
    id_: Annotated[str, Among(("q3", "Q", "3/xq", " q4 ", "x", ""))],
    name: Annotated[str, Among(("q", "q5", "x3q", ""))],
) -> bool:
    """A family is a model's when its pattern and range fit the id (or the name) and `except` does not (S6.2)."""
    own = s.Family(
        named(0),
        s.Pattern(place, text(part)),
        on_name,
        None if exclude is None else s.Pattern(exclude[0], text(exclude[1])),
        text("q"),
        (s.Bound(s.Op.AT_LEAST, (at_least, 0, 0)),),
    )
    model = s.Model(text(id_), text(name), 0, 0, ())
    at = S.targets(tables(families=(own,)), model)
    texts = (id_, name) if on_name else (id_,)
    inside = any(
        _matches(place, part, one) and S.revision(text("q"), text(one))[0] >= at_least
        for one in texts
    )
    left_out = exclude is not None and any(_matches(*exclude, one) for one in texts)
    found = named(0) if inside and not left_out else None
    return (at.family, at.model, at.overlap) == (found, model.id, ())


@law(section="S6.2", ours=True)
def quirk_id_in_lower_case(
    S: Quirks,
    letter: Annotated[int, Range(33, 126)],
    before: Annotated[int, Range(0, 2)],
    after: Annotated[int, Range(0, 2)],
) -> bool:
    """A pattern sees the id in lower case, without spaces around it (S6.2)."""
    low = ord(chr(letter).lower())
    families = tuple(
        [
            family(named(number), s.Pattern(s.Place.WHOLE, (one,)))
            for number, one in enumerate(dict.fromkeys((low, letter)))
        ]
    )
    id_ = (32,) * before + (letter,) + (32,) * after
    at = S.targets(tables(families=families), s.Model(id_, (), 0, 0, ()))
    return (at.family, at.overlap) == (named(0), ())


@law(section="S6.2", scope=Scope(nat=2, size=5), ours=True)
def quirk_overlap_names_none(S: Quirks, fits: tuple[bool, ...], last: bool, up: bool) -> bool:
    """A model that one family matches names it; one that two or more match names none, and all are told (S6.2)."""
    flags = (*fits, last)
    order = range(len(flags)) if up else range(len(flags))[::-1]
    families = tuple(
        [
            family(named(number), s.Pattern(s.Place.WHOLE, text("a" if fit else "b")))
            for number, fit in zip(order, flags, strict=True)
        ]
    )
    at = S.targets(tables(families=families), MODEL)
    found = tuple([one.id for one, fit in zip(families, flags, strict=True) if fit])
    only = len(found) == 1
    return (at.family, at.overlap) == (found[0] if only else None, () if only else found)


def _hosts(
    S: Quirks, rows: tuple[Row, ...], owner: int, provided: int, url: str, up: bool
) -> tuple[bool, bool]:
    """Whether the host, and the capability host, are those of the strongest signal."""
    order = range(len(rows)) if up else range(len(rows))[::-1]
    ids = [named(number) for number in order]
    hosts = [
        s.Host(
            id_,
            row.scope,
            (5,) if at == owner else (),
            (7,) if at == provided else (),
            () if row.fragment is None else (text(row.fragment),),
        )
        for at, (id_, row) in enumerate(zip(ids, rows, strict=True))
    ]
    at = S.targets(tables(hosts=tuple(hosts)), s.Model((), (), 5, 7, text(url)))
    signals = (
        ids[owner] if owner < len(ids) else None,
        ids[provided] if provided < len(ids) else None,
        url,
    )
    every = list(zip(ids, rows, strict=True))
    wire = [(id_, row) for id_, row in every if row.scope is s.Scope.WIRE]
    return (
        at.host == host_by_signal(wire, *signals),
        at.capability_host == host_by_signal(every, *signals),
    )


_Url = Annotated[str, Among(("", "open", " X-OPE"))]
_OWNERS = Scope(nat=3, size=2)


@law(section="S6.2", scope=_OWNERS, wide=Scope(nat=5, size=4), ours=True)
def quirk_host_one_signal(
    S: Quirks, rows: tuple[Row, ...], owner: int, provided: int, url: _Url, up: bool
) -> bool:
    """The host names the API, else the provider, else has the longest fragment; ties to the smaller id (S6.2)."""
    return _hosts(S, rows, owner, provided, url, up)[0]


@law(section="S6.7", scope=_OWNERS, wide=Scope(nat=5, size=4), ours=True)
def quirk_capability_host_of_any_scope(
    S: Quirks, rows: tuple[Row, ...], owner: int, provided: int, url: _Url, up: bool
) -> bool:
    """The capability lookup takes the same signals over every host; the wire lookup skips some (S6.7)."""
    return _hosts(S, rows, owner, provided, url, up)[1]

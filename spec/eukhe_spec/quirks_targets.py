"""What a model names (S6.2): its family by pattern and revision, its host by API, provider or URL."""

from __future__ import annotations

from eukhe_spec.contracts import ensure
from eukhe_spec.quirks_types import (
    Book,
    Bound,
    Family,
    Host,
    Model,
    Op,
    Pattern,
    Place,
    Revision,
    Scope,
    Targets,
    Text,
)

__all__ = ["found", "in_range", "lower", "revision", "starts", "targets"]

_ZERO: Revision = (0, 0, 0)


# Texts.


def lower(text: Text) -> Text:
    """Return the text in lower case, without spaces around it."""
    letters = tuple(c + 32 if 65 <= c <= 90 else c for c in text)
    kept = tuple(i for i, c in enumerate(letters) if c != 32)
    return letters[kept[0] : kept[-1] + 1] if kept else ()


def starts(text: Text, part: Text) -> bool:
    """Whether the text starts with `part`."""
    return text[: len(part)] == part


def places(text: Text, part: Text) -> tuple[int, ...]:
    """Return every place where `part` stands in the text."""
    return tuple(i for i in range(len(text) + 1) if starts(text[i:], part))


def found(pattern: Pattern, text: Text) -> bool:
    """Whether the pattern matches the text; a broken one matches none."""
    match pattern.place:
        case Place.STARTS:
            return starts(text, pattern.text)
        case Place.ANYWHERE:
            return places(text, pattern.text) != ()
        case _:
            return pattern.place is Place.WHOLE and text == pattern.text


def _digits(text: Text) -> Text:
    """Return the digits that the text starts with."""
    for place, letter in enumerate(text):
        if not 48 <= letter <= 57:
            return text[:place]
    return text


def _is_size(text: Text) -> bool:
    """Whether the text starts with a size: a number, then `b` or `t`, then no letter (`8b`, `2.4t-…`)."""
    rest = text[len(_digits(text)) :]
    if starts(rest, (46,)) and _digits(rest[1:]):
        rest = rest[1 + len(_digits(rest[1:])) :]
    unit = starts(rest, (98,)) or starts(rest, (116,))
    return unit and not any(97 <= letter <= 122 for letter in rest[1:2])


def _numbers(text: Text, most: int) -> tuple[int, ...]:
    """Return the first numbers of a text that starts with a digit: below 256, parted by `.` or `-`, no sizes."""
    digits = _digits(text)
    number = 0
    for digit in digits:
        number = min(256, number * 10 + digit - 48)
    if not digits or most == 0 or number == 256 or _is_size(text):
        return ()
    rest = text[len(digits) :]
    parted = starts(rest, (46,)) or starts(rest, (45,))
    return (number, *(_numbers(rest[1:], most - 1) if parted else ()))


@ensure(
    lambda result: all(0 <= number < 256 for number in result),
    "a date or a size is no revision, so no number passes 255",
)
def revision(prefix: Text, name: Text) -> Revision:
    """Return the revision that an id or name gives: it starts at the first digit after the prefix (S6.2).

    Args:
        prefix: What stands before the revision in the bare name.
        name: The id or display name.
    """
    text = lower(name)
    slashes = places(text, (47,))
    bare = text[slashes[-1] + 1 :] if slashes else text
    at = places(bare, lower(prefix))
    if not at:
        return _ZERO
    rest = bare[at[0] + len(lower(prefix)) :]
    for place, letter in enumerate(rest):
        if 48 <= letter <= 57:
            numbers = _numbers(rest[place:], 3)
            major, minor, patch = numbers + (0,) * (3 - len(numbers))
            return (major, minor, patch)
    return _ZERO


def in_range(bounds: tuple[Bound, ...], given: Revision) -> bool:
    """Whether a revision meets every bound, compared number by number (S6.2)."""
    for bound in bounds:
        match bound.op:
            case Op.AT_LEAST:
                met = given >= bound.revision
            case Op.ABOVE:
                met = given > bound.revision
            case Op.AT_MOST:
                met = given <= bound.revision
            case Op.BELOW:
                met = given < bound.revision
            case Op.EQUAL:
                met = given == bound.revision
            case Op.ODD:
                met = False
        if not met:
            return False
    return True


def _in_family(family: Family, model: Model) -> bool:
    texts = (model.id, model.name) if family.on_name else (model.id,)
    left_out = family.exclude is not None and any(found(family.exclude, lower(t)) for t in texts)
    return not left_out and any(
        found(family.pattern, lower(t)) and in_range(family.bounds, revision(family.prefix, t))
        for t in texts
    )


# Hosts (S6.2) and targets.


def _host(hosts: tuple[Host, ...], model: Model) -> Text | None:
    """Return the host that names the API, else the provider, else the longest fragment of the base URL."""
    for host in hosts:
        if model.api in host.apis:
            return host.id
    for host in hosts:
        if model.provider in host.providers:
            return host.id
    url = lower(model.url)
    best: tuple[int, Text] | None = None
    for host in hosts:
        for fragment in host.fragments:
            size = len(lower(fragment))
            longer = best is None or size > best[0] or (size == best[0] and host.id < best[1])
            if places(url, lower(fragment)) and longer:
                best = (size, host.id)
    return None if best is None else best[1]


def targets(book: Book, model: Model) -> Targets:
    """Return the one target a layer that a model names (S6.2, S6.7)."""
    families = tuple(family.id for family in book.families if _in_family(family, model))
    wire = tuple(host for host in book.hosts if host.scope is Scope.WIRE)
    return Targets(
        families[0] if len(families) == 1 else None,
        model.id,
        _host(wire, model),
        _host(book.hosts, model),
        families if len(families) > 1 else (),
    )

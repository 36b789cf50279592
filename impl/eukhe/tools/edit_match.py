"""Where a text is in a file, and the file with another in its place. Bytes, so that all else stays as it is."""

from __future__ import annotations

from dataclasses import dataclass

MAX_PLACES = 100_000
"""Places that one edit may change."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change that can be made.

    Attributes:
        data: the file.
        old: what is replaced, with the file's line ends.
        new: what takes its place, likewise.
        found: where `old` begins, in order; also a second place that overlaps the only other one. One more than
            `MAX_PLACES` of them stand for any number.
        places: those that are replaced when all are; empty when `old` is not there.
        open_end: whether the place found is the end of the file, where `old` has a line end and the file has none.
    """

    data: bytes
    old: bytes
    new: bytes
    found: tuple[int, ...]
    places: tuple[int, ...]
    open_end: bool = False

    @property
    def count(self) -> int:
        """How many places there are."""
        return len(self.found)

    @property
    def size_after(self) -> int:
        """Bytes of the file with every place replaced."""
        return len(self.data) + len(self.places) * (len(self.new) - len(self.old))

    def apply(self) -> bytes:
        """The file with every place replaced."""
        parts = []
        at = 0
        for place in self.places:
            parts += [self.data[at:place], self.new]
            at = place + len(self.old)
        return b"".join((*parts, self.data[at:]))


def find_edit(data: bytes, old: bytes, new: bytes) -> Edit:
    """Find a text in a file.

    In a file with CRLF line ends a text with LF is found too, since models write LF, and what is put in gets CRLF.
    A text that ends with a line end is also found at the end of a file that has none there.

    Args:
        data: the file.
        old: what to replace; not empty.
        new: what to put in its place.
    """
    if b"\r\n" in data:
        crlf = (_crlf(old), _crlf(new))
        alone = data.count(b"\r\n") == data.count(b"\n")
        for pair in (crlf, (old, new)) if alone else ((old, new), crlf):
            if (edit := _found(data, *pair)).places:
                return edit
        old, new = crlf if alone else (old, new)
    edit = _found(data, old, new)
    if edit.places:
        return edit
    end = b"\r\n" if old.endswith(b"\r\n") else b"\n"
    if old.endswith(end) and old != end and data.endswith(shorter := old.removesuffix(end)):
        place = (len(data) - len(shorter),)
        return Edit(data, shorter, new.removesuffix(end), place, place, open_end=True)
    return edit


def line_at(data: bytes, place: int) -> int:
    """The number of the line that a place is in, from 1."""
    return data.count(b"\n", 0, place) + 1


def _crlf(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _found(data: bytes, old: bytes, new: bytes) -> Edit:
    places: list[int] = []
    at = data.find(old)
    while at >= 0 and len(places) <= MAX_PLACES:
        places.append(at)
        at = data.find(old, at + len(old))
    found = tuple(places)
    if len(places) == 1 and (second := data.find(old, places[0] + 1)) >= 0:
        found += (second,)  # it overlaps the first, so which one is meant is not known
    return Edit(data, old, new, found, tuple(places))

"""Reading a JSON document key by key: every fault is noted with its path, and what was expected there."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

__all__ = ["Fault", "Fields", "found"]

_MISSING: Final = object()
_SHOWN = 60
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fault:
    """One mistake in a document.

    Attributes:
        path: Where it stands, such as `providers.acme.models[0].id`; empty for the whole document.
        message: What is wrong and what was expected.
    """

    path: str
    message: str

    @property
    def text(self) -> str:
        """The fault as a user reads it."""
        return f"{self.path}: {self.message}" if self.path else self.message


def found(value: object) -> str:
    """Say what a document holds in a place, shortly."""
    match value:
        case dict():
            return "an object"
        case list():
            return "a list"
        case _:
            text = json.dumps(value, ensure_ascii=False)
            return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


class Fields:
    """An object of a document.

    A reader returns something of the right type even where there is a fault; the document is then not used.

    Args:
        value: The JSON value.
        path: Where it stands.
        faults: Where faults are noted.
        secret: Whether values are never shown, because they may hold a key.
    """

    def __init__(
        self, value: object, path: str, faults: list[Fault], *, secret: bool = False
    ) -> None:
        self.path = path
        self._faults = faults
        self._secret = secret
        self._values: Mapping[str, object] = {}
        if isinstance(value, dict):
            self._values = value
        else:
            self.fault("", "an object", value)
            self._faults = []  # what it does not hold is no further mistake

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def at(self, key: str) -> str:
        """The path of a key of this object; the empty key is the object itself."""
        if not key:
            return self.path
        word = key if key.isprintable() and "." not in key else json.dumps(key)
        return f"{self.path}.{word}" if self.path else word

    def fault(self, key: str, expected: str, value: object = _MISSING) -> None:
        """Note that a key does not hold what was expected."""
        if value is _MISSING:
            text = f"expected {expected}, and it is missing"
        elif self._secret:
            text = f"expected {expected}"
        else:
            text = f"expected {expected}, found {found(value)}"
        self.note(key, text)

    def note(self, key: str, message: str) -> None:
        """Note a fault in its own words."""
        self._faults.append(Fault(self.at(key), message))

    def only(
        self, known: Collection[str], notes: list[Fault] | None = None, listed: str = ""
    ) -> None:
        """Note every key that is not known, with the one that was probably meant.

        Args:
            known: The keys.
            notes: Where to note them; None for among the faults.
            listed: Where the keys are listed; empty to list them in the note.
        """
        into = self._faults if notes is None else notes
        for key in self._values:
            if key not in known:
                from difflib import get_close_matches  # only a mistake pays for the import

                near = get_close_matches(key, known, 1)
                hint = (
                    f"did you mean {near[0]}?"
                    if near
                    else listed or f"there are: {', '.join(known)}"
                )
                into.append(Fault(self.at(key), f"there is no such key; {hint}"))

    def _take(self, key: str, kind: type[T], default: T | None, expected: str) -> T | None:
        """The value of a key when it has a type; `default` where the key is missing and there is one."""
        value = self._values.get(key, _MISSING)
        if value is _MISSING and default is not None:
            return default
        if isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool):
            return value
        self.fault(key, expected, value)
        return None

    def text(self, key: str, default: str | None = None, longest: int = 1024) -> str:
        """A text that is not empty and holds no control characters."""
        expected = f"a text of 1 to {longest} characters"
        value = self._take(key, str, default, expected)
        if value is None:
            return ""
        if not 0 < len(value) <= longest and value != default:
            self.fault(key, expected, value)
        elif not value.isprintable():
            self.fault(key, "a text without control characters", value)
        return value

    def maybe_text(self, key: str, longest: int = 1024) -> str | None:
        """A text, or None where the key is missing."""
        return self.text(key, None, longest) if key in self else None

    def maybe_secret(self, key: str) -> str | None:
        """A text that is not empty and never shown, or None where the key is missing."""
        value = self._values.get(key)
        if key in self and not (isinstance(value, str) and value):
            self.note(key, "expected a text that is not empty")
        return value if isinstance(value, str) else None

    def value(self, key: str) -> object:
        """The value of a key as it is."""
        return self._values.get(key)

    def word(self, key: str, words: Sequence[str], default: str | None = None) -> str:
        """One of some words."""
        expected = f"one of {', '.join(words)}"
        value = self._take(key, str, default, expected)
        if value is not None and value not in words:
            self.fault(key, expected, value)
        return value or ""

    def flag(self, key: str, *, default: bool | None = None) -> bool:
        """True or false."""
        return bool(self._take(key, bool, default, "true or false"))

    def whole(self, key: str, least: int, most: int, default: int | None = None) -> int:
        """A whole number within bounds."""
        expected = f"a whole number from {least:,} to {most:,}"
        value = self._take(key, int, default, expected)
        if value is not None and not least <= value <= most:
            self.fault(key, expected, value)
        return value or 0

    def number(self, key: str, most: float, default: float | None = None) -> float:
        """A number of at least 0."""
        expected = f"a number from 0 to {most:,g}"
        value = self._values.get(key, _MISSING)
        if value is _MISSING and default is not None:
            return default
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            self.fault(key, expected, value)
            return 0.0
        if not (math.isfinite(value) and 0 <= value <= most):
            self.fault(key, expected, value)
        return float(value)

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """A list of texts that are not empty."""
        expected = "a list of texts that are not empty"
        value = self._values.get(key, _MISSING)
        if value is _MISSING and default is not None:
            return default
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            self.fault(key, expected, value)
            return ()
        return tuple(value)

    def within(
        self, key: str, words: Sequence[str], default: tuple[str, ...] | None = None
    ) -> tuple[str, ...]:
        """A list, not empty, of some words."""
        texts = self.texts(key, default)
        if (
            key in self
            and isinstance(self._values[key], list)
            and not 0 < len(texts) == len(set(texts) & set(words))
        ):
            self.note(key, f"expected a list of some of {', '.join(words)}, each once")
        return texts

    def mapping(self, key: str) -> Mapping[str, object]:
        """An object as it is; empty where the key is missing."""
        value = self._values.get(key, {})
        if not isinstance(value, dict):
            self.fault(key, "an object", value)
            return {}
        return value

    def text_map(
        self, key: str, *, nulls: bool = False, secret: bool = False
    ) -> Mapping[str, str | None] | None:
        """An object of texts (or nulls, or of values that are not shown); None where the key is missing."""
        if key not in self:
            return None
        kinds = "a text or null" if nulls else "a text"
        values: dict[str, str | None] = {}
        inner = self.inner(key, secret=secret)
        for name, value in inner._values.items():
            if isinstance(value, str) or (value is None and nulls):
                values[name] = value
            else:
                inner.fault(name, kinds, value)
        return values

    def inner(self, key: str, *, secret: bool = False) -> Fields:
        """An object; an empty one where the key is missing."""
        value = self._values.get(key, {})
        return Fields(value, self.at(key), self._faults, secret=secret or self._secret)

    def each(self, key: str) -> tuple[Fields, ...]:
        """A list of objects; empty where the key is missing."""
        value = self._values.get(key, [])
        if not isinstance(value, list):
            self.fault(key, "a list of objects", value)
            return ()
        at = self.at(key)
        return tuple(Fields(one, f"{at}[{row}]", self._faults) for row, one in enumerate(value))

    @property
    def values(self) -> Mapping[str, object]:
        """The object as it is; empty where there is none."""
        return self._values

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys, in the order of the document."""
        return tuple(self._values)

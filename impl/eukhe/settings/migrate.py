"""Old shapes of settings: read as the new ones, in sight (a settings error says what was read as what)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from eukhe.core.config import Document
    from eukhe.core.cvar import Registry

__all__ = ["Moved", "migrated"]

#: Reads an old value: the new settings that it gives, by id; None when the value is no old shape.
_Reader: TypeAlias = Callable[[object], "dict[str, object] | None"]


def _renamed(name: str) -> _Reader:
    return lambda value: {name: value}


def _of_websockets(value: object) -> dict[str, object] | None:
    if not isinstance(value, bool):
        return None
    return {"transport": "websocket" if value else "sse"}


def _of_skills(value: object) -> dict[str, object] | None:
    new = {"enableSkillCommands": "enableSkillCommands", "customDirectories": "skills"}
    if not isinstance(value, dict) or not new.keys() >= value.keys():
        return None
    return {new[key]: inner for key, inner in value.items()}


def _of_telemetry(value: object) -> dict[str, object] | None:
    return {"telemetry.enabled": value} if isinstance(value, bool) else None


_OLD: Final[dict[str, _Reader]] = {
    "queueMode": _renamed("steeringMode"),
    "websockets": _of_websockets,
    "skills": _of_skills,
    "retry.maxDelayMs": _renamed("retry.provider.maxRetryDelayMs"),
    "telemetry": _of_telemetry,
}


class Moved(NamedTuple):
    """An old key that was found.

    Attributes:
        old: Its id.
        new: The id that it was read as.
        value: The value there, as JSON text.
        ignored: Whether the document has the new key as well, which then counts alone.
    """

    old: str
    new: str
    value: str
    ignored: bool

    @property
    def message(self) -> str:
        """What happened and what to do."""
        if self.ignored:
            return (
                f"{self.old} is the old name of {self.new}, which is set as well; remove {self.old}"
            )
        return f"{self.old} was read as {self.new} {self.value}; write it that way"


def migrated(registry: Registry, document: Document) -> tuple[Document, tuple[Moved, ...]]:
    """Return a document in today's shape, and what was read as what; the file itself stays as it is.

    An old key whose new setting is not declared is left alone: it is reported as undeclared like any other.
    """
    moved: list[Moved] = []
    for old, reader in _OLD.items():
        path = old.split(".")
        value = _at(document, path)
        new = None if value is _NOTHING else reader(value)
        if not new or not all(name in registry for name in new):
            continue
        document = _without(document, path)
        for name, inner in new.items():
            ignored = _at(document, name.split(".")) is not _NOTHING
            moved.append(Moved(old, name, json.dumps(inner, ensure_ascii=False), ignored))
            if not ignored:
                document = _with(document, name.split("."), inner)
    return document, tuple(moved)


_NOTHING: Final = object()


def _at(document: Document, path: list[str]) -> object:
    value: object = document
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return _NOTHING
        value = value[key]
    return value


def _without(document: Document, path: list[str]) -> Document:
    key, *rest = path
    inner = document.get(key)
    if rest and isinstance(inner, dict):
        return {**document, key: _without(inner, rest)}
    return {name: value for name, value in document.items() if name != key}


def _with(document: Document, path: list[str], value: object) -> Document:
    key, *rest = path
    if not rest:
        return {**document, key: value}
    inner = document.get(key, {})
    return {**document, key: _with(inner if isinstance(inner, dict) else {}, rest, value)}

"""Setting and unsetting one setting in a settings document, and `/set --global` in the global cfg file (S4b.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eukhe.core.config import SETTINGS, Drop, Put, Refused, Shadowed, save
from eukhe.core.cvar import CvarError, Entry, Place, global_change, judge
from eukhe.settings.cfg import with_set
from eukhe.settings.disk import Text, parse, read_text
from eukhe.settings.errors import RefusedSetError, RefusedWriteError
from eukhe.settings.json_text import changed
from eukhe.settings.load import cfg_layer, document_layer
from eukhe.settings.writer import change_document, change_text, refused

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from eukhe.core.cvar import Registry
    from eukhe.settings.load import Config

__all__ = [
    "Persisted",
    "save_global",
    "save_profile",
    "save_setting",
    "save_settings",
    "unset_setting",
]


@dataclass(frozen=True, slots=True)
class Persisted:
    """A set that is on the disk.

    Attributes:
        path: The file that was written.
        value: The value that it now gives; None after an unset.
        shadowed: The set of a higher layer that counts instead; None when this one counts.
        written: Whether the file changed.
    """

    path: Path
    value: object
    shadowed: Entry | None = None
    written: bool = True


def _above(config: Config, path: Path) -> list[Entry]:
    """The entries of the layers above a file."""
    number = next((n for n, one in enumerate(config.layers) if one.path == path), None)
    if number is None:  # a project document that is not there yet
        number = 0
    return [entry for layer in config.layers[number + 1 :] for entry in layer.entries]


def save_setting(
    registry: Registry,
    config: Config,
    id: str,  # noqa: A002 -- the requirement's word
    given: object,
    *,
    project: bool = False,
) -> Persisted:
    """Set a setting in `settings.json`, over what is on disk now (S4b.2).

    Args:
        registry: The cvars.
        config: The config as it was loaded; only its higher layers are looked at, to say what shadows the set.
        id: The cvar.
        given: A JSON value, a `Word`, or `FLIP`.
        project: Whether the project's document is meant.

    Raises:
        RefusedSetError: The cvar is not declared, is global, or does not hold the value.
        RefusedWriteError: The document is broken; it is as it was.
        WriteFailedError, LockedError: It could not be written; it is as it was.
    """
    (done,) = save_settings(registry, config, ((id, given),), project=project)
    return done


def save_settings(
    registry: Registry,
    config: Config,
    sets: Sequence[tuple[str, object]],
    *,
    project: bool = False,
) -> tuple[Persisted, ...]:
    """Set settings that belong together in one write of `settings.json`: all of them or none (S4b.2).

    Args:
        registry: The cvars.
        config: As for `save_setting`.
        sets: Each cvar with what is given for it.
        project: As for `save_setting`.

    Raises:
        RefusedSetError, RefusedWriteError, WriteFailedError, LockedError: As for `save_setting`.
    """
    path, place = _document(config, project)
    above = _above(config, path)
    done: list[Persisted] = []

    def edit(found: Text) -> str:
        done.clear()  # it may be called again
        for id, given in sets:  # noqa: A001 -- the requirement's word
            saved = save(registry, parse(found), Entry(id, given, place, str(path)), above)
            if isinstance(saved, Refused):
                raise refused(path, saved)
            if isinstance(saved, CvarError):
                raise RefusedSetError(saved)
            *within, key = id.split(".")
            value: object = saved.contents
            for word in (*within, key):
                value = value[word] if isinstance(value, dict) else None
            done.append(Persisted(path, value, saved.by if isinstance(saved, Shadowed) else None))
            found = Text(changed(found.text, saved.contents, Put(tuple(within), key, value)))
        return found.text

    change_text(path, edit, private=not project)
    return tuple(done)


def unset_setting(
    config: Config,
    id: str,  # noqa: A002 -- the requirement's word
    *,
    project: bool = False,
) -> Persisted:
    """Remove a setting from `settings.json`, declared or not; objects that get empty stay.

    Raises:
        RefusedWriteError, WriteFailedError, LockedError: As for `save_setting`.
    """
    path, _ = _document(config, project)
    *within, key = id.split(".")
    written = False
    if not read_text(path).missing:  # removing from a file that is not there makes none
        written = change_document(path, SETTINGS, Drop(tuple(within), key), private=not project)
    above = [one for one in _above(config, path) if one.id == id]
    return Persisted(path, None, above[-1] if above else None, written)


def _document(config: Config, project: bool) -> tuple[Path, Place]:
    files = config.files
    if not project:
        return files.settings, Place.GLOBAL
    if files.project_settings is None:
        raise RefusedWriteError(
            files.settings,
            f"this directory's .eukhe is the agent directory {files.agent_dir}: it has no project settings",
            "no project",
        )
    return files.project_settings, Place.PROJECT


def save_global(
    registry: Registry,
    config: Config,
    id: str,  # noqa: A002 -- the requirement's word
    given: object,
) -> Persisted:
    """Set a cvar in the global `config.cfg`: `/set --global`; a toggle flips what the global files say (S4).

    The read, the change and the write hold the lock of the cfg file.

    Raises:
        RefusedSetError: The set is not valid.
        RefusedWriteError: The cfg file is there and cannot be read; it is as it was.
        WriteFailedError, LockedError: It could not be written; it is as it was.
    """
    files = config.files
    done: list[Persisted] = []

    def edit(found: Text) -> str:
        _refuse_unreadable(files.cfg, found)
        below = document_layer(
            registry, files.settings, read_text(files.settings), Place.GLOBAL, {}
        )
        own = cfg_layer(files.cfg, found, Place.GLOBAL, {})
        value = global_change(registry, (*below.entries, *own.entries), id, given)
        if isinstance(value, CvarError):
            raise RefusedSetError(value)
        by = _shadow(registry, _above(config, files.cfg), id, value)
        done.append(Persisted(files.cfg, value, by))
        return with_set(found.text, id, value, own.lines)

    change_text(files.cfg, edit)
    return done[-1]


def _shadow(registry: Registry, above: Sequence[Entry], id: str, value: object) -> Entry | None:  # noqa: A002
    for higher in reversed(above):
        if higher.id == id and higher.place is not Place.WITHHELD:
            ruled = judge(registry, {id: value}, higher)
            if not isinstance(ruled, CvarError):
                return higher
    return None


def save_profile(path: Path, sets: Sequence[tuple[str, object]]) -> bool:
    """Write an agent's sets to its cfg file: `/cvar save` (S4.6). Other lines stay.

    Returns:
        Whether the file was written; an agent with nothing to save leaves it as it is.

    Raises:
        RefusedWriteError, WriteFailedError, LockedError: As for `save_global`.
    """

    def edit(found: Text) -> str | None:
        _refuse_unreadable(path, found)
        text = found.text
        for id, value in sets:  # noqa: A001 -- the requirement's word
            text = with_set(text, id, value)
        return text if sets else None

    return change_text(path, edit)


def _refuse_unreadable(path: Path, found: Text) -> None:
    if found.unreadable:
        message = f"{path} cannot be read ({found.unreadable}): nothing was written, repair the file first"
        raise RefusedWriteError(path, message, found.unreadable)

"""Binds (S4.5): what a key press runs, the default binds, the import of `keybindings.json`, the names of keys."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from eukhe_spec.cvar.aliases import Act, Alias, Command, Do, Failure, Plain, expand


@dataclass(frozen=True)
class Bind:
    """The commands of a key; of two binds of a key the first counts, and the user's come before the default."""

    key: int
    commands: tuple[Command, ...]


@dataclass(frozen=True)
class Pressed:
    """What a key press runs: in the session, and in the client."""

    session: Plain
    client: Plain


def press(aliases: tuple[Alias, ...], binds: tuple[Bind, ...], key: int) -> Pressed | Failure:
    """Return what a key press runs: the expanded commands of the first bind of the key (S4.5)."""
    for bind in binds:
        if bind.key == key:
            done = expand(aliases, bind.commands)
            if isinstance(done, Failure):
                return done
            session = (Act.SET, Act.TOGGLE, Act.ALIAS)
            return Pressed(
                tuple(one for one in done if one.act in session),
                tuple(one for one in done if one.act not in session),
            )
    return Pressed((), ())


@dataclass(frozen=True)
class Keys:
    """The keys of an action: its default ones, or those that `keybindings.json` gives it instead."""

    action: int
    keys: tuple[int, ...]


def _merged(rows: tuple[Keys, ...]) -> tuple[Keys, ...]:
    """Return one row an action: the last one, where the first one stood."""
    found: tuple[Keys, ...] = ()
    for one in rows:
        if any(before.action == one.action for before in found):
            found = tuple(one if before.action == one.action else before for before in found)
        else:
            found = (*found, one)
    return found


def _actions(rows: tuple[Keys, ...], key: int) -> tuple[int, ...]:
    return tuple(one.action for one in rows if key in one.keys)


def _keys(rows: tuple[Keys, ...]) -> tuple[int, ...]:
    """Return the keys, each once."""
    found: tuple[int, ...] = ()
    for key in (key for one in rows for key in one.keys):
        if key not in found:
            found = (*found, key)
    return found


def _bind(rows: tuple[Keys, ...], key: int) -> Bind:
    return Bind(key, tuple(Do(Act.ACTION, one) for one in _actions(rows, key)))


def default_binds(defaults: tuple[Keys, ...]) -> tuple[Bind, ...]:
    """Return the default binds: the actions that share a key share one bind (S4.5)."""
    rows = _merged(defaults)
    return tuple(_bind(rows, key) for key in _keys(rows))


def import_binds(defaults: tuple[Keys, ...], chosen: tuple[Keys, ...]) -> tuple[Bind, ...]:
    """Return the user's binds that give each key the actions that `keybindings.json` gave it (S4.5).

    A chosen row takes the place of the action's default one. A key whose actions are the default ones gets no
    bind, a key that lost all of its actions an empty one.
    """
    before, after = _merged(defaults), _merged(defaults + chosen)
    return tuple(
        _bind(after, key)
        for key in _keys(before + after)
        if _actions(after, key) != _actions(before, key)
    )


class Mod(Enum):
    """A modifier of a key."""

    CTRL = "ctrl"
    SHIFT = "shift"
    ALT = "alt"
    SUPER = "super"


class Base(Enum):
    """Some keys as a user writes them; two spellings of one key, a key that is the separator, and no key."""

    LETTER = "k"
    CAPITAL = "K"
    ESC = "esc"
    ESCAPE = "Escape"
    PAGE = "pageUp"
    F12 = "F12"
    PLUS = "+"
    NONE = "f13"
    BLANK = " "
    BELL = "\a"
    EMPTY = ""


@dataclass(frozen=True)
class Chord:
    """A key in its one form: a modifier is held or not, and the base has one spelling."""

    ctrl: bool
    shift: bool
    alt: bool
    super: bool
    base: Base


def chord(mods: tuple[Mod, ...], base: Base) -> Chord | None:
    """Return the key that a text like `Shift+ctrl+k` names; None when there is no such key."""
    match base:
        case Base.NONE | Base.BLANK | Base.BELL | Base.EMPTY:
            return None
        case Base.CAPITAL:
            base = Base.LETTER
        case Base.ESC:
            base = Base.ESCAPE
        case _:
            pass
    held = tuple(one in mods for one in (Mod.CTRL, Mod.SHIFT, Mod.ALT, Mod.SUPER))
    return Chord(held[0], held[1], held[2], held[3], base)

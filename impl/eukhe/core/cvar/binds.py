"""Binds (S4.5): what a key press runs, the default binds, and the import of `keybindings.json`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from eukhe.core.cvar.aliases import Aliases, Failure, expand
from eukhe.core.cvar.language import Action, Alias, Bind, Command, Plain, Set, Toggle

__all__ = ["Binds", "Pressed", "bind_table", "default_binds", "import_binds", "press"]

Binds: TypeAlias = Mapping[str, tuple[Command, ...]]


@dataclass(frozen=True, slots=True)
class Pressed:
    """What a key press runs: commands for the session, and commands for the client."""

    session: tuple[Plain, ...]
    client: tuple[Plain, ...]


def bind_table(*binds: Iterable[Bind]) -> Binds:
    """Return the commands of each key: of its binds the first wins, so give the user's before the default ones."""
    found: dict[str, tuple[Command, ...]] = {}
    for bind in (one for source in binds for one in source):
        found.setdefault(bind.key, bind.body)
    return found


def press(aliases: Aliases, binds: Binds, key: str) -> Pressed | Failure:
    """Return what a key press runs; nothing for a key with no bind, and nothing when its expansion fails.

    Args:
        aliases: The session's aliases.
        binds: The table of `bind_table`.
        key: The key in its one form (`key_name`).
    """
    plain = expand(aliases, binds.get(key, ()))
    if isinstance(plain, Failure):
        return plain
    session: list[Plain] = []
    client: list[Plain] = []
    for command in plain:
        (session if isinstance(command, Set | Toggle | Alias) else client).append(command)
    return Pressed(tuple(session), tuple(client))


def _by_key(actions: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the actions of each key, each once."""
    found: dict[str, list[str]] = {}
    for action, keys in actions.items():
        for key in dict.fromkeys(keys):
            found.setdefault(key, []).append(action)
    return found


def _bind(key: str, actions: Iterable[str]) -> Bind:
    return Bind(key, tuple(Action(one) for one in actions))


def default_binds(actions: Mapping[str, Sequence[str]]) -> tuple[Bind, ...]:
    """Return the default binds: the actions that share a key share one bind; the screen that gets the key picks.

    Args:
        actions: The default keys of each action.
    """
    return tuple(_bind(key, shared) for key, shared in _by_key(actions).items())


def import_binds(
    defaults: Mapping[str, Sequence[str]], chosen: Mapping[str, Sequence[str]]
) -> tuple[Bind, ...]:
    """Return the binds that, before the default ones, give each key what `keybindings.json` gave it.

    Args:
        defaults: The default keys of each action.
        chosen: The keys that `keybindings.json` gives an action, instead of its default ones.

    Returns:
        A bind for each key whose actions are not the default ones; an empty one for a key that lost all of its.
    """
    before = _by_key(defaults)
    after = _by_key({**defaults, **chosen})
    return tuple(
        _bind(key, after.get(key, ()))
        for key in {**before, **after}
        if after.get(key) != before.get(key)
    )

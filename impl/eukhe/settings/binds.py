"""Key binds: `binds.cfg` before the default binds, and its one import from `keybindings.json` (S4.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eukhe.core.config import Parsed
from eukhe.core.cvar import (
    Action,
    Bind,
    bind_table,
    default_binds,
    expand,
    import_binds,
    key_name,
    parse_script,
    text_of,
)
from eukhe.core.cvar import Failure as ExpandFailure
from eukhe.settings.bind_table import DEFAULT_KEYS, OLD_NAMES
from eukhe.settings.disk import Text, parse, read_text
from eukhe.settings.errors import SettingsError
from eukhe.settings.issues import Issue, shown

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.core.cvar import Aliases, Binds, Command

__all__ = ["KeyBinds", "load_binds"]


@dataclass(frozen=True, slots=True)
class KeyBinds:
    """The binds of a user.

    Attributes:
        path: `binds.cfg`.
        table: What each key runs, by the key's one form.
        own: The keys that `binds.cfg` binds, each with its line.
        warnings: What could not be read, imported or written.
        imported: Whether `binds.cfg` was written just now.
    """

    path: Path
    table: Binds
    own: dict[str, int]
    warnings: tuple[Issue, ...]
    imported: bool = False


def load_binds(agent_dir: Path, aliases: Aliases | None = None) -> KeyBinds:
    """Read `binds.cfg`; where there is none, write it one time from `keybindings.json`.

    Args:
        agent_dir: Where both are.
        aliases: The aliases that a bind may run; None checks no alias.
    """
    path = agent_dir / "binds.cfg"
    found = read_text(path)
    warnings: list[Issue] = []
    imported = False
    if found.missing:
        old = read_text(agent_dir / "keybindings.json")
        if not old.missing:
            text = _imported(agent_dir / "keybindings.json", old, warnings)
            if text is not None:
                imported = _write(path, text, warnings)
                found = read_text(path) if imported else Text(text)
    own, lines = _own(path, found, aliases, warnings)
    table = bind_table(own, default_binds(DEFAULT_KEYS))
    return KeyBinds(path, table, lines, shown(warnings), imported)


def _own(
    path: Path, found: Text, aliases: Aliases | None, warnings: list[Issue]
) -> tuple[list[Bind], dict[str, int]]:
    if found.unreadable:
        message = f"the file cannot be read ({found.unreadable}), so only the default binds count; repair it"
        warnings.append(Issue("Unreadable", str(path), message))
        return [], {}
    script = parse_script(found.text)
    for error in script.errors:
        said = error.message.partition(", ")[2]
        warnings.append(
            Issue(error.fault.value, str(path), f"{said}; this line binds nothing", line=error.line)
        )
    binds: list[Bind] = []
    lines: dict[str, int] = {}
    for line in script.lines:
        for command in line.commands:
            if isinstance(command, Bind):
                binds.append(command)
                _check(path, line.number, command, command.key in lines, aliases, warnings)
                lines.setdefault(command.key, line.number)
            else:
                shown = text_of((command,))
                message = f"`{shown}` has no effect here: binds.cfg holds `bind` lines"
                warnings.append(Issue("Misplaced", str(path), message, line=line.number))
    return binds, lines


def _check(
    path: Path,
    line: int,
    bind: Bind,
    again: bool,
    aliases: Aliases | None,
    warnings: list[Issue],
) -> None:
    if again:
        message = f"{bind.key} is bound above already, and the first bind of a key wins"
        warnings.append(Issue("Shadowed", str(path), message, line=line))
        return
    for name in _unknown_actions(bind.body):
        message = f"there is no action {name}; `eukhe binds list` shows them"
        warnings.append(Issue("Undeclared", str(path), message, name, line))
    if aliases is not None:
        plain = expand(aliases, bind.body)
        if isinstance(plain, ExpandFailure):
            message = f"{bind.key} runs nothing: {plain.message}"
            warnings.append(Issue(plain.error.value, str(path), message, plain.name, line))


def _unknown_actions(body: tuple[Command, ...]) -> list[str]:
    return [one.id for one in body if isinstance(one, Action) and one.id not in DEFAULT_KEYS]


def _imported(path: Path, old: Text, warnings: list[Issue]) -> str | None:
    """The text of `binds.cfg` that gives each key the actions that `keybindings.json` gave it."""
    disk = parse(old)
    if not isinstance(disk, Parsed) or not isinstance(disk.value, dict):
        why = getattr(disk, "why", "it holds no JSON object")
        message = f"the old key binds could not be read ({why}); repair or remove the file"
        warnings.append(Issue("Invalid", str(path), message))
        return None
    chosen: dict[str, tuple[str, ...]] = {}
    for old_name, given in disk.value.items():
        name = OLD_NAMES.get(old_name, old_name)
        keys = [given] if isinstance(given, str) else given
        if name not in DEFAULT_KEYS:
            warnings.append(
                Issue("Undeclared", str(path), f"there is no action {old_name}", old_name)
            )
        elif not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
            message = f"{old_name} takes a key or a list of keys"
            warnings.append(Issue("BadValue", str(path), message, old_name))
        else:
            named = [(key, key_name(key)) for key in keys]
            for key in (key for key, form in named if form is None):
                message = f"{old_name}: there is no key {key!r}"
                warnings.append(Issue("Key", str(path), message, old_name))
            chosen[name] = tuple(form for _, form in named if form is not None)
    binds = import_binds(DEFAULT_KEYS, chosen)
    head = "// Key binds, imported once from keybindings.json. The first bind of a key wins.\n"
    return head + "".join(text_of((bind,)) + "\n" for bind in binds)


def _write(path: Path, text: str, warnings: list[Issue]) -> bool:
    from eukhe.settings.writer import change_text  # the one import pays for it, nobody else

    try:
        return change_text(path, lambda found: text if found.missing else None)
    except SettingsError as error:
        message = f"the import from keybindings.json was not saved: {error}"
        warnings.append(Issue("Unwritten", str(path), message))
        return False

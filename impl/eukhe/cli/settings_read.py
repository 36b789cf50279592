"""`eukhe settings list|get|explain|path`: looking at settings writes nothing and takes no lock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from eukhe.cli.settings import (
    Known,
    known,
    note,
    option_json,
    option_where,
    print_json,
    shown_path,
    shown_value,
)
from eukhe.core.config import MCP_SERVERS
from eukhe.settings.issues import printable
from eukhe.settings.load import place_of

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from eukhe.core.cvar import Cvar, Entry, Step


def complete_ids(
    ctx: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete an id; only a shell that asks pays for the import."""
    from eukhe.cli.complete import ids

    return ids(ctx, parameter, incomplete)


def declared(found: Known, name: str) -> Cvar:
    """The declaration of an id.

    Raises:
        click.UsageError: there is none; the message names near ones.
    """
    cvar = found.registry.get(name)
    if cvar is None:
        raise click.UsageError(f"there is no setting {name}{near(found, name)}")
    return cvar


def near(found: Known, name: str) -> str:
    """What to do about an id that is not declared."""
    if name.startswith(f"{MCP_SERVERS}."):
        return "; `eukhe mcp` shows and changes MCP servers"
    from difflib import get_close_matches  # only a mistake pays for the import

    names = get_close_matches(name, found.registry)
    if names:
        return f"; did you mean {' or '.join(names)}?"
    return "; `eukhe settings list` shows all"


def value_of(found: Known, name: str) -> object:
    """The value that a new session would see; of MCP servers the entries of all layers, masked (S4b.6)."""
    if name == MCP_SERVERS:
        from eukhe.core.config import servers
        from eukhe.settings.masking import hidden

        entries = found.family.cvars.entries
        return {key: hidden(one.unit) for key, one in servers(entries).items()}
    return found.family.cvars.values[name]


def _shown(found: Known, name: str) -> str:
    """A value in a list that people read: MCP servers by name only, because they can hold credentials."""
    value = value_of(found, name)
    if name == MCP_SERVERS and isinstance(value, dict):
        return ", ".join(value)
    return shown_value(value)


def _origin(entry: Entry | None, lines: dict[str, dict[str, int]]) -> tuple[str, int | None]:
    return ("", None) if entry is None else place_of(entry, lines)


def _place(file: str, line: int | None) -> str:
    if not file:
        return "default"
    return shown_path(file) if line is None else f"{shown_path(file)}:{line}"


@click.command("list")
@option_json
@option_where
@click.pass_context
def list_settings(ctx: click.Context, /, as_json: bool, **_: object) -> None:
    """Show every setting: its value in this directory and where it comes from."""
    found = known(ctx)
    lines: dict[str, dict[str, int]] = {}
    winners = found.family.cvars.winners
    places = {name: _origin(winners.get(name), lines) for name in found.registry}
    if as_json:
        _print_json(found, places)
    else:
        rows = [(name, _shown(found, name), _place(*places[name])) for name in found.registry]
        click.echo(_table([(name, value or "-", place) for name, value, place in rows]))
    note((*found.config.issues, *found.family.issues))


def _print_json(found: Known, places: dict[str, tuple[str, int | None]]) -> None:
    print_json(
        [
            {
                "id": cvar.id,
                "value": value_of(found, cvar.id),
                "file": places[cvar.id][0] or None,
                "line": places[cvar.id][1],
                "type": cvar.type.kind.value,
                "scope": cvar.scope.value,
                "default": cvar.default,
                "help": cvar.help,
            }
            for cvar in found.registry.values()
        ]
    )


def _table(given: list[tuple[str, ...]]) -> str:
    rows = [tuple(printable(cell) for cell in row) for row in given]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    return "\n".join(
        "  ".join(
            [*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]
        ).rstrip()
        for row in rows
    )


@click.command("get")
@click.argument("name", metavar="ID", shell_complete=complete_ids)
@option_json
@option_where
@click.pass_context
def get_setting(ctx: click.Context, /, name: str, as_json: bool, **_: object) -> None:
    """Print the value of a setting in this directory; an empty line when it is unset."""
    found = known(ctx)
    declared(found, name)
    value = value_of(found, name)
    if as_json:
        file, line = _origin(found.family.cvars.winners.get(name), {})
        print_json({"id": name, "value": value, "file": file or None, "line": line})
    else:
        click.echo(shown_value(value))
    # What is wrong with other settings is not told here: what a whole file loses may be this one.
    # What trust withholds is no error of a file; `list` and `explain` tell it.
    issues = (*found.config.issues, *found.family.issues)
    note(tuple(one for one in issues if one.id in ("", name) and one.kind != "Withheld"))


@click.command("explain")
@click.argument("name", metavar="ID", shell_complete=complete_ids)
@option_json
@option_where
@click.pass_context
def explain_setting(ctx: click.Context, /, name: str, as_json: bool, **_: object) -> None:
    """Show what every layer says about a setting, which one wins, and why the others do not."""
    from eukhe.core.cvar import explain

    found = known(ctx)
    cvar = declared(found, name)
    lines: dict[str, dict[str, int]] = {}
    steps = explain(found.family.cvars, name)
    rows = [(step, *_origin(step.entry, lines)) for step in steps]
    if as_json:
        print_json(
            [
                {
                    "layer": _layer(step),
                    "file": file or None,
                    "line": line,
                    "given": _given(step, name),
                    "value": None if name == MCP_SERVERS else step.value,
                    "fate": step.fate.value,
                    "why": _why(step, rows),
                }
                for step, file, line in rows
            ]
        )
        return
    flags = [word for word in ("persist", "replicate") if getattr(cvar, word)]
    click.echo(", ".join([f"{name}: {cvar.type.kind.value}", cvar.scope.value, *flags]))
    click.echo(cvar.help)
    click.echo(
        _table(
            [
                (
                    f"  {_layer(step)}",
                    _place(file, line),
                    _given(step, name) or "-",
                    _why(step, rows),
                )
                for step, file, line in rows
            ]
        )
    )


def _layer(step: Step) -> str:
    return "default" if step.entry is None else step.entry.place.value


def _given(step: Step, name: str) -> str:
    """What stands in the file, as text; of MCP servers only that there are some."""
    from eukhe.core.cvar import FLIP, Word

    if name == MCP_SERVERS:
        return "{...}" if step.entry is not None else "{}"

    if step.entry is None:
        return shown_value(step.value)
    given = step.entry.given
    if given is FLIP:
        return "toggle"
    return given.text if isinstance(given, Word) else shown_value(given) or "null"


def _why(step: Step, rows: list[tuple[Step, str, int | None]]) -> str:
    """What became of a layer's word, and why."""
    from eukhe.core.cvar import Fate

    match step.fate:
        case Fate.WINS:
            return "wins"
        case Fate.SHADOWED:
            by = next((file, line) for one, file, line in rows if one.fate is Fate.WINS)
            return f"shadowed by {_place(*by)}"
        case Fate.WITHHELD:
            return "withheld: the project is not trusted"
        case Fate.REFUSED:
            error = step.error
            return "refused" if error is None else f"{error.kind.value}: {error.message}"


@click.command("path")
@option_json
@option_where
@click.pass_context
def show_paths(ctx: click.Context, /, as_json: bool, **_: object) -> None:
    """Print the files that settings come from, lowest layer first, and whether each is there."""
    found = known(ctx)
    files = found.config.files
    places = {
        "global settings": files.settings,
        "project settings": files.project_settings,
        "global cfg": files.cfg,
        "project cfg": files.project_cfg,
        "profile of main": files.profile("main"),
    }
    rows = [(name, path, path.exists()) for name, path in places.items() if path is not None]
    if as_json:
        print_json(
            [{"layer": name, "file": str(path), "exists": there} for name, path, there in rows]
        )
        return
    click.echo(
        _table(
            [(name, shown_path(path), "" if there else "(not there)") for name, path, there in rows]
        )
    )

"""Input and output that the `eukhe inspect` commands share."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

__all__ = ["as_json", "read_json", "read_text", "read_tools", "show", "tools_of"]

#: The option that every command has.
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def read_text(name: str) -> str:
    """Read a file, or standard input for `-`; bytes that are not UTF-8 become U+FFFD.

    Raises:
        click.UsageError: there is no such file, or it cannot be read.
    """
    if name == "-":
        return sys.stdin.buffer.read().decode(errors="replace")
    try:
        return Path(name).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise click.UsageError(f"{name}: {error.strerror or error}") from error


def read_json(name: str) -> object:
    """Read a JSON file, or standard input for `-`.

    Raises:
        click.UsageError: it cannot be read, or is not JSON, and then the message names the line.
    """
    text = read_text(name)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise click.UsageError(f"{name} is not JSON: {error.msg} at {place}") from error
    except RecursionError as error:
        raise click.UsageError(f"{name} is nested too deeply to read") from error
    except ValueError as error:  # all that is left: more digits than Python converts
        raise click.UsageError(f"{name} holds a number of too many digits to read") from error


def read_tools(name: str) -> dict[str, dict[str, object]]:
    """Read a JSON list of tools, as a request offers them: the name and the schema of each.

    Raises:
        click.UsageError: it cannot be read, or is no such list.
    """
    value = read_json(name)
    if not isinstance(value, list):
        raise click.UsageError(f"{name}: the tools are a JSON list")
    return tools_of(name, value)


def tools_of(name: str, value: list[object]) -> dict[str, dict[str, object]]:
    """Take the tools out of a JSON list that was read from the file `name`.

    Raises:
        click.UsageError: an item is no tool.
    """
    offered: dict[str, dict[str, object]] = {}
    for place, item in enumerate(value):
        match item:
            case {"name": str(tool), "parameters": dict(schema)} if tool:
                offered[tool] = schema
            case {"name": str(tool), **rest} if tool and "parameters" not in rest:
                offered[tool] = {}
            case _:
                raise click.UsageError(
                    f'{name}[{place}]: a tool is {{"name": ..., "parameters": a JSON schema}}'
                )
    return offered


def show(value: object) -> None:
    """Print one JSON value."""
    click.echo(json.dumps(value, indent=2))

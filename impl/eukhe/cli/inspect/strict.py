"""`eukhe inspect strict`: the budget of strict schemas (S6.4)."""

from __future__ import annotations

import click

from eukhe.cli.inspect.given import as_json, read_json, show
from eukhe.core.strict import PastCap, Tool, budget


def _tools(name: str) -> list[Tool]:
    value = read_json(name)
    if not isinstance(value, list):
        raise click.UsageError(f"{name}: the tools are a JSON list, of names or of objects")
    return [_tool(name, place, item) for place, item in enumerate(value)]


def _tool(name: str, place: int, item: object) -> Tool:
    match item:
        case str():
            return Tool(item)
        case {"name": str(tool), **rest}:
            priority, required = rest.get("priority", 0), rest.get("required", False)
            if not isinstance(priority, int) or isinstance(priority, bool):
                raise click.UsageError(f"{name}[{place}]: priority is a whole number")
            if not isinstance(required, bool):
                raise click.UsageError(f"{name}[{place}]: required is true or false")
            return Tool(tool, priority, required)
        case _:
            raise click.UsageError(f"{name}[{place}]: a tool is a name, or an object with a name")


@click.command("strict")
@click.argument("tools", metavar="TOOLS")
@click.option("--cap", type=click.IntRange(0), required=True, help="The provider's strict cap.")
@as_json
def strict(tools: str, cap: int, as_json: bool) -> int:
    """Show which tools of a request get strict schemas.

    TOOLS is a JSON file (or -): a list of names, or of objects {"name", "priority", "required"}. The exit code is
    1 when a tool that requires a strict schema is past the cap.
    """
    given = _tools(tools)
    found = budget(given, cap)
    if isinstance(found, PastCap):
        if as_json:
            show({"cap": cap, "pastCap": list(found.names)})
        else:
            names = ", ".join(found.names)
            click.echo(f"refused: {names} must be strict, and {cap} strict schemas are all")
        return 1
    if as_json:
        flags = zip(given, found.strict, strict=True)
        show({"cap": cap, "tools": [{"name": tool.name, "strict": flag} for tool, flag in flags]})
    else:
        for tool, flag in zip(given, found.strict, strict=True):
            click.echo(f"{'strict' if flag else 'loose '}  {tool.name}")
    return 0

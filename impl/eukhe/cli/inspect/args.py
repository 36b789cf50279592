"""`eukhe inspect args`: what is read from the argument text of a call (S6 argument repair)."""

from __future__ import annotations

import click

from eukhe.cli.inspect.given import read_json, read_text, show, tools_of
from eukhe.core.arguments_names import suggested_names, tool_unavailable
from eukhe.tools.arguments import ArgumentReader, BadArguments


@click.command("args")
@click.option(
    "--schema",
    "file",
    metavar="FILE",
    required=True,
    help='The JSON schema of the arguments, or a JSON list of tools {"name", "parameters"}.',
)
@click.option("--tool", metavar="NAME", help="The tool of the list that is called.")
def args(file: str, tool: str | None) -> int:
    """Read the raw argument text of a call from standard input, and print what becomes of it as JSON.

    The object has "arguments", "warnings" (one for each repair) and, when the call would not run, "error"; the
    exit code is 1 then.
    """
    if file == "-":
        raise click.UsageError("--schema: standard input is for the arguments; name a file")
    schema = read_json(file)
    if isinstance(schema, list):
        tools = tools_of(file, schema)
        if tool is None:
            raise click.UsageError(f"{file} is a list of tools; name one of them with --tool")
        if tool not in tools:
            names = list(suggested_names(tool, tools))
            message = tool_unavailable(tool, tools)
            show({"error": {"kind": "tool_unavailable", "message": message, "names": names}})
            return 1
        schema = tools[tool]
    if not isinstance(schema, dict):
        raise click.UsageError(f"{file}: the schema is a JSON object")
    found = ArgumentReader(schema).read(read_text("-"))
    form: dict[str, object] = {
        "arguments": found.value,
        "warnings": [repair.to_json() for repair in found.repairs],
    }
    if isinstance(found, BadArguments):
        form["error"] = {"kind": "invalid_arguments", "message": found.reason}
    show(form)
    return 1 if isinstance(found, BadArguments) else 0

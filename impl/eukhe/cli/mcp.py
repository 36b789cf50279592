"""`eukhe mcp`: the MCP servers that the settings declare. Credentials are asked for or piped in, shown masked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from eukhe.cli.secret import read_secret
from eukhe.cli.settings import Known, known, option_json, option_where, print_json, shown_path
from eukhe.core.config import servers
from eukhe.core.cvar import Place
from eukhe.settings.load import place_of
from eukhe.settings.masking import CREDENTIAL, hidden
from eukhe.settings.mcp import check_connections, drop_connection, drop_server, put_server

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from eukhe.core.config import Server


@click.group(invoke_without_command=True)
@click.pass_context
def mcp(ctx: click.Context) -> None:
    """Declare, list and remove MCP servers."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError("`eukhe mcp` needs a command: add, remove, list or get")


_option_layer = click.option(
    "--project/--global", "project", default=False, help="Whose settings.json. [default: global]"
)


@mcp.command("add", context_settings={"ignore_unknown_options": False})
@click.argument("name")
@click.argument("command", nargs=-1)
@click.option("--url", help="An HTTP server, in place of a command.")
@click.option("--env", multiple=True, metavar="NAME=VALUE", help="A variable of the command.")
@click.option("--secret-env", multiple=True, metavar="NAME", help="A variable; its value is read.")
@click.option("--header", multiple=True, metavar="NAME=VALUE", help="A header for the URL.")
@click.option("--secret-header", multiple=True, metavar="NAME", help="A header; its value is read.")
@click.option(
    "--bearer-token-env-var", metavar="VAR", help="The environment variable that holds a token."
)
@click.option("--command-cwd", metavar="DIR", help="Where the command runs.")
@click.option("--disabled", is_flag=True, help="Declare it, but do not use it.")
@_option_layer
@option_where
@click.pass_context
def add(
    ctx: click.Context, /, name: str, command: tuple[str, ...], project: bool, **options: Any
) -> None:
    """Declare a server: `eukhe mcp add NAME -- COMMAND ARGS`, or `eukhe mcp add NAME --url URL`.

    Values of --secret-env and --secret-header are asked for, or read from stdin, a line each.
    """
    if not name.strip() or not name.isprintable():
        raise click.UsageError(f"{name!r} is no name of a server")
    found = known(ctx)
    unit = _unit(command, options)
    path = _document(found, project)
    there = servers(found.config.entries).get(name)
    put_server(path, name, unit, private=not project)
    click.echo(f"the MCP server {name} is declared in {shown_path(path)}")
    if not project and there is not None and there.entry.place is Place.PROJECT:
        file, _ = place_of(there.entry, {})
        click.echo(f"but {shown_path(file)} declares it as well, and that counts here")
    if project and not found.config.trusted:
        click.echo("it does not count before the project is trusted: `eukhe trust`")


def _unit(command: tuple[str, ...], options: Mapping[str, Any]) -> dict[str, object]:
    url, env, header = options["url"], options["env"], options["header"]
    if bool(url) == bool(command):
        raise click.UsageError("give a command after `--`, or --url, and not both")
    of_url = ("header", "secret_header", "bearer_token_env_var")
    of_command = ("env", "secret_env", "command_cwd")
    wrong = [one for one in (of_command if url else of_url) if options[one]]
    if wrong:
        kind = "a URL" if url else "a command"
        raise click.UsageError(f"--{wrong[0].replace('_', '-')} does not go with {kind}")
    unit: dict[str, object] = {}
    if url:
        if not url.startswith(("http://", "https://")):
            raise click.UsageError(f"--url: {url!r} is no http or https address")
        if hidden({"url": url}) != {"url": url}:
            raise click.UsageError(
                "--url holds what looks like a credential, which must be no argument: use --secret-header, "
                "--bearer-token-env-var or `eukhe settings edit`"
            )
        unit["url"] = url
        headers = _pairs(header, "--header") | _asked(options["secret_header"])
        if headers:
            unit["headers"] = headers
        if options["bearer_token_env_var"]:
            unit["bearerTokenEnvVar"] = options["bearer_token_env_var"]
    else:
        unit["command"], unit["args"] = command[0], list(command[1:])
        variables = _pairs(env, "--env") | _asked(options["secret_env"])
        if variables:
            unit["env"] = variables
        if options["command_cwd"]:
            unit["cwd"] = options["command_cwd"]
    if options["disabled"]:
        unit["enabled"] = False
    return unit


def _pairs(given: Iterable[str], option: str) -> dict[str, object]:
    found: dict[str, object] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name:
            raise click.UsageError(f"{option}: {one!r} is no NAME=VALUE")
        if CREDENTIAL.fullmatch(name):
            raise click.UsageError(
                f"{option}: {name} looks like a credential, which must be no argument: "
                f"use --secret-{option[2:]} {name}"
            )
        found[name] = value
    return found


def _asked(names: Iterable[str]) -> dict[str, object]:
    return {name: read_secret(f"value of {name}") for name in names}


@mcp.command("remove")
@click.argument("name")
@_option_layer
@option_where
@click.pass_context
def remove(ctx: click.Context, /, name: str, project: bool, **_: object) -> None:
    """Remove a server, and what is stored of its connection."""
    found = known(ctx)
    path = _document(found, project)
    if not project:
        check_connections(found.config.files.agent_dir)
    gone = drop_server(path, name, private=not project)
    if not project:
        gone = drop_connection(found.config.files.agent_dir, name) or gone
    if not gone:
        raise click.UsageError(f"{shown_path(path)} declares no MCP server {name}")
    click.echo(f"the MCP server {name} was removed from {shown_path(path)}")


@mcp.command("list")
@option_json
@option_where
@click.pass_context
def list_servers(ctx: click.Context, /, as_json: bool, **_: object) -> None:
    """List the servers that count in this directory."""
    found = servers(known(ctx).config.entries)
    if as_json:
        print_json([_form(name, one) for name, one in found.items()])
        return
    for name, one in found.items():
        click.echo(f"{name}  {_gist(hidden(one.unit))}  {shown_path(place_of(one.entry, {})[0])}")
    if not found:
        click.echo("no MCP server is declared", err=True)


@mcp.command("get")
@click.argument("name")
@option_where
@click.pass_context
def get(ctx: click.Context, /, name: str, **_: object) -> None:
    """Print a server as JSON; the values of its variables and headers are masked."""
    found = servers(known(ctx).config.entries)
    if name not in found:
        raise click.UsageError(f"there is no MCP server {name}; `eukhe mcp list` shows all")
    print_json(_form(name, found[name]))


def _form(name: str, server: Server) -> dict[str, object]:
    return {"name": name, "file": place_of(server.entry, {})[0], **hidden(server.unit)}


def _gist(unit: Mapping[str, object]) -> str:
    args = unit.get("args")
    words = [unit.get("command"), *(args if isinstance(args, list) else [])]
    text = unit.get("url") or " ".join(str(word) for word in words if word is not None)
    return f"{text}{'' if unit.get('enabled', True) else ' (disabled)'}"


def _document(found: Known, project: bool) -> Path:
    files = found.config.files
    if not project:
        return files.settings
    if files.project_settings is None:
        raise click.UsageError("this directory's .eukhe is the agent directory: use --global")
    return files.project_settings

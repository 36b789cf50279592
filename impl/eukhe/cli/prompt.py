"""`eukhe prompt`: the system prompt that a session would send, and its tools. Nothing is sent or stored."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eukhe.agent.opening.document import document_of, toolset_of
from eukhe.agent.opening.options import RunOptions
from eukhe.agent.opening.settings import config_of, sessions_dir
from eukhe.agent.opening.source import project_of, stored_directory
from eukhe.agent.prompt.files import read_prompt_files
from eukhe.agent.prompt.system import joined, parts_of
from eukhe.agent.rows.record import agent_document
from eukhe.agent.who import Agent
from eukhe.cli.printer import without_control
from eukhe.cli.settings import note, print_json, shown_path
from eukhe.session.store import Session
from eukhe.settings.issues import printable
from eukhe.tools import ToolContext

if TYPE_CHECKING:
    from eukhe.agent.prompt.system import Part
    from eukhe.agent.rows.record import AgentDocument
    from eukhe.settings.issues import Issue


@click.command("prompt")
@click.option("-r", "--resume", metavar="ID", help="Of this stored session: its id, or its path.")
@click.option("--tools", metavar="NAMES", help="The tools on offer, with commas.")
@click.option("--no-tools", is_flag=True, help="Offer no tools.")
@click.option("--system-prompt", metavar="TEXT", help="Instructions in place of the built-in ones.")
@click.option(
    "--context-files/--no-context-files", default=None, help="With the AGENTS.md files, or without."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the tools' schemas.")
@click.option("--cwd", type=click.Path(file_okay=False, path_type=Path), help="The directory.")
@click.option("--session-dir", type=click.Path(file_okay=False, path_type=Path))
@click.option("--agent-dir", type=click.Path(file_okay=False, path_type=Path))
@click.pass_context
def prompt(
    ctx: click.Context,
    /,
    resume: str | None,
    tools: str | None,
    no_tools: bool,
    system_prompt: str | None,
    context_files: bool | None,
    as_json: bool,
    cwd: Path | None,
    session_dir: Path | None,
    agent_dir: Path | None,
) -> None:
    """Print the system prompt that a session here would send, each part with where it comes from.

    It takes the options of a run that change the prompt. Nothing is sent, and nothing is stored.
    """
    front = {
        name: Path(value)
        for name, value in ctx.find_root().params.items()
        if name in ("cwd", "session_dir", "agent_dir") and value is not None
    }
    options = RunOptions(
        resume=resume,
        tools=tools,
        no_tools=no_tools,
        system_prompt=system_prompt,
        context_files=context_files,
        cwd=cwd or front.get("cwd"),
        session_dir=session_dir or front.get("session_dir"),
        agent_dir=agent_dir or front.get("agent_dir"),
    )
    agent, issues = _agent(options)
    parts = parts_of(agent)
    if as_json:
        _print_json(agent, parts, issues)
        return
    note(issues)
    for number, part in enumerate(parts):
        text = without_control(part.text) if sys.stdout.isatty() else part.text
        size = len(part.text.encode(errors="surrogatepass"))
        head = f"== {printable(shown_path(part.source))} ({size} bytes)"
        whole = ("\n" if number else "") + f"{head}\n{text}"
        click.echo(whole.encode(errors="backslashreplace").decode())
    if not parts:
        click.echo("eukhe: note: no system prompt is sent", err=True)


def _agent(options: RunOptions) -> tuple[Agent, tuple[Issue, ...]]:
    """Who would run, as far as the prompt goes, and what is wrong with its files."""
    environ = os.environ
    stored: AgentDocument | None = None
    if options.resume is not None:
        _, config = config_of(environ, options.agent_dir, project_of(options.cwd))
        directory = stored_directory(options, sessions_dir(environ, config, options.session_dir))
        stored = None if directory is None else agent_document(Session.open_to_read(directory))
    document = document_of(options, stored, sends=False)
    cwd = Path(document.cwd)
    _, config = config_of(environ, options.agent_dir, cwd)
    files = read_prompt_files(config, cwd, context=document.context_files)
    agent = Agent(document, toolset_of(document), ToolContext(cwd, {}), prompt_files=files)
    withheld = (issue for issue in config.issues if issue.kind == "Withheld")
    return agent, (*withheld, *files.issues)


def _print_json(agent: Agent, parts: tuple[Part, ...], issues: tuple[Issue, ...]) -> None:
    print_json(
        {
            "system": joined(parts),
            "parts": [{"source": part.source, "text": part.text} for part in parts],
            "tools": [
                {"name": one.name, "description": one.description, "schema": one.schema}
                for one in agent.tools.specs
            ],
            "issues": [issue.to_json() for issue in issues],
        }
    )

"""`eukhe sessions list|show|tree|search|export`: look at what is stored. Nothing is locked and nothing changes."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eukhe.agent.inbox.entering import Queue
from eukhe.agent.rows import transcript
from eukhe.agent.rows.context import COMPACTION
from eukhe.agent.rows.record import INBOX, agent_document, main_conversation
from eukhe.agent.rows.shown import compacted, text_of_row
from eukhe.agent.stored.summary import Summary, summarize, title_of
from eukhe.cli.printer import without_control
from eukhe.cli.sessions import find, option_where, stored_in
from eukhe.cli.whole_file import write_whole
from eukhe.session.directories import session_directories
from eukhe.session.store import Session, now_ms
from eukhe.wire.messages import AssistantMessage, ToolResultMessage, UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eukhe.session.nodes import Entry


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
@option_where
@click.pass_context
def list_sessions(
    ctx: click.Context, as_json: bool, session_dir: Path | None, agent_dir: Path | None
) -> None:
    """List the stored sessions, the newest first: id, age, model, tokens or cost, directory, title."""
    directory = stored_in(ctx, session_dir, agent_dir)
    found = [summarize(path) for path in session_directories(directory)]
    if as_json:
        click.echo(json.dumps([summary.to_json() for summary in found], indent=2))
        return
    if not found:
        click.echo(f"no session is stored in {directory}", err=True)
    now = now_ms()
    for summary in found:
        click.echo(without_control(_line(summary, now)))


@click.command("show")
@click.argument("name", metavar="[ID]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@option_where
@click.pass_context
def show_session(
    ctx: click.Context,
    name: str | None,
    as_json: bool,
    session_dir: Path | None,
    agent_dir: Path | None,
) -> None:
    """Show what was said in a session; without an ID, in the newest one."""
    session = _opened(find(stored_in(ctx, session_dir, agent_dir), name))
    main = main_conversation(session)
    rows = () if main is None else session.entries(main)
    agent = agent_document(session)
    waiting = Queue.from_json(session.document(INBOX)).messages
    if as_json:
        form = {
            **_summary_of(session).to_json(),
            "agent": None if agent is None else agent.to_json(),
            "entries": [{"id": i, "kind": row.kind, "body": row.body} for i, row in rows],
            "waiting": [one.to_json() for one in waiting],
        }
        from eukhe.agent.stored.export import json_pieces

        for piece in json_pieces(form):
            click.echo(piece, nl=False)
        return
    about = f" · {agent.model} · {agent.cwd}" if agent else ""
    click.echo(without_control(f"session {session.id}{about}"))
    for _, row in rows:
        for line in _paragraphs(row):
            click.echo(without_control(line))
    for one in waiting:
        click.echo(without_control(f"\n> {one.text}\n[{one.kind}: it waits for the next run]"))


@click.command("tree")
@click.argument("name", metavar="[ID]", required=False)
@click.option("--all", "everything", is_flag=True, help="Results of tools and notes as well.")
@option_where
@click.pass_context
def draw_tree(
    ctx: click.Context,
    name: str | None,
    everything: bool,
    session_dir: Path | None,
    agent_dir: Path | None,
) -> None:
    """Draw a session: its conversations, their rows with their ids, and where they fork.

    The ids are what --at of `fork`, of `rewind` and of a run with --fork takes.
    """
    from eukhe.agent.rows.naming import is_title, name_of
    from eukhe.agent.stored.outline import outline

    session = _opened(find(stored_in(ctx, session_dir, agent_dir), name))
    title = name_of(session)
    by = " (title)" if is_title(session) else ""
    click.echo(without_control(f"session {session.id}" + (f" · {title}{by}" if title else "")))
    for line in outline(session, everything=everything):
        click.echo(without_control(line))


@click.command("search")
@click.argument("text")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object a line.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=100, show_default=True, help="The most rows."
)
@option_where
@click.pass_context
def search_sessions(
    ctx: click.Context,
    text: str,
    as_json: bool,
    limit: int,
    session_dir: Path | None,
    agent_dir: Path | None,
) -> None:
    """Find the rows that hold TEXT, in upper or lower case, the newest session first.

    Exits with 1 when there is none, like grep.
    """
    from eukhe.agent.stored.search import search

    if not text.strip():
        raise click.UsageError("the text to search for is empty")
    directory = stored_in(ctx, session_dir, agent_dir)
    hits = (hit for path in session_directories(directory) for hit in search(path, text))
    found = 0
    for hit in islice(hits, limit):
        found += 1
        if as_json:
            click.echo(json.dumps(hit.to_json()))
        else:
            line = f"{hit.session}  {hit.entry:>5}  {hit.kind}  {hit.text}"
            click.echo(without_control(line))
    if not found:
        ctx.exit(1)
    if found == limit and next(hits, None) is not None:
        click.echo(f"eukhe: note: there are more than {limit}; --limit shows them", err=True)


_FORMATS = ("markdown", "html", "json")
_BY_SUFFIX = {".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html"}


@click.command("export")
@click.argument("name", metavar="[ID]", required=False)
@click.option(
    "--format", "form", type=click.Choice(_FORMATS), help="[default: by the name of the file]"
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file, written whole or not at all. [default: the standard output]",
)
@option_where
@click.pass_context
def export_session(
    ctx: click.Context,
    name: str | None,
    form: str | None,
    output: Path | None,
    session_dir: Path | None,
    agent_dir: Path | None,
) -> None:
    """Write a session for others to read; without an ID, the newest one.

    Markdown and HTML have the main conversation, JSON has everything. Look through it before you give it away:
    it holds what the tools read.
    """
    if form is None:
        suffix = ".md" if output is None else output.suffix.lower()
        form = "json" if suffix == ".json" else _BY_SUFFIX.get(suffix)
    if form is None:
        raise click.UsageError(f"--format is missing: {output} does not say it by its name")
    session = _opened(find(stored_in(ctx, session_dir, agent_dir), name))
    pieces = _exported(session, form)
    if output is not None:
        write_whole(output, (piece.encode(errors="replace") for piece in pieces))
        return
    for piece in pieces:
        click.echo(piece, nl=False)


def _exported(session: Session, form: str) -> Iterator[str]:
    match form:
        case "html":
            from eukhe.agent.stored.export_html import to_html

            pieces = to_html(session)
        case "json":
            from eukhe.agent.stored.export import to_json

            return to_json(session)
        case _:
            from eukhe.agent.stored.export import to_markdown

            pieces = to_markdown(session)
    # A document is for others: what could steer the terminal that shows it is in the JSON alone.
    return map(without_control, pieces)


def _opened(directory: Path) -> Session:
    session = Session.open_to_read(directory)
    for warning in session.warnings:
        click.echo(f"eukhe: note: {warning}", err=True)
    return session


def _summary_of(session: Session) -> Summary:
    """The summary of a session that is open already."""
    if session.directory is None:
        return Summary(session.id, "")
    return summarize(session.directory)


def _line(summary: Summary, now: int) -> str:
    if summary.damage is not None:
        return f"{summary.id}  damaged: {summary.damage}"
    age = _age(now - summary.modified) if summary.modified else "empty"
    spent = _spent(summary)
    return f"{summary.id}  {age:>10}  {summary.model}  {spent:>7}  {summary.cwd}  {summary.title}"


def _spent(summary: Summary) -> str:
    """The cost where it is known, else the tokens."""
    if summary.cost is not None:
        return f"${summary.cost:.2f}"
    tokens = float(summary.tokens)
    for unit in ("", "k", "M"):
        if tokens < 1000 or unit == "M":
            break
        tokens /= 1000
    return f"{tokens:.0f} tok" if not unit else f"{tokens:.1f}{unit} tok"


def _age(milliseconds: int) -> str:
    seconds = max(0, milliseconds // 1000)
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"


def _paragraphs(row: Entry) -> Iterator[str]:
    match transcript.from_entry(row):
        case UserMessage() as message:
            yield f"\n> {message.text}"
        case AssistantMessage() as message:
            if message.text:
                yield f"\n{message.text}"
            for call in message.calls:
                yield f"\n[{call.name} {call.arguments}]"
            if not transcript.is_sent(message):
                yield f"[the reply ended early: {message.stop.value}]"
        case ToolResultMessage() as message:
            mark = "failed: " if message.is_error else ""
            yield f"[{message.tool}] {mark}{title_of(message.text)}"
        case None:
            if row.kind == COMPACTION:
                yield f"\n[{compacted(row)}]\n{text_of_row(row)}"
            if row.kind == transcript.ERROR:
                yield f"\n[the request failed: {row.body.get('message')}]"

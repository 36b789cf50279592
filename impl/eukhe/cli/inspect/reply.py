"""`eukhe inspect reply`: what becomes of a reply, and the calls that are rebuilt from its text (S6.10, H4.8)."""

from __future__ import annotations

import json
from dataclasses import dataclass

import click

from eukhe.cli.inspect.given import as_json, read_text, read_tools, show
from eukhe.cli.printer import without_control
from eukhe.core.arguments import parse_object
from eukhe.core.leak import (
    Again,
    Answer,
    Call,
    Notes,
    Reply,
    Run,
    Step,
    Truncate,
    Unread,
    decide,
    note_text,
)

_KEYS = frozenset({"text", "calls", "stop"})
_STOPS = ("stop", "length", "toolUse")


@dataclass(frozen=True, slots=True)
class _Said:
    """What is shown of a step: the word for it, the stop reason, its calls, its texts, the leak, the note."""

    outcome: str
    stop: str = "error"
    rebuilt: bool = False
    calls: tuple[Call, ...] = ()
    texts: tuple[str, ...] = ()
    leak: Unread | None = None
    note: str | None = None


@click.command("reply")
@click.argument("file", metavar="FILE")
@click.option(
    "--tools", metavar="FILE", help='The offered tools: a JSON list of {"name", "parameters"}.'
)
@as_json
def reply(file: str, tools: str | None, as_json: bool) -> None:
    """Show what becomes of the reply in FILE (or -): plain text, or JSON with "text", "calls" and "stop".

    Without --tools no tool is on offer, so that no leaked call can be rebuilt.
    """
    if file == tools == "-":
        raise click.UsageError("the reply and the tools cannot both come from standard input")
    offered = read_tools(tools) if tools is not None else {}
    found = _reply(file, read_text(file))
    said = _said(decide(found, Notes(), offered, parse_object), found)
    if as_json:
        show(_form(said))
    else:
        for line in _lines(said):
            click.echo(without_control(line.encode(errors="backslashreplace").decode()))


def _reply(name: str, text: str) -> Reply[Call]:
    """Read a reply: a JSON object with nothing but the keys of one, else the text as it stands."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not value or not value.keys() <= _KEYS:
        return Reply((text,), (), "stop")
    said = value.get("text", [])
    texts = [said] if isinstance(said, str) else said
    if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
        raise click.UsageError(f"{name}: text is a string or a list of strings")
    stop = value.get("stop", "stop")
    if stop not in _STOPS:
        raise click.UsageError(f"{name}: stop is one of {', '.join(_STOPS)}")
    return Reply(tuple(texts), _calls(name, value.get("calls", [])), stop)


def _calls(name: str, value: object) -> tuple[Call, ...]:
    if not isinstance(value, list):
        raise click.UsageError(f"{name}: calls is a list")
    calls: list[Call] = []
    for place, item in enumerate(value):
        match item:
            case {"name": str(tool), "arguments": str(text)}:
                calls.append(Call(tool, text))
            case {"name": str(tool)}:
                calls.append(Call(tool, json.dumps(item.get("arguments", {}), ensure_ascii=False)))
            case _:
                raise click.UsageError(
                    f'{name}: calls[{place}] is {{"name": ..., "arguments": ...}}'
                )
    return tuple(calls)


def _said(step: Step[Call], found: Reply[Call]) -> _Said:
    match step:
        case Run(calls=calls, texts=texts, rebuilt=rebuilt, stop=stop):
            return _Said("calls run", stop, rebuilt, calls, texts)
        case Truncate(calls=calls, texts=texts, rebuilt=rebuilt):
            return _Said("calls truncated", found.stop, rebuilt, calls, texts)
        case Answer(cut=cut, leak=leak):
            said = "answer, cut" if cut else "answer"
            return _Said(said, found.stop, texts=found.texts, leak=leak)
        case Again(note=note, leak=leak):
            return _Said("retried", texts=found.texts, leak=leak, note=note_text(note))
        case _:
            return _Said("fails")


def _form(said: _Said) -> dict[str, object]:
    leak = said.leak
    return {
        "outcome": said.outcome,
        "stop": said.stop,
        "rebuilt": said.rebuilt,
        "calls": [{"name": call.name, "arguments": call.arguments} for call in said.calls],
        "texts": list(said.texts),
        "leak": leak
        and {
            "family": leak.family.value,
            "why": leak.why.value,
            "text": leak.text,
            "at": leak.at,
            "name": leak.name,
        },
        "note": said.note,
    }


def _lines(said: _Said) -> list[str]:
    lines = [f"outcome  {said.outcome}"]
    if said.leak is not None:
        named = f" {said.leak.name!r}" if said.leak.name else ""
        where = f"text {said.leak.text}, character {said.leak.at}"
        lines.append(
            f"leak     {said.leak.family.value} markup {said.leak.why.value}{named} ({where})"
        )
    mark = "rebuilt" if said.rebuilt else "call   "
    lines += [f"{mark}  {call.name} {call.arguments}" for call in said.calls]
    lines += [f"text     {text!r}" for text in said.texts if text]
    if said.note is not None:
        lines.append(f"note     {said.note}")
    return lines

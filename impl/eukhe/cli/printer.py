"""Listeners of a run: text for people, JSON lines for programs."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, TextIO

from eukhe.agent import events
from eukhe.agent.compact.events import CompactionEnd, CompactionStart
from eukhe.agent.inbox.events import InputRefused, MessagePlaced
from eukhe.agent.retry.events import Failover, ProviderWaitStart
from eukhe.agent.stored.summary import title_of
from eukhe.cli.streams import lead_nowhere

if TYPE_CHECKING:
    from collections.abc import Mapping

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What a terminal could take for an order; tab and line feed are text."""


_TOLD = (
    events.RunFailed,
    events.StorageFailed,
    events.Notice,
    events.SettingsErrorFound,
    events.DefaultModelRow,
    events.SlashCommandEnd,
    CompactionEnd,
)
"""What is told on a line of its own, below the text."""


def without_control(text: str) -> str:
    """The text as it is safe to show on a terminal."""
    return _CONTROL.sub("", text)


def _write(out: TextIO, text: str) -> None:
    try:
        out.write(text)
        out.flush()
    except OSError as error:
        # The system does not say which of all files it was.
        raise OSError(error.errno, error.strerror, "the standard output") from error
    except KeyboardInterrupt:
        # Nobody reads it, and the rest of what is to be told would wait for a reader as well.
        lead_nowhere(out)
        raise


class JsonPrinter:
    """Prints every event as one JSON line, and failures as a line for people on stderr as well."""

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self._out = out
        self._err = err

    def __call__(self, event: events.AgentEvent) -> None:
        """Print an event."""
        line = json.dumps(events.to_json(event), ensure_ascii=True, separators=(",", ":"))
        _write(self._out, line + "\n")
        complain(event, self._err)

    def finish(self) -> None:
        """Nothing is left open."""


class TextPrinter:
    """Prints the text of the replies as it comes, and what happens around it on stderr.

    Args:
        out: for the text.
        err: for all else, in short dim lines where it is a terminal.
        environ: the environment; `NO_COLOR` turns the dimming off.
    """

    def __init__(self, out: TextIO, err: TextIO, environ: Mapping[str, str]) -> None:
        self._out = out
        self._err = err
        self._safe = out.isatty()
        dims = err.isatty() and not environ.get("NO_COLOR")
        self._dim, self._plain = ("\x1b[2m", "\x1b[0m") if dims else ("", "")
        self._open_line = False
        self._held: list[events.AgentEvent] = []

    def __call__(self, event: events.AgentEvent) -> None:
        """Print what a person wants to see of an event."""
        match event:
            case events.MessageUpdate(kind="text", text=text):
                # A pipe gets the model's bytes as they are; a terminal would obey some of them.
                _write(self._out, without_control(text) if self._safe else text)
                self._open_line = not text.endswith("\n")
            case events.ToolExecutionStart(tool=tool, arguments=arguments):
                self._aside(f"{tool}: {_gist(arguments)}")
            case events.ToolExecutionEnd(result=result) if result.is_error:
                self._aside(f"{result.tool}: {result.text}")
            case events.RetryStart(attempt=n, max_attempts=most, delay_ms=delay, reason=reason):
                wait = round(delay / 1000, 1)
                self._aside(f"{reason}; retry {n} of {most} in {wait:g} s", whole=True)
            case Failover(reason=reason, instead=instead):
                self._aside(f"{reason}; {instead} is asked instead", whole=True)
            case ProviderWaitStart(provider=provider, limit=limit):
                self._aside(f"waiting for {provider}: {limit} requests are in flight already")
            case events.NotedRetry(attempt=n, max_attempts=most, reason=reason):
                self._aside(f"{reason}; retry {n} of {most} with a note", whole=True)
            case CompactionStart(tokens=tokens, blocks=blocks):
                where = "" if blocks else " in the background"
                self._aside(f"the conversation has about {tokens:,} tokens; compacting it{where}")
            case CompactionEnd(status="failed") if self._open_line:
                self._held.append(event)  # it came beside the run, and must not part its text
            case CompactionEnd(status="success", tokens_before=before, tokens_after=after):
                self._aside(f"compacted from about {before:,} to {after or 0:,} tokens")
            case events.SlashCommandEnd(success=True, name=name, text=text) if text:
                self._aside(f"/{name}: {text}", whole=True)
            case MessagePlaced(kind=kind, text=text):
                self._aside(f"{kind.replace('_', '-')}: {text}")
            case _:
                if isinstance(event, _TOLD):
                    self.finish()
                complain(event, self._err)

    def finish(self) -> None:
        """End the line that the text left open."""
        if self._open_line:
            _write(self._out, "\n")
            self._open_line = False
        held, self._held = self._held, []
        for event in held:
            complain(event, self._err)

    def _aside(self, text: str, *, whole: bool = False) -> None:
        self.finish()
        line = text.rstrip() if whole else title_of(text)
        self._err.write(f"{self._dim}{without_control(line)}{self._plain}\n")
        self._err.flush()


def _gist(arguments: str) -> str:
    """What a call is about: its first argument; the raw text where that is no string."""
    try:
        value = json.loads(arguments)
        first = next(iter(value.values()))
    except (ValueError, AttributeError, StopIteration, RecursionError):
        return arguments
    return first if isinstance(first, str) else arguments


def complain(event: events.AgentEvent, err: TextIO) -> None:
    """Say a failure on one line."""
    match event:
        case events.RunFailed(text=text) | events.StorageFailed(text=text):
            line = f"eukhe: {text}"
        case (
            events.Notice(text=text)
            | events.SettingsErrorFound(text=text)
            | events.DefaultModelRow(text=text)
        ):
            line = f"eukhe: note: {text}"
        case InputRefused(line=number, text=text):
            line = f"eukhe: note: line {number} of stdin: {text}"
        case CompactionEnd(status="failed", error=str(text)):
            line = f"eukhe: note: the conversation was not compacted: {text}"
        case events.SlashCommandEnd(name=name, error=dict() as error):
            line = f"eukhe: /{name}: {error['message']}"
        case _:
            return
    err.write(without_control(" ".join(line.split())) + "\n")
    err.flush()

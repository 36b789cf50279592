"""Session commands: lines of a prompt that start with `/`, run before the rest of it is sent (S4).

The echo row is committed first, then the command runs, then what it changed and its result row are committed. A
command whose echo cannot be stored runs nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eukhe.agent.events import SlashCommandEnd
from eukhe.agent.lines.line import COMPACT
from eukhe.agent.lines.model import MODEL_LINES, RefusedLineError, run_model_line
from eukhe.agent.lines.session import SESSION_LINES, run_session_line
from eukhe.core.cvar import (
    FLIP,
    CvarError,
    ParseError,
    Set,
    Toggle,
    Word,
    expand,
    parse_list,
    quote,
    show,
    text_of,
)
from eukhe.core.cvar import Failure as ExpandFailure
from eukhe.session.errors import CommitFailedError, SessionError
from eukhe.settings.binds import load_binds
from eukhe.settings.errors import RefusedSetError, SettingsError
from eukhe.settings.issues import printable
from eukhe.settings.load import place_of
from eukhe.settings.masking import without_secrets
from eukhe.settings.setter import save_global, save_profile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eukhe.agent.events import Listener
    from eukhe.agent.lines.line import SlashLine
    from eukhe.agent.settings import SessionSettings
    from eukhe.core.cvar import Command
    from eukhe.session.tree import Json

__all__ = ["ECHO", "RESULT", "Refused", "SlashRunner", "note_result"]

#: The kinds of the rows of a command: what the user typed, and what came of it.
ECHO: Final = "session_slash_command"
RESULT: Final = "session_slash_command_result"

_GLOBAL: Final = re.compile(r"--global(?:[ \t]+|$)")


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a command did nothing, or not all of what it says.

    Attributes:
        kind: The rule: that of a `CvarError`, of an expansion, of a line that cannot be read, or of a file.
        id: The cvar or the alias; empty for none.
        message: What happened and what to do.
    """

    kind: str
    id: str
    message: str

    def to_json(self) -> dict[str, Json]:
        """The form in rows and events."""
        return {"kind": self.kind, "id": self.id, "message": self.message}


class SlashRunner:
    """Runs commands in one session.

    Args:
        settings: The session's settings.
        emit: The listener.
        environ: The environment; the commands on the model look for keys in it.
    """

    def __init__(
        self, settings: SessionSettings, emit: Listener, environ: Mapping[str, str] | None = None
    ) -> None:
        self._settings = settings
        self._emit = emit
        self._environ = {} if environ is None else environ

    def run(self, line: SlashLine) -> bool:
        """Run a command; False when it was refused.

        Raises:
            CommitFailedError: A row is not stored. When it was the echo, nothing was run.
        """
        settings = self._settings
        draft, main = settings.draft()
        draft.entry(main, ECHO, {"name": line.name, "args": line.args, "text": line.text})
        settings.commit(draft)
        if line.name == COMPACT:
            return True  # `compact_line` runs it, when there is someone to ask
        try:
            said, refused = self._dispatch(line)
        except RefusedSetError as error:
            said, refused = "", _of(error.error)
        except SettingsError as error:
            said, refused = "", Refused(type(error).__name__.removesuffix("Error"), "", str(error))
        note_result(settings, self._emit, line.name, said, refused)
        settings.show_issues()
        return refused is None

    def _dispatch(self, line: SlashLine) -> tuple[str, Refused | None]:
        match line.name, line.args:
            case "reload", "":
                return self._reload(), None
            case "cvar", "save":
                return self._save(), None
            case "cvar", "":
                return self._shown(), None
            case "cvar", args:
                return self._line(args)
            case name, args if name in SESSION_LINES:
                return self._session_line(name, args)
            case name, args if name in MODEL_LINES:
                return self._model_line(name, args)
            case "reload", _:
                return "", Refused("Arguments", "", "/reload takes no arguments")
            case "set" | "toggle" | "alias" as name, args:
                found = _GLOBAL.match(args)
                if found is None:
                    return self._line(f"{name} {args}")
                rest = args[found.end() :]
                return self._global(rest if rest.startswith("toggle ") else f"{name} {rest}")
            case name, "":
                return self._line(quote(name))
        return "", Refused("Arguments", line.name, f"the alias {line.name} takes no arguments")

    def _model_line(self, name: str, args: str) -> tuple[str, Refused | None]:
        """Run a command on the session's model."""
        try:
            return run_model_line(self._settings, self._environ, name, args), None
        except RefusedLineError as error:
            return "", Refused("Model", name, str(error))

    def _session_line(self, name: str, args: str) -> tuple[str, Refused | None]:
        """Run a command on the session itself."""
        settings = self._settings
        try:
            done = run_session_line(settings.session, name, args)
        except CommitFailedError:
            raise
        except SessionError as error:
            return "", Refused(type(error).__name__.removesuffix("Error"), "", str(error))
        if done.moved:
            settings.moved()
        return done.said, None

    def _line(self, text: str) -> tuple[str, Refused | None]:
        """Run a line in the session's agent."""
        commands = parse_list(text)
        if isinstance(commands, ParseError):
            return "", _of(commands)
        own = self._settings.own
        done = own.execute(commands)
        if done.failure is not None:
            return "", _of(done.failure)
        said = "; ".join(self._changes(commands))
        if done.refused:
            hint = ""
            if done.refused[0].kind.value == "Global":
                hint = "; /set --global writes it there"
            return said, _of(done.refused[0], hint)
        if done.left:
            message = f"`{text_of(done.left)}` is for the client: it belongs in binds.cfg"
            return said, Refused("Client", "", message)
        return said, None

    def _changes(self, commands: Iterable[Command]) -> list[str]:
        """What now holds of the cvars that a line names."""
        own = self._settings.own
        plain = expand(own.aliases, commands)
        if isinstance(plain, ExpandFailure):
            return []
        sets = dict(own.agent.stored)
        ids = [one.id for one in plain if isinstance(one, Set | Toggle)]
        said = [
            f"{name} = {show(without_secrets(name, sets[name]))}"
            for name in dict.fromkeys(ids)
            if name in sets
        ]
        other = [text_of((one,)) for one in plain if not isinstance(one, Set | Toggle)]
        return said + other

    def _global(self, text: str) -> tuple[str, Refused | None]:
        """Write a line's sets to the global `config.cfg`."""
        settings = self._settings
        commands = parse_list(text)
        if isinstance(commands, ParseError):
            return "", _of(commands)
        plain = expand(settings.own.aliases, commands)
        if isinstance(plain, ExpandFailure):
            return "", _of(plain)
        said: list[str] = []
        for one in plain:
            match one:
                case Set(name, word):
                    given: object = Word(word)
                case Toggle(name):
                    given = FLIP
                case _:
                    message = f"`{text_of((one,))}`: --global goes with set and toggle alone"
                    return "; ".join(said), Refused("Arguments", "", message)
            done = save_global(settings.registry, settings.config, name, given)
            line = f"{name} = {show(without_secrets(name, done.value))} in {done.path}"
            if done.shadowed is not None:
                file, number = place_of(done.shadowed, {})
                line += f", but {file}:{number} sets it, and that counts"
            said.append(line)
        settings.reload(force=True)
        return "; ".join(said), None

    def _save(self) -> str:
        """Write the agent's sets of persist cvars to its cfg (S4.6)."""
        settings = self._settings
        path = settings.config.files.profile(settings.own.family.name)
        sets = settings.saved_sets()
        if not sets:
            return "the session has no set that is saved"
        save_profile(path, sets)
        settings.reload(force=True)
        return f"{', '.join(name for name, _ in sets)} saved to {path}"

    def _shown(self) -> str:
        sets = self._settings.own.agent.stored
        return (
            "; ".join(f"{name} = {show(without_secrets(name, value))}" for name, value in sets)
            or "no sets"
        )

    def _reload(self) -> str:
        settings = self._settings
        settings.reload(force=True)
        warnings = load_binds(settings.config.files.agent_dir).warnings
        count = len(settings.issues) + len(warnings)
        said = [f"settings were read again; {count or 'nothing'} wrong"]
        return "; ".join([*said, *(one.text for one in warnings)])


def note_result(
    settings: SessionSettings, emit: Listener, name: str, said: str, refused: Refused | None
) -> None:
    """Store and tell what came of a command.

    Raises:
        CommitFailedError: It is not stored.
    """
    draft, main = settings.draft()
    settings.note_sets(draft, main)
    said = _harmless(said)
    error = None
    if refused is not None:
        error = Refused(refused.kind, _harmless(refused.id), _harmless(refused.message)).to_json()
    body: dict[str, Json] = {
        "name": name,
        "success": refused is None,
        "severity": "info" if refused is None else "error",
        "text": said,
        "error": error,
    }
    draft.entry(main, RESULT, body)
    settings.commit(draft)
    emit(SlashCommandEnd(name, refused is None, said, error))


def _harmless(text: str) -> str:
    """The words without what could steer a terminal: values, names and titles in them can come from anyone."""
    return "\n".join(printable(line) for line in text.split("\n"))


def _of(error: CvarError | ParseError | ExpandFailure, hint: str = "") -> Refused:
    match error:
        case CvarError(kind, name):
            return Refused(kind.value, name, error.message + hint)
        case ParseError(fault):
            return Refused(fault.value, "", error.message.partition(", ")[2])
        case ExpandFailure(rule, name):
            return Refused(rule.value, name, error.message)

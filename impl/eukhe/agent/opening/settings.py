"""The settings of a session: loaded before it is chosen, applied before its prompt runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from eukhe.agent.events import Notice, StorageFailed
from eukhe.agent.opening.errors import OptionError
from eukhe.agent.rows.record import main_conversation
from eukhe.agent.settings import CVARS, CvarAgent
from eukhe.session.directories import places
from eukhe.session.errors import CommitFailedError
from eukhe.settings.family import root
from eukhe.settings.load import load_config
from eukhe.settings.places import Files, agent_dir
from eukhe.settings.table import SESSION_DIR, load_registry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eukhe.agent.events import Listener
    from eukhe.agent.lines.line import SlashLine
    from eukhe.agent.settings import SessionSettings
    from eukhe.core.cvar import Registry
    from eukhe.session.store import Session
    from eukhe.settings.load import Config

__all__ = [
    "apply_lines",
    "apply_sets",
    "check",
    "config_of",
    "sessions_dir",
    "warn_of_binds",
]


def config_of(
    environ: Mapping[str, str], agent: Path | None, cwd: Path | None
) -> tuple[Registry, Config]:
    """Load the config of a directory.

    Args:
        environ: The environment.
        agent: `--agent-dir`.
        cwd: The project; None where the working directory is gone, so that there is no project layer.

    Raises:
        TableError: The table of cvars is broken.
    """
    registry = load_registry()
    home = agent_dir(environ, agent)
    files = Files(home, None) if cwd is None else Files.of(home, cwd)
    return registry, load_config(registry, files)


def sessions_dir(environ: Mapping[str, str], config: Config, flag: Path | None) -> Path:
    """The directory of the sessions, the same for every reader (S4b.7).

    Raises:
        OptionError: what was chosen can be no directory.
    """
    setting = root(config).cvars.values[SESSION_DIR]
    try:
        if isinstance(setting, str) and setting:
            # A relative one starts in the project, whatever directory the process was started in.
            setting = str((config.files.project or Path()) / Path(setting).expanduser())
        found = places(
            environ,
            agent_dir=config.files.agent_dir,
            session_dir=flag,
            setting=setting if isinstance(setting, str) else None,
        ).sessions_dir
    except RuntimeError as error:  # `~name` of a user who is not there
        raise OptionError(
            "session_dir",
            "the directory of the sessions begins with the home directory of a user who is not there: "
            f"correct --session-dir, $EUKHE_SESSION_DIR or `eukhe settings get {SESSION_DIR}`",
        ) from error
    if "\0" in str(found):
        raise OptionError(
            "session_dir",
            "the directory of the sessions has a zero byte in its name: "
            f"`eukhe settings explain {SESSION_DIR}` shows where it stands",
        )
    return found


def check(
    config: Config,
    session: Session | None,
    sets: Sequence[tuple[str, object]],
    lines: Sequence[SlashLine],
) -> None:
    """See before anything is stored that the sets are valid and the commands are there.

    Raises:
        OptionError: a set of `--set` is not valid, or there is no such command.
    """
    main = None if session is None else main_conversation(session)
    body = None if session is None or main is None else session.document(CVARS, main)
    agent = CvarAgent(root(config), body)
    for name, value in sets:
        error = agent.assign(name, value)
        if error is not None:
            raise OptionError("sets", f"--set {name}: {error.message}")
    if not lines:
        return
    from eukhe.agent.lines.line import COMMANDS, COMPACT
    from eukhe.tools.names import suggested_names

    names = [*COMMANDS, *agent.aliases]
    for line in lines:
        if line.name not in names:
            near = suggested_names(line.name, names)
            hint = f"did you mean {' or '.join(f'/{one}' for one in near)}?" if near else ""
            all_names = f"there are: {', '.join(f'/{one}' for one in names)}"
            raise OptionError("prompt", f"there is no command /{line.name}; {hint or all_names}")
        if line.name == COMPACT and line is not lines[-1]:
            said = "/compact runs behind the other commands of a prompt; make it the last of them"
            raise OptionError("prompt", said)
        if line.name == "alias":
            names.append(line.args.partition(" ")[0])


def apply_sets(
    settings: SessionSettings, sets: Sequence[tuple[str, object]], session: Session, emit: Listener
) -> bool:
    """Show the settings errors, and commit the sets of `--set`; False when they could not be stored."""
    try:
        settings.show_issues()
        _assign(settings, sets)
    except CommitFailedError as error:
        session.detach()
        _assign(settings, sets)
        emit(StorageFailed(str(error)))
        return False
    return True


def _assign(settings: SessionSettings, sets: Sequence[tuple[str, object]]) -> None:
    if not sets:
        return
    for name, value in sets:
        settings.own.assign(name, value)
    draft, main = settings.draft()
    settings.note_sets(draft, main)
    if draft.records:
        settings.commit(draft)


def apply_lines(
    settings: SessionSettings,
    lines: Sequence[SlashLine],
    emit: Listener,
    environ: Mapping[str, str],
) -> bool:
    """Run the session commands of a prompt; False at the first that is refused or cannot be stored."""
    from eukhe.agent.lines.run import SlashRunner  # only who runs a command pays for the import

    runner = SlashRunner(settings, emit, environ)
    for line in lines:
        try:
            if not runner.run(line):
                return False
        except CommitFailedError as error:
            emit(StorageFailed(str(error)))
            return False
    return True


def warn_of_binds(agent_home: Path, emit: Listener) -> None:
    """Tell what is wrong with the key binds; import them once from `keybindings.json`."""
    if not any((agent_home / name).exists() for name in ("binds.cfg", "keybindings.json")):
        return
    from eukhe.settings.binds import load_binds

    for warning in load_binds(agent_home).warnings:
        emit(Notice(warning.text))

"""Where sessions are stored, and which are there."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from eukhe.session import journal
from eukhe.session.errors import SessionNotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping

AGENT_DIR = "EUKHE_CODING_AGENT_DIR"
SESSION_DIRS = ("EUKHE_SESSION_DIR", "EUKHE_CODING_AGENT_SESSION_DIR")


@dataclass(frozen=True, slots=True)
class Places:
    """The directories of one user.

    Attributes:
        agent_dir: all user state of eukhe.
        sessions_dir: the sessions, a directory each.
    """

    agent_dir: Path
    sessions_dir: Path


def places(
    environ: Mapping[str, str], *, agent_dir: Path | None = None, session_dir: Path | None = None
) -> Places:
    """Choose the directories: the option, then the environment, then `~/.eukhe` (S4b.7).

    Args:
        environ: the environment of the process.
        agent_dir: `--agent-dir`.
        session_dir: `--session-dir`.
    """
    agent = agent_dir or _from_environ(environ, AGENT_DIR) or Path("~/.eukhe").expanduser()
    chosen = session_dir
    for name in SESSION_DIRS:
        chosen = chosen or _from_environ(environ, name)
    # Absolute, because the tools that get to see a path work in another directory.
    return Places(agent.absolute(), (chosen or agent / "sessions").absolute())


def new_session_id(at: int) -> str:
    """An id for a session made now; ids sort by time.

    Args:
        at: milliseconds since 1970.
    """
    moment = datetime.fromtimestamp(at / 1000, UTC)
    stamp = f"{moment:%Y%m%dT%H%M%S}{at % 1000:03d}"
    return f"{stamp}-{secrets.token_hex(3)}"


def session_directories(sessions_dir: Path) -> tuple[Path, ...]:
    """The stored sessions, the one with the newest commit first; empty when there is no directory.

    Raises:
        OSError: the directory is there and cannot be read.
    """
    found: list[tuple[int, str, Path]] = []
    try:
        children = list(sessions_dir.iterdir())
    except FileNotFoundError:
        return ()
    for child in children:
        try:
            changed = (child / journal.FILE).stat().st_mtime_ns
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            changed = 0  # last in the list, where whoever opens it is told what is wrong
        found.append((changed, child.name, child))
    return tuple(child for _, _, child in sorted(found, reverse=True))


def find_session(sessions_dir: Path, name: str) -> Path:
    """The directory of a session by its id, the start of its id, or its path.

    Raises:
        SessionNotFoundError: no session has the name, or several ids start with it.
    """
    if "/" in name:
        path = Path(name).expanduser()
        if os.path.isfile(path / journal.FILE):  # noqa: PTH113 - false for any name, never an error
            return path
        raise SessionNotFoundError(name, path.parent)
    if name and os.path.isfile(sessions_dir / name / journal.FILE):  # noqa: PTH113 - as above
        return sessions_dir / name
    matches = [path for path in session_directories(sessions_dir) if path.name.startswith(name)]
    if len(matches) == 1 and name:
        return matches[0]
    detail = f" ({len(matches)} ids start with it)" if name and matches else ""
    raise SessionNotFoundError(name, sessions_dir, detail)


def _from_environ(environ: Mapping[str, str], name: str) -> Path | None:
    value = environ.get(name, "")
    return Path(value).expanduser() if value else None

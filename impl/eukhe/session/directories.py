"""Where sessions are stored, and which are there."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from eukhe.core.config import session_dir as chosen_session_dir
from eukhe.session import journal
from eukhe.session.errors import SessionNotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping


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
    environ: Mapping[str, str],
    *,
    agent_dir: Path,
    session_dir: Path | None = None,
    setting: str | None = None,
) -> Places:
    """Choose the directories, with the one precedence that every reader has (S4b.7).

    Args:
        environ: the environment of the process.
        agent_dir: where all state is.
        session_dir: `--session-dir`.
        setting: `sessionDir`.
    """
    flag = None if session_dir is None else str(session_dir)
    chosen = chosen_session_dir(flag, environ, setting, str(agent_dir))
    # Absolute, because the tools that get to see a path work in another directory.
    return Places(agent_dir.absolute(), Path(chosen.path).expanduser().absolute())


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
        if child.name.startswith("."):
            continue  # being built or being removed
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
        if path.name == journal.FILE:
            path = path.parent
        if os.path.isfile(path / journal.FILE):  # noqa: PTH113 - false for any name, never an error
            return path
        raise SessionNotFoundError(name, path.parent)
    if name.startswith("."):
        raise SessionNotFoundError(name, sessions_dir)  # being built or being removed
    if name and os.path.isfile(sessions_dir / name / journal.FILE):  # noqa: PTH113 - as above
        return sessions_dir / name
    matches = [path for path in session_directories(sessions_dir) if path.name.startswith(name)]
    if len(matches) == 1 and name:
        return matches[0]
    detail = f" ({len(matches)} ids start with it)" if name and matches else ""
    raise SessionNotFoundError(name, sessions_dir, detail)

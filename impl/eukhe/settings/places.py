"""Which files settings come from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["AGENT_DIR", "PROJECT_DIR", "Files", "agent_dir"]

AGENT_DIR: Final = "EUKHE_CODING_AGENT_DIR"
PROJECT_DIR: Final = ".eukhe"


def agent_dir(environ: Mapping[str, str], flag: Path | None = None) -> Path:
    """Return the directory of all user state: the flag, then the environment, then `~/.eukhe`; absolute.

    Args:
        environ: The environment of the process.
        flag: `--agent-dir`.
    """
    if flag is not None:
        return flag.absolute()
    text, home = environ.get(AGENT_DIR) or "~/.eukhe", environ.get("HOME")
    # The home directory of this environment, which need not be that of the process.
    chosen = Path(home, text[2:]) if home and text.startswith("~/") else Path(text).expanduser()
    return chosen.absolute()


class Files(NamedTuple):
    """The files of one user in one project.

    Attributes:
        agent_dir: The global files.
        project: The directory that `.eukhe` is in, without links; None where there is no project layer, as in the
            directory whose `.eukhe` is the agent directory itself.
    """

    agent_dir: Path
    project: Path | None

    @classmethod
    def of(cls, agent_dir: Path, cwd: Path) -> Files:
        """Return the files for a working directory."""
        project = Path(os.path.realpath(cwd))
        same = os.path.realpath(project / PROJECT_DIR) == os.path.realpath(agent_dir)
        return cls(agent_dir, None if same else project)

    @property
    def settings(self) -> Path:
        """The global settings document."""
        return self.agent_dir / "settings.json"

    @property
    def cfg(self) -> Path:
        """The global cfg file."""
        return self.agent_dir / "config.cfg"

    @property
    def project_dir(self) -> Path | None:
        """The directory of the project's files."""
        return None if self.project is None else self.project / PROJECT_DIR

    @property
    def project_settings(self) -> Path | None:
        """The project's settings document."""
        return None if self.project is None else self.project / PROJECT_DIR / "settings.json"

    @property
    def project_cfg(self) -> Path | None:
        """The project's cfg file."""
        return None if self.project is None else self.project / PROJECT_DIR / "config.cfg"

    def profile(self, name: str) -> Path:
        """The cfg file of a named agent."""
        return self.agent_dir / "agents" / f"{name}.cfg"

    @property
    def subagent(self) -> Path:
        """The cfg file of every subagent."""
        return self.agent_dir / "subagent.cfg"

"""One user's files in a temporary directory, and the settings that come out of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eukhe.settings.load import Config, load_config
from eukhe.settings.places import Files
from eukhe.settings.table import load_registry

if TYPE_CHECKING:
    from eukhe.core.cvar import Registry


@dataclass
class User:
    """A user with an agent directory and a project."""

    root: Path

    def __post_init__(self) -> None:
        self.root = Path(self.root).resolve()
        self.agent.mkdir()
        (self.project / ".eukhe").mkdir(parents=True)

    @property
    def agent(self) -> Path:
        return self.root / "agent"

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def files(self) -> Files:
        return Files.of(self.agent, self.project)

    @property
    def registry(self) -> Registry:
        return load_registry()

    def config(self) -> Config:
        return load_config(self.registry, self.files)

    def write(self, name: str, content: object) -> Path:
        """Write a file: `settings.json`, or `project/config.cfg`; a value that is no text becomes JSON."""
        place, _, file = name.rpartition("/")
        path = (self.project / ".eukhe" if place == "project" else self.agent / place) / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))
        return path

    def trust(self) -> None:
        self.write("config.cfg", f'set trustedProjects "[\\"{self.project}\\"]"\n')

"""The rooms of an area: its modules by name, what else belongs to them, and their sources."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from eukhe_laws.engine.cache import project_root

__all__ = ["Rooms", "modules_of", "source_of"]


@dataclass(frozen=True)
class Rooms:
    """The modules of an area, by dotted name."""

    area: str
    spec: str
    core: str
    laws: str
    bridge: str

    @classmethod
    def of(cls, area: str) -> Rooms:
        """Return the rooms that every area has.

        An area of a test is named by the module of its laws, with the other rooms beside it.
        """
        package, dot, _ = area.rpartition(".")
        if dot:
            return cls(area, f"{package}.spec", f"{package}.core", area, f"{package}.bridge")
        return cls(
            area,
            f"eukhe_spec.{area}",
            f"eukhe.core.{area}",
            f"eukhe_laws.{area}",
            f"eukhe_bridge.{area}",
        )


def modules_of(name: str) -> tuple[ModuleType, ...]:
    """Return a room's module, those inside it when it is a package, and its siblings `AREA_more`."""
    package, _, area = name.rpartition(".")
    module = importlib.import_module(name)
    around = sys.modules[package] if package else module
    names = [
        *(
            found.name
            for found in pkgutil.walk_packages(getattr(module, "__path__", ()), f"{name}.")
        ),
        *(
            found.name
            for found in pkgutil.iter_modules(around.__path__, f"{package}.")
            if found.name.startswith((f"{name}_", f"{package}._{area}")) and found.name != name
        ),
    ]
    return (module, *(importlib.import_module(one) for one in names))


def source_of(module: ModuleType) -> tuple[str, str]:
    """Return a module's source, and its file as the diffs name it."""
    path, root = Path(module.__file__ or ""), project_root()
    if root is None or not path.is_relative_to(root):
        root = path.parents[module.__name__.count(".")]
    return path.read_text("utf-8"), path.relative_to(root).as_posix()

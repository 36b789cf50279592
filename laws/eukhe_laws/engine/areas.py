"""Areas by name: what is on disk, and what an area's module binds."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import eukhe_laws
from eukhe_laws.engine.agree import agreements
from eukhe_laws.engine.law import Law, laws_of

__all__ = ["BRIDGE", "Area", "area_names", "load", "subject_of"]

#: The name of the line that an area's bridge gets in a report.
BRIDGE = "bridge"


@dataclass(frozen=True)
class Area:
    """An area's laws, in the order of their statement, and the agreement laws of spec and core.

    Attributes:
        name: The area.
        laws: The laws of its module.
        agree: The agreement of spec and core, a law a function.
        module: The module.
        trouble: Why agreement could not be stated; empty when it was.
    """

    name: str
    laws: tuple[Law, ...]
    agree: tuple[Law, ...]
    module: ModuleType
    trouble: str = ""

    def law(self, name: str) -> Law | None:
        """Return the law or agreement of that name."""
        return next((one for one in (*self.laws, *self.agree) if one.name == name), None)


def area_names() -> tuple[str, ...]:
    """Return the areas, those of the report first, then modules beside them that are not in it yet."""
    here = Path(eukhe_laws.__file__).parent
    beside = sorted(path.stem for path in here.glob("*.py") if not path.stem.startswith("_"))
    return tuple(dict.fromkeys((*eukhe_laws.AREAS, *beside)))


def load(name: str) -> Area:
    """Import an area's laws.

    Args:
        name: The area, or the whole name of a module that states laws elsewhere.

    Raises:
        Exception: whatever the import of the area's files raises.
    """
    module = importlib.import_module(name if "." in name else f"eukhe_laws.{name}")
    try:
        return Area(name, laws_of(module), agreements(module, name), module)
    except TypeError as error:  # a DomainError too: the laws can still be run
        return Area(name, laws_of(module), (), module, str(error))


def subject_of(area: Area, subject: str) -> Any:
    """Return the functions under law: `spec`, `core`, or nothing for `both` (agreement closes over the two).

    Raises:
        AttributeError: the area's module does not bind that subject.
    """
    return None if subject == "both" else getattr(area.module, subject.upper())

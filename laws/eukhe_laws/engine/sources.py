"""The digest of everything that an area's verdicts depend on: its sources, the engine's, and the versions."""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import importlib.util
import platform
from functools import cache
from pathlib import Path

from eukhe_laws.engine.profile import Profile

__all__ = ["Sources", "versions"]

_ROOMS = ("eukhe_spec", "eukhe", "eukhe_laws", "eukhe_bridge")

#: What an engine's answer may depend on beside our own sources.
_PACKAGES = ("icontract", "hypothesis", "crosshair-tool", "z3-solver")


@cache
def versions() -> tuple[tuple[str, str], ...]:
    """Return name and version of Python and of the packages that engines use; those not installed are left out."""
    found = [("python", platform.python_version())]
    for name in _PACKAGES:
        try:
            found.append((name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            continue
    return tuple(found)


def _file(module: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin) if spec is not None and spec.origin is not None else None


def _imported(module: str, path: Path, text: bytes) -> frozenset[str]:
    """Name what a module imports, as far as it is ours: by reading it, without importing it."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names=names):
                found.update(one.name for one in names)
            case ast.ImportFrom(module=base, names=names, level=level):
                parts = package.split(".")
                above = ".".join(parts[: len(parts) - level + 1]) if level else ""
                whole = ".".join(part for part in (above, base or "") if part)
                found.add(whole)
                found.update(f"{whole}.{one.name}" for one in names)  # a name may be a submodule
    return frozenset(
        name for name in found if name.split(".")[0] in (*_ROOMS, module.split(".")[0])
    )


class Sources:
    """The sources of our modules, each read once: a run's own memory of what is on disk."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[bytes, frozenset[str]] | None] = {}

    def _read(self, module: str) -> tuple[bytes, frozenset[str]] | None:
        """Return the text of a module and what it imports; `None` for what is no module of ours."""
        if module not in self._known:
            path = _file(module)
            self._known[module] = None
            if path is not None and path.suffix == ".py":
                text = path.read_bytes()
                try:
                    self._known[module] = text, _imported(module, path, text)
                except SyntaxError:  # the import will say what is wrong
                    self._known[module] = text, frozenset()
        return self._known[module]

    def of(self, *modules: str) -> dict[str, bytes]:
        """Return the text of the modules and of all of ours that they import, by module name."""
        found: dict[str, bytes] = {}
        waiting, seen = list(modules), set(modules)
        while waiting:
            module = waiting.pop()
            package = module.rpartition(".")[0]
            if package and package not in seen:  # importing a module runs its packages first
                seen.add(package)
                waiting.append(package)
            known = self._read(module)
            if known is not None:
                found[module], imported = known
                waiting += imported - seen
                seen |= imported
        return found

    def _every(self, area: str) -> dict[str, bytes]:
        modules = [area] if "." in area else [f"eukhe_laws.{area}", f"eukhe_bridge.{area}"]
        return self.of(*modules, "eukhe_laws.engine.work")

    def still(self, area: str) -> bool:
        """Whether the files that an area's digest was made of still hold the same text."""
        for name, text in self._every(area).items():
            path = _file(name)
            try:
                if path is None or path.read_bytes() != text:
                    return False
            except OSError:
                return False
        return True

    def digest(self, area: str, profile: Profile) -> str:
        """Return the digest of an area's sources in every room, of the engine's, of versions and profile.

        Args:
            area: The area, or the whole name of a module that states laws elsewhere.
            profile: The budget.
        """
        every = self._every(area)
        parts = hashlib.sha256(repr((area, profile, versions())).encode())
        for name in sorted(every):
            parts.update(name.encode() + b"\0" + hashlib.sha256(every[name]).digest())
        return parts.hexdigest()

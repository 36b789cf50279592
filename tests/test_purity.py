"""The decision core and the reference models import nothing that acts, by their sources."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

#: Parts of the standard library that do I/O, tell the time, read the environment or draw random numbers.
ACTS = frozenset(
    {
        "asyncio",
        "builtins",
        "concurrent",
        "ctypes",
        "datetime",
        "fcntl",
        "ftplib",
        "getpass",
        "glob",
        "http",
        "importlib",
        "io",
        "locale",
        "logging",
        "mmap",
        "multiprocessing",
        "os",
        "pathlib",
        "pickle",
        "platform",
        "pty",
        "random",
        "resource",
        "secrets",
        "select",
        "selectors",
        "shelve",
        "shutil",
        "signal",
        "socket",
        "socketserver",
        "sqlite3",
        "ssl",
        "subprocess",
        "sys",
        "tempfile",
        "threading",
        "time",
        "urllib",
        "uuid",
        "zoneinfo",
    }
)

CALLS = frozenset({"open", "print", "input", "eval", "exec", "__import__", "globals"})


def _sources(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def _imports(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            pure = node.module == "pathlib" and all(a.name.startswith("Pure") for a in node.names)
            pure = pure or node.module == "urllib.parse"  # works on texts alone
            found |= set() if pure else {node.module}
    return found


def _foreign(tree: ast.Module, own: str, libraries: frozenset[str]) -> set[str]:
    """Return what the module imports and may not."""
    return {
        name
        for name in _imports(tree)
        if not (name == own or name.startswith(own + "."))
        and not (
            name.partition(".")[0] in sys.stdlib_module_names and name.partition(".")[0] not in ACTS
        )
        and name.partition(".")[0] not in libraries
    }


@pytest.mark.parametrize("path", _sources("impl/eukhe/core"), ids=lambda path: path.name)
def test_the_core_is_pure(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert _foreign(tree, "eukhe.core", frozenset()) == set()
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert called & CALLS == set()


@pytest.mark.parametrize("path", _sources("spec/eukhe_spec"), ids=lambda path: path.name)
def test_the_spec_imports_icontract_and_nothing_else(path: Path) -> None:
    if path.name == "contracts.py":  # the one place that reads the environment, once
        return
    tree = ast.parse(path.read_text())
    assert _foreign(tree, "eukhe_spec", frozenset()) == set()


def test_an_import_that_acts_is_seen() -> None:
    tree = ast.parse("import os.path\nfrom time import time\nimport click\nimport json\n")
    assert _foreign(tree, "eukhe.core", frozenset()) == {"os.path", "time", "click"}

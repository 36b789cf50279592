"""Mutants: small wrong edits of a module's source, each one a change that a law or the bridge should notice.

A mutant is an edit of the text, so its unified diff is exactly what a person would have typed wrong. Nothing here
runs or imports the module; `swap` puts a mutant into a running process, `mutants` sees who notices it.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from eukhe_laws.engine.edits import Edit, defaults, dropped_items, edits, signatures

__all__ = ["Mutant", "Place", "mutants_of"]


class Place(Enum):
    """Where an edit lies, which decides how it is swapped in."""

    BODY = "body"
    DEFAULTS = "defaults"
    TABLE = "table"


@dataclass(frozen=True)
class Mutant:
    """One wrong edit.

    Attributes:
        module: The module's dotted name.
        function: The qualified name of the edited function, or the names a module-level table binds.
        place: Whether the edit lies in a function's body, in its defaults or in a module-level table.
        line: The line of the edit, from 1.
        change: The edit in words, like `< becomes <=`.
        start: The first byte of the source that the edit replaces.
        end: The byte after the last one.
        text: The replacement.
    """

    module: str
    function: str
    place: Place
    line: int
    change: str
    start: int
    end: int
    text: str

    def apply(self, source: str) -> str:
        """Return the source with the edit made."""
        raw = source.encode()
        return (raw[: self.start] + self.text.encode() + raw[self.end :]).decode()

    def diff(self, source: str, file: str) -> str:
        """Return the edit as a unified diff of `file`."""
        lines = difflib.unified_diff(
            source.splitlines(), self.apply(source).splitlines(), file, file, n=2, lineterm=""
        )
        return "\n".join(lines)


#: Names that make a module-level assignment a statement about types, which no law runs.
_TYPING = frozenset(
    {"Annotated", "Literal", "TypeVar", "NewType", "Union", "Optional", "ParamSpec"}
)


def _functions(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name not in ("__repr__", "__str__"):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{prefix}{node.name}.")


def _table(node: ast.stmt) -> tuple[str, ast.expr] | None:
    """Return the name and value of a module-level assignment that holds data, not a type."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            pass
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            if "TypeAlias" in ast.unparse(node.annotation):
                return None
        case _:
            return None
    used = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
    if name.startswith("__") or used & _TYPING or _is_type(value):
        return None
    return name, value


def _is_type(value: ast.expr) -> bool:
    """Whether a value reads as a type: `A | B`, `tuple[int, ...]`."""
    match value:
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return all(
                isinstance(side, ast.Name | ast.Constant) or _is_type(side)
                for side in (left, right)
            )
        case _:
            return isinstance(value, ast.Subscript)


def _placed(tree: ast.Module) -> Iterator[tuple[str, Place, Edit]]:
    known = signatures(tree)
    for name, function in _functions(tree.body):
        for default in defaults(function):
            for edit in edits(default, known):
                yield name, Place.DEFAULTS, edit
        for statement in function.body:
            for edit in edits(statement, known):
                yield name, Place.BODY, edit
    for statement in tree.body:
        table = _table(statement)
        if table is None:
            continue
        name, value = table
        if isinstance(value, ast.Tuple | ast.List | ast.Set):
            for edit in dropped_items(value, 1):
                yield name, Place.TABLE, edit
        for edit in edits(value, known):
            yield name, Place.TABLE, edit


def mutants_of(module: str, source: str) -> tuple[Mutant, ...]:
    """Return every mutant of a module's source, in the order of the source.

    Args:
        module: The module's dotted name.
        source: The module's text.
    """
    starts = [0]
    for text in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(text))
    found: dict[tuple[int, int, str], Mutant] = {}
    for function, place, edit in _placed(ast.parse(source)):
        node = edit.node
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        end = starts[getattr(node, "end_lineno", line) - 1] + getattr(node, "end_col_offset", 0)
        start = end if edit.behind else starts[line - 1] + column
        one = Mutant(module, function, place, line, edit.change, start, end, edit.text)
        found.setdefault((start, end, edit.text), one)
    return tuple(sorted(found.values(), key=lambda m: (m.start, m.end)))

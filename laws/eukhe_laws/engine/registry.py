"""The registry: `laws.toml` lists every law, and what the code states must be exactly that."""

from __future__ import annotations

import ast
import difflib
import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import eukhe_laws
from eukhe_laws.engine.law import Law

__all__ = ["RegistryError", "Row", "check", "read_table", "restated", "table_file"]

_FIELDS = {"area": str, "name": str, "section": str, "says": str, "ours": bool}


class RegistryError(ValueError):
    """A table that cannot be read, said in one line."""


@dataclass(frozen=True)
class Row:
    """One law of the table.

    Attributes:
        area: The area's file name.
        name: The law's name.
        section: The section of the requirement.
        says: The meaning in one sentence.
        ours: Whether the law is our own, beside those that the requirement names.
    """

    area: str
    name: str
    section: str
    says: str
    ours: bool


def table_file() -> Path:
    """Return the table that the project ships."""
    return Path(eukhe_laws.__file__).with_name("laws.toml")


def read_table(text: str) -> tuple[Row, ...]:
    """Read the table.

    Raises:
        RegistryError: the text is no TOML, or a law lacks a field, has one too many, or one of the wrong type.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RegistryError(f"the table of laws is no TOML: {error}") from None
    rows: list[Row] = []
    for place, one in enumerate(data.get("law", []), start=1):
        name = one.get("name", f"number {place}")
        wrong = [key for key, tp in _FIELDS.items() if type(one.get(key)) is not tp]
        extra = sorted(set(one) - set(_FIELDS))
        if wrong or extra:
            what = [f"needs {key}, a {_FIELDS[key].__name__}" for key in wrong]
            what += [f"has the unknown field {key}" for key in extra]
            raise RegistryError(f"law {name} in the table {', '.join(what)}")
        rows.append(Row(**one))
    return tuple(rows)


def restated(source: str) -> tuple[str, ...]:
    """Name the laws that one file states more than once; Python would keep the last and say nothing.

    Args:
        source: The text of a module of laws.
    """
    stated = Counter(
        node.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef)
        for mark in node.decorator_list
        if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "law"
    )
    return tuple(name for name, count in stated.items() if count > 1)


def _differs(row: Row, law: Law) -> list[str]:
    pairs = (
        ("area", row.area, law.area),
        ("section", row.section, law.section),
        ("meaning", row.says, law.says),
        ("ours", row.ours, law.ours),
    )
    return [
        f"{row.name}: the {what} is {listed!r} in the table and {stated!r} in the code"
        for what, listed, stated in pairs
        if listed != stated
    ]


def check(rows: Iterable[Row], laws: Iterable[Law]) -> tuple[str, ...]:
    """Compare the table with the laws that the code states.

    Args:
        rows: The table.
        laws: The laws of all areas.

    Returns:
        One line for each law that is missing, renamed, listed or stated twice, or that says something else.
    """
    listed, stated = tuple(rows), tuple(laws)
    wrong = [
        f"{name} is listed {count} times in the table"
        for name, count in Counter(row.name for row in listed).items()
        if count > 1
    ]
    wrong += [
        f"{name} is stated {count} times in the code"
        for name, count in Counter(law.name for law in stated).items()
        if count > 1
    ]
    by_name = {law.name: law for law in stated}
    names = {row.name for row in listed}
    unlisted = [law for law in stated if law.name not in names]
    for row in listed:
        if row.name in by_name:
            wrong += _differs(row, by_name[row.name])
            continue
        near = difflib.get_close_matches(row.name, [law.name for law in unlisted], n=1)
        renamed = f"; was it renamed to {near[0]}?" if near else ""
        wrong.append(f"{row.name} is in the table, but {row.area} does not state it{renamed}")
    wrong += [
        f"{law.name} is stated in {law.file}:{law.line}, but is not in the table"
        for law in unlisted
    ]
    return tuple(wrong)

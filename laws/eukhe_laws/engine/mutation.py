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


@dataclass(frozen=True)
class _Edit:
    """A replacement of the text of one node, or of the empty span behind it."""

    node: ast.AST
    text: str
    change: str
    behind: bool = False


_ORDER: dict[type[ast.cmpop], tuple[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
}
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_SIGN: dict[type[ast.AST], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.BitAnd: "&",
    ast.BitOr: "|",
}
_TWIN = {"min": "max", "max": "min", "any": "all", "all": "any"}
#: Calls whose positional arguments say nothing by their order, or cannot be swapped without a type error.
_UNORDERED = frozenset(
    {"min", "max", "sum", "enumerate", "isinstance", "issubclass", "getattr", "hasattr", "cast"}
)
#: Names that make a module-level assignment a statement about types, which no law runs.
_TYPING = frozenset(
    {"Annotated", "Literal", "TypeVar", "NewType", "Union", "Optional", "ParamSpec"}
)
_ATOMS = (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript, ast.Tuple, ast.List)
_TESTED = (ast.If, ast.IfExp, ast.While)


def _text(node: ast.expr) -> str:
    """Return the node as source that can stand anywhere an expression can."""
    text = ast.unparse(node)
    return text if isinstance(node, _ATOMS) else f"({text})"


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


def _name(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _compare(node: ast.Compare, tested: bool) -> Iterator[_Edit]:
    for at, op in enumerate(node.ops):
        kind = type(op)
        others: tuple[type[ast.cmpop], ...]
        if kind in _ORDER:
            boundary, opposite = _ORDER[kind]
            others = (boundary,) if tested else (boundary, opposite)
        else:
            others = (_OPPOSITE[kind],)
        for other in others:
            ops = [*node.ops[:at], other(), *node.ops[at + 1 :]]
            text = ast.unparse(ast.Compare(node.left, ops, node.comparators))
            yield _Edit(node, text, f"{_SIGN[kind]} becomes {_SIGN[other]}")
        items = node.comparators[at]
        if isinstance(op, ast.In | ast.NotIn) and isinstance(items, ast.Tuple | ast.Set | ast.List):
            yield from _dropped_items(items, 2)


def _dropped_items(items: ast.Tuple | ast.Set | ast.List, least: int) -> Iterator[_Edit]:
    if len(items.elts) < least:
        return
    for at, item in enumerate(items.elts):
        fewer = type(items)(elts=[*items.elts[:at], *items.elts[at + 1 :]])
        yield _Edit(items, ast.unparse(fewer), f"{_short(ast.unparse(item))} dropped")


def _textual(node: ast.expr) -> bool:
    """Whether a node is visibly text or a tuple, which `+` joins and `-` does not know."""
    return isinstance(node, ast.Tuple | ast.List | ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _binary(node: ast.BinOp) -> Iterator[_Edit]:
    kind = type(node.op)
    if kind not in _ARITHMETIC:
        return
    if any(
        isinstance(side, ast.Constant) and side.value is None for side in (node.left, node.right)
    ):
        return  # `int | None` is a type
    if not (_textual(node.left) or _textual(node.right)):
        other = _ARITHMETIC[kind]
        text = ast.unparse(ast.BinOp(node.left, other(), node.right))
        same = {kind, other} <= {ast.Add, ast.Sub}
        yield _Edit(node, text if same else f"({text})", f"{_SIGN[kind]} becomes {_SIGN[other]}")
    yield _Edit(node, _text(node.left), f"{_SIGN[kind]} {_short(ast.unparse(node.right))} dropped")
    if isinstance(node.op, ast.Add | ast.BitAnd | ast.BitOr):
        yield _Edit(
            node, _text(node.right), f"{_short(ast.unparse(node.left))} {_SIGN[kind]} dropped"
        )


def _bool_op(node: ast.BoolOp) -> Iterator[_Edit]:
    to_or = isinstance(node.op, ast.And)
    swapped = ast.BoolOp(ast.Or() if to_or else ast.And(), node.values)
    yield _Edit(node, f"({ast.unparse(swapped)})", "and becomes or" if to_or else "or becomes and")
    for at, clause in enumerate(node.values):
        rest = [*node.values[:at], *node.values[at + 1 :]]
        left = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
        yield _Edit(node, _text(left), f"clause {_short(ast.unparse(clause))} dropped")


def _constant(node: ast.Constant) -> Iterator[_Edit]:
    value = node.value
    other: object
    match value:
        case bool():
            other = not value
        case int() | float():
            other = value + 1
        case str() if not any(letter.isspace() for letter in value):
            other = value + "~"  # a sentence for people decides nothing; a word without spaces may
        case _:
            return
    yield _Edit(node, repr(other), f"{_short(repr(value))} becomes {_short(repr(other))}")


def _call(node: ast.Call) -> Iterator[_Edit]:
    name = _name(node)
    if isinstance(node.func, ast.Name) and name in _TWIN:
        yield _Edit(node.func, _TWIN[name], f"{name} becomes {_TWIN[name]}")
        if len(node.args) == 2 and not node.keywords:
            for kept, lost in (node.args, node.args[::-1]):
                yield _Edit(node, _text(kept), f"{_short(ast.unparse(lost))} dropped from {name}")
    for at in range(len(node.args) - 1):
        one, two = node.args[at : at + 2]
        if name in _UNORDERED or ast.dump(one) == ast.dump(two):
            continue
        if isinstance(one, ast.Starred) or isinstance(two, ast.Starred):
            continue
        args = [*node.args[:at], two, one, *node.args[at + 2 :]]
        text = ast.unparse(ast.Call(node.func, args, node.keywords))
        yield _Edit(node, text, f"arguments {at + 1} and {at + 2} of {name} swapped")
    keys = node.keywords
    for at in range(len(keys) - 1):
        a, b = keys[at : at + 2]
        if a.arg is None or b.arg is None or ast.dump(a.value) == ast.dump(b.value):
            continue
        pair = [ast.keyword(a.arg, b.value), ast.keyword(b.arg, a.value)]
        text = ast.unparse(ast.Call(node.func, node.args, [*keys[:at], *pair, *keys[at + 2 :]]))
        yield _Edit(node, text, f"arguments {a.arg} and {b.arg} of {name} swapped")
    if name == "replace" and node.args:
        for at, key in enumerate(keys):
            text = ast.unparse(ast.Call(node.func, node.args, [*keys[:at], *keys[at + 1 :]]))
            yield _Edit(node, text, f"{key.arg} of replace dropped")
    if name == "range" and node.args and not isinstance(node.args[-1], ast.Constant):
        last = node.args[-1]
        yield _Edit(last, f"{_text(last)} + 1", "range one longer")


def _choices(
    node: ast.expr, what: str, values: tuple[str, ...] = ("True", "False")
) -> Iterator[_Edit]:
    for value in values:
        if not (isinstance(node, ast.Constant) and repr(node.value) == value):
            yield _Edit(node, value, f"{what} becomes {value}")


def _case(case: ast.match_case) -> Iterator[_Edit]:
    if case.guard is not None:
        yield from _choices(case.guard, f"the guard of case {_short(ast.unparse(case.pattern))}")
    else:
        dropped = f"case {_short(ast.unparse(case.pattern))} dropped"
        yield _Edit(case.pattern, " if False", dropped, behind=True)


def _statement(node: ast.AST) -> Iterator[_Edit]:
    match node:
        case ast.Continue() | ast.Break():
            yield _Edit(node, "pass", f"{type(node).__name__.lower()} dropped")
        case ast.AugAssign(op=op, value=value, target=target):
            if type(op) in _ARITHMETIC and not _textual(value):
                other = _ARITHMETIC[type(op)]
                text = ast.unparse(ast.AugAssign(target, other(), value))
                yield _Edit(node, text, f"{_SIGN[type(op)]}= becomes {_SIGN[other]}=")
            yield _Edit(node, "pass", f"{_short(ast.unparse(node))} dropped")
        case ast.Expr(value=ast.Call() as call) if _name(call) != "assert_never":
            yield _Edit(node, "pass", f"{_short(ast.unparse(node))} dropped")
        case ast.Delete() | ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
            yield _Edit(node, "pass", f"{_short(ast.unparse(node))} dropped")


def _own(node: ast.AST, tested: bool) -> Iterator[_Edit]:
    """Yield the edits of one node, without those of its children."""
    match node:
        case ast.Compare():
            yield from _compare(node, tested)
        case ast.BinOp():
            yield from _binary(node)
        case ast.BoolOp():
            yield from _bool_op(node)
        case ast.UnaryOp(op=ast.Not() | ast.USub() as op, operand=operand):
            yield _Edit(
                node, _text(operand), "not dropped" if isinstance(op, ast.Not) else "minus dropped"
            )
        case ast.Constant():
            yield from _constant(node)
        case ast.Call():
            yield from _call(node)
        case ast.If(test=test):
            yield from _choices(test, f"if {_short(ast.unparse(test))}")
        case ast.IfExp(test=test):
            yield from _choices(test, f"if {_short(ast.unparse(test))}")
        case ast.While(test=test):
            yield from _choices(test, f"while {_short(ast.unparse(test))}", ("False",))
        case ast.comprehension(ifs=ifs):
            for test in ifs:
                yield from _choices(test, f"filter {_short(ast.unparse(test))}")
        case ast.Slice(lower=lower, upper=upper):
            for bound in (lower, upper):
                if bound is not None and not isinstance(bound, ast.Constant):
                    yield _Edit(bound, f"{_text(bound)} + 1", "slice bound one higher")
        case ast.match_case():
            yield from _case(node)
        case _:
            yield from _statement(node)


def _edits(node: ast.AST, tested: bool = False) -> Iterator[_Edit]:
    """Yield the edits at and below a node; annotations, messages and docstrings are left alone."""
    match node:
        case ast.Raise() | ast.JoinedStr() | ast.Assert() | ast.Import() | ast.ImportFrom():
            return
        case ast.Expr(value=ast.Constant()):
            return
        case ast.AnnAssign(value=value):
            if value is not None:
                yield from _edits(value)
            return
        case ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body):
            for default in _defaults(node):
                yield from _edits(default)
            for statement in body:
                yield from _edits(statement)
            return
    yield from _own(node, tested)
    for child in ast.iter_child_nodes(node):
        is_test = isinstance(node, _TESTED) and child is node.test
        yield from _edits(child, is_test or isinstance(node, ast.comprehension))


def _defaults(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    return [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]


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
    return None if name.startswith("__") or used & _TYPING else (name, value)


def _placed(tree: ast.Module) -> Iterator[tuple[str, Place, _Edit]]:
    for name, function in _functions(tree.body):
        for default in _defaults(function):
            for edit in _edits(default):
                yield name, Place.DEFAULTS, edit
        for statement in function.body:
            for edit in _edits(statement):
                yield name, Place.BODY, edit
    for statement in tree.body:
        table = _table(statement)
        if table is None:
            continue
        name, value = table
        if isinstance(value, ast.Tuple | ast.List | ast.Set):
            for edit in _dropped_items(value, 1):
                yield name, Place.TABLE, edit
        for edit in _edits(value):
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

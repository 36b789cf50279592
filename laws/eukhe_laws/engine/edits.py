"""The edits that make mutants: what can be typed wrong in one node of a syntax tree.

An edit that a type checker would refuse, or that plainly changes nothing, is not made: it would say nothing of the
laws.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

__all__ = ["Edit", "Signatures", "defaults", "dropped_items", "edits", "signatures"]


@dataclass(frozen=True)
class Edit:
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


def _compare(node: ast.Compare, tested: bool) -> Iterator[Edit]:
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
            yield Edit(node, text, f"{_SIGN[kind]} becomes {_SIGN[other]}")
        items = node.comparators[at]
        if isinstance(op, ast.In | ast.NotIn) and isinstance(items, ast.Tuple | ast.Set | ast.List):
            yield from dropped_items(items, 2)


def dropped_items(items: ast.Tuple | ast.Set | ast.List, least: int) -> Iterator[Edit]:
    """Yield one edit for each item that a display of at least so many items can lose."""
    if len(items.elts) < least:
        return
    for at, item in enumerate(items.elts):
        fewer = type(items)(elts=[*items.elts[:at], *items.elts[at + 1 :]])
        yield Edit(items, ast.unparse(fewer), f"{_short(ast.unparse(item))} dropped")


def _textual(node: ast.expr) -> bool:
    """Whether a node is visibly text or a tuple, which `+` joins and `-` does not know."""
    return isinstance(node, ast.Tuple | ast.List | ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _binary(node: ast.BinOp) -> Iterator[Edit]:
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
        yield Edit(node, text if same else f"({text})", f"{_SIGN[kind]} becomes {_SIGN[other]}")
    yield Edit(node, _text(node.left), f"{_SIGN[kind]} {_short(ast.unparse(node.right))} dropped")
    if isinstance(node.op, ast.Add | ast.BitAnd | ast.BitOr):
        yield Edit(
            node, _text(node.right), f"{_short(ast.unparse(node.left))} {_SIGN[kind]} dropped"
        )


def _bool_op(node: ast.BoolOp) -> Iterator[Edit]:
    to_or = isinstance(node.op, ast.And)
    swapped = ast.BoolOp(ast.Or() if to_or else ast.And(), node.values)
    yield Edit(node, f"({ast.unparse(swapped)})", "and becomes or" if to_or else "or becomes and")
    for at, clause in enumerate(node.values):
        rest = [*node.values[:at], *node.values[at + 1 :]]
        left = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
        yield Edit(node, _text(left), f"clause {_short(ast.unparse(clause))} dropped")


def _constant(node: ast.Constant) -> Iterator[Edit]:
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
    yield Edit(node, repr(other), f"{_short(repr(value))} becomes {_short(repr(other))}")


#: The annotations of the parameters of each function or dataclass of a module, by its name.
Signatures = Mapping[str, tuple[tuple[str, str], ...]]


def signatures(tree: ast.Module) -> Signatures:
    """Read the annotations of a module's functions and dataclasses; a name that is used twice tells nothing."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name, args=args):
                every = (*args.posonlyargs, *args.args, *args.kwonlyargs)
                pairs = [
                    (one.arg, one.annotation) for one in every if one.arg not in ("self", "cls")
                ]
            case ast.ClassDef(name=name, body=body):
                lines = [one for one in body if isinstance(one, ast.AnnAssign)]
                pairs = [(ast.unparse(one.target), one.annotation) for one in lines]
            case _:
                continue
        said = tuple((one, ast.unparse(tp) if tp else "") for one, tp in pairs)
        found[name] = said if name not in found else ()
    return found


def _alike(known: Signatures, name: str, one: int | str, two: int | str) -> bool:
    """Whether a type checker would let two arguments change places, as far as can be told."""
    pairs = known.get(name, ())
    types = dict(pairs)
    types_at = [tp for _, tp in pairs]

    def annotation(place: int | str) -> str:
        if isinstance(place, str):
            return types.get(place, "")
        return types_at[place] if place < len(types_at) else ""

    return annotation(one) == annotation(two)


def _call(node: ast.Call, known: Signatures) -> Iterator[Edit]:
    name = _name(node)
    if isinstance(node.func, ast.Name) and name in _TWIN:
        yield Edit(node.func, _TWIN[name], f"{name} becomes {_TWIN[name]}")
        if len(node.args) == 2 and not node.keywords:
            for kept, lost in (node.args, node.args[::-1]):
                yield Edit(node, _text(kept), f"{_short(ast.unparse(lost))} dropped from {name}")
    for at in range(len(node.args) - 1):
        one, two = node.args[at : at + 2]
        if name in _UNORDERED or ast.dump(one) == ast.dump(two):
            continue
        if isinstance(one, ast.Starred) or isinstance(two, ast.Starred):
            continue
        if not _alike(known, name, at, at + 1):
            continue
        args = [*node.args[:at], two, one, *node.args[at + 2 :]]
        text = ast.unparse(ast.Call(node.func, args, node.keywords))
        yield Edit(node, text, f"arguments {at + 1} and {at + 2} of {name} swapped")
    keys = node.keywords
    for at in range(len(keys) - 1):
        a, b = keys[at : at + 2]
        if a.arg is None or b.arg is None or ast.dump(a.value) == ast.dump(b.value):
            continue
        if not _alike(known, name, a.arg, b.arg):
            continue
        pair = [ast.keyword(a.arg, b.value), ast.keyword(b.arg, a.value)]
        text = ast.unparse(ast.Call(node.func, node.args, [*keys[:at], *pair, *keys[at + 2 :]]))
        yield Edit(node, text, f"arguments {a.arg} and {b.arg} of {name} swapped")
    if name == "replace" and node.args:
        for at, key in enumerate(keys):
            text = ast.unparse(ast.Call(node.func, node.args, [*keys[:at], *keys[at + 1 :]]))
            yield Edit(node, text, f"{key.arg} of replace dropped")
    if name == "range" and node.args and not isinstance(node.args[-1], ast.Constant):
        last = node.args[-1]
        yield Edit(last, f"{_text(last)} + 1", "range one longer")


def _choices(
    node: ast.expr, what: str, values: tuple[str, ...] = ("True", "False")
) -> Iterator[Edit]:
    for value in values:
        if not (isinstance(node, ast.Constant) and repr(node.value) == value):
            yield Edit(node, value, f"{what} becomes {value}")


def _case(case: ast.match_case) -> Iterator[Edit]:
    if case.guard is not None:
        yield from _choices(case.guard, f"the guard of case {_short(ast.unparse(case.pattern))}")
    elif not all(isinstance(one, ast.Pass) for one in case.body):  # else nothing would be lost
        dropped = f"case {_short(ast.unparse(case.pattern))} dropped"
        yield Edit(case.pattern, " if False", dropped, behind=True)


def _statement(node: ast.AST) -> Iterator[Edit]:
    match node:
        case ast.Continue() | ast.Break():
            yield Edit(node, "pass", f"{type(node).__name__.lower()} dropped")
        case ast.AugAssign(op=op, value=value, target=target):
            if type(op) in _ARITHMETIC and not _textual(value):
                other = _ARITHMETIC[type(op)]
                text = ast.unparse(ast.AugAssign(target, other(), value))
                yield Edit(node, text, f"{_SIGN[type(op)]}= becomes {_SIGN[other]}=")
            yield Edit(node, "pass", f"{_short(ast.unparse(node))} dropped")
        case ast.Expr(value=ast.Call() as call) if _name(call) != "assert_never":
            yield Edit(node, "pass", f"{_short(ast.unparse(node))} dropped")
        case ast.Delete() | ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
            yield Edit(node, "pass", f"{_short(ast.unparse(node))} dropped")


def _own(node: ast.AST, tested: bool, known: Signatures) -> Iterator[Edit]:
    """Yield the edits of one node, without those of its children."""
    match node:
        case ast.Compare():
            yield from _compare(node, tested)
        case ast.BinOp():
            yield from _binary(node)
        case ast.BoolOp():
            yield from _bool_op(node)
        case ast.UnaryOp(op=ast.Not() | ast.USub() as op, operand=operand):
            yield Edit(
                node, _text(operand), "not dropped" if isinstance(op, ast.Not) else "minus dropped"
            )
        case ast.Constant():
            yield from _constant(node)
        case ast.Call():
            yield from _call(node, known)
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
                    yield Edit(bound, f"{_text(bound)} + 1", "slice bound one higher")
        case ast.match_case():
            yield from _case(node)
        case _:
            yield from _statement(node)


def edits(node: ast.AST, known: Signatures, tested: bool = False) -> Iterator[Edit]:
    """Yield the edits at and below a node; annotations, messages and docstrings are left alone."""
    match node:
        case ast.Raise() | ast.JoinedStr() | ast.Assert() | ast.Import() | ast.ImportFrom():
            return
        case ast.Expr(value=ast.Constant()):
            return
        case ast.AnnAssign(value=value):
            if value is not None:
                yield from edits(value, known)
            return
        case ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body):
            for default in defaults(node):
                yield from edits(default, known)
            for statement in body:
                yield from edits(statement, known)
            return
    yield from _own(node, tested, known)
    for child in ast.iter_child_nodes(node):
        is_test = isinstance(node, _TESTED) and child is node.test
        yield from edits(child, known, is_test or isinstance(node, ast.comprehension))


def defaults(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    """Return the default values of a function's parameters."""
    return [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]

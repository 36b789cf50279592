"""Put a mutant into the modules of this process; meant for a forked child that ends soon after.

Only the code of the function changes: the function object, the class and every alias of them stay, so that a
dispatch table, a `from ... import` and the wrappers of contracts all see the mutant. No file is edited.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from eukhe_laws.engine.mutation import Mutant, Place

__all__ = ["SwapError", "swap", "swappable"]


class SwapError(Exception):
    """A mutant that cannot be put in: its function is not where its name says."""


def _codes(code: CodeType) -> Iterator[CodeType]:
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield item
            yield from _codes(item)


def _plain(found: Any) -> FunctionType | None:
    """Return the function under static methods, properties, caches and wrappers."""
    while not isinstance(found, FunctionType) or hasattr(found, "__wrapped__"):
        if isinstance(found, property):
            found = found.fget
        elif isinstance(found, functools.cached_property):
            found = found.func
        elif isinstance(found, staticmethod | classmethod):
            found = found.__func__
        elif hasattr(found, "__wrapped__"):
            found = found.__wrapped__
        else:
            return None
    return found


def _function(module: ModuleType, qualified: str) -> FunctionType:
    owner: Any = module
    *classes, name = qualified.split(".")
    for one in classes:
        owner = getattr(owner, "__dict__", {}).get(one)
    found = _plain(getattr(owner, "__dict__", {}).get(name))
    if found is None:
        raise SwapError(f"{module.__name__}.{qualified} is no plain function")
    return found


def _definition(tree: ast.Module, qualified: str) -> ast.FunctionDef:
    body: list[ast.stmt] = tree.body
    found: ast.stmt | None = None
    for name in qualified.split("."):
        named = [
            n for n in body if isinstance(n, ast.FunctionDef | ast.ClassDef) and n.name == name
        ]
        found = named[-1] if named else None
        body = named[-1].body if named else []
    if not isinstance(found, ast.FunctionDef):
        raise SwapError(f"no function {qualified} in the source")
    return found


def _swap_function(module: ModuleType, mutant: Mutant, tree: ast.Module, file: str) -> None:
    target = _function(module, mutant.function)
    if mutant.place is Place.DEFAULTS:
        args = _definition(tree, mutant.function).args

        def value(node: ast.expr) -> Any:
            return eval(compile(ast.Expression(node), file, "eval"), vars(module))  # noqa: S307 -- the module's own source, edited by us

        target.__defaults__ = tuple(value(node) for node in args.defaults) or None
        pairs = zip(args.kwonlyargs, args.kw_defaults, strict=True)
        target.__kwdefaults__ = {arg.arg: value(node) for arg, node in pairs if node is not None}
        return
    target.__code__ = _code(target, mutant, tree, file)


def _code(target: FunctionType, mutant: Mutant, tree: ast.Module, file: str) -> CodeType:
    whole = compile(tree, file, "exec", dont_inherit=True)
    codes = [code for code in _codes(whole) if code.co_qualname == mutant.function]
    if not codes or codes[-1].co_freevars != target.__code__.co_freevars:
        raise SwapError(f"{mutant.module}.{mutant.function} has no code that can be swapped")
    return codes[-1]


def swappable(mutant: Mutant, source: str) -> FunctionType:
    """Find the function that a mutant edits, under whatever wraps it.

    Args:
        mutant: The edit, of a function's body or defaults.
        source: The unchanged source of its module.

    Raises:
        SwapError: the function is not where its name says, or its code cannot be swapped.
    """
    module = sys.modules[mutant.module]
    target = _function(module, mutant.function)
    _code(target, mutant, ast.parse(source), module.__file__ or mutant.module)
    return target


def _names(node: ast.stmt) -> tuple[str, ...]:
    match node:
        case ast.Assign(targets=targets):
            return tuple(t.id for t in targets if isinstance(t, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            return (name,)
        case _:
            return ()


def _swap_table(module: ModuleType, mutant: Mutant, tree: ast.Module, file: str) -> None:
    """Bind the table anew, and every later table that is made from it."""
    changed = {mutant.function}
    for node in tree.body:
        names = _names(node)
        used = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        if not names or (mutant.function not in names and not used & changed):
            continue
        changed.update(names)
        before = [(name, vars(module).get(name)) for name in names]
        exec(compile(ast.Module([node], []), file, "exec", dont_inherit=True), vars(module))  # noqa: S102 -- the module's own source, edited by us
        for name, old in before:
            _rebind(name, old, vars(module)[name])


def _rebind(name: str, old: Any, new: Any) -> None:
    """Follow `from module import TABLE`: the same name for the same object, in every module."""
    for other in list(sys.modules.values()):
        bound = getattr(other, "__dict__", {})
        if name in bound and bound[name] is old:
            bound[name] = new


def swap(mutant: Mutant, source: str) -> None:
    """Make the running modules behave as the mutant says.

    Args:
        mutant: The edit.
        source: The unchanged source of its module.

    Raises:
        SwapError: the function is not found under its name, or not as a plain function.
        Exception: whatever a mutated module-level table raises when it is made.
    """
    module = sys.modules[mutant.module]
    tree = ast.parse(mutant.apply(source))
    file = module.__file__ or mutant.module
    if mutant.place is Place.TABLE:
        _swap_table(module, mutant, tree, file)
    else:
        _swap_function(module, mutant, tree, file)

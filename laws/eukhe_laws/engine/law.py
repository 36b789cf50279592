"""A law: a total pure predicate, written once, over a subject and everything free.

A law is stated as a function whose first parameter is the subject `S` (the functions under law: the spec, or
the core through the bridge) and whose other parameters are quantified. The decorator turns the function into a
`Law`, a value; a module's laws are the `Law`s it binds, so there is no registry to fill at import time.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

from eukhe_laws.engine.domain import Domain, Scope

__all__ = ["Law", "law", "laws_of"]


@dataclass(frozen=True)
class Law:
    """One law, read by every engine.

    Attributes:
        name: The name in `laws.toml`, and the name of the function.
        area: The area: the module's `AREA`, else its name.
        section: The section of the requirement, as in `laws.toml`.
        says: The meaning in one sentence, as in `laws.toml`; the function's docstring.
        holds: The predicate, called `holds(S, *values)`.
        given: The premise, called with the same arguments; `None` for none. Total, and free of the model's rule.
        parameters: The quantified parameters, in order: name and annotated type.
        scope: The bounds of exhaustion (and of CrossHair's shapes).
        wide: The bounds of the sampler.
        control: Ints that steer loops, sizes, indices and fuel: engines enumerate them, never make them symbolic.
        reach: Witnesses, name to predicate over the arguments: each must be met, else the law is vacuous.
        ours: Whether the law is our own, beside those that the requirement names.
        file: The source file.
        line: The line of the statement.
    """

    name: str
    area: str
    section: str
    says: str
    holds: Callable[..., bool]
    given: Callable[..., bool] | None
    parameters: tuple[tuple[str, Any], ...]
    scope: Scope
    wide: Scope
    control: frozenset[str]
    reach: tuple[tuple[str, Callable[..., bool]], ...]
    ours: bool
    file: str
    line: int

    def domains(self, scope: Scope) -> tuple[Domain, ...]:
        """Read each parameter's type within `scope`."""
        return tuple(Domain(tp, scope.at(name)) for name, tp in self.parameters)


def law(
    *,
    section: str,
    given: Callable[..., bool] | None = None,
    scope: Scope | None = None,
    wide: Scope | None = None,
    control: tuple[str, ...] = (),
    reach: Mapping[str, Callable[..., bool]] | None = None,
    ours: bool = False,
) -> Callable[[Callable[..., bool]], Law]:
    """State a law; the function's name is the law's name and its docstring the meaning.

    Args:
        section: The section of the requirement, as in `laws.toml`.
        given: The premise over the same arguments (subject first).
        scope: The bounds of exhaustion; by default ints below 3 and tuples up to 2.
        wide: The bounds of the sampler; by default the scope grown by 2.
        control: Names of the ints that engines enumerate.
        reach: Witnesses that some input, among those that meet the premise, must satisfy.
        ours: Whether the law is our own.

    Returns:
        The decorator, which gives the `Law`.
    """
    bounds = scope if scope is not None else Scope()

    def state(function: Callable[..., bool]) -> Law:
        hints = get_type_hints(function, include_extras=True)
        names = tuple(inspect.signature(function).parameters)[1:]
        unknown = set(control) - set(names)
        if unknown:
            raise TypeError(f"law {function.__name__}: control names no parameter: {unknown}")
        return Law(
            name=function.__name__,
            area=function.__globals__.get("AREA", function.__module__.rpartition(".")[2]),
            section=section,
            says=" ".join((function.__doc__ or "").split()),
            holds=function,
            given=given,
            parameters=tuple((name, hints[name]) for name in names),
            scope=bounds,
            wide=wide if wide is not None else bounds.grown(),
            control=frozenset(control),
            reach=tuple((reach or {}).items()),
            ours=ours,
            file=function.__code__.co_filename,
            line=function.__code__.co_firstlineno,
        )

    return state


def laws_of(module: Any) -> tuple[Law, ...]:
    """Return the laws of an area in the order of their statement: those of its `PARTS`, then its own.

    Args:
        module: The area's module. Where its laws fill more files than one, `PARTS` names them in order.
    """
    found: dict[int, Law] = {}
    for part in (*getattr(module, "PARTS", ()), module):
        laws = [value for value in vars(part).values() if isinstance(value, Law)]
        files = list(dict.fromkeys(one.file for one in laws))  # laws that are imported by name
        laws.sort(key=lambda one: (files.index(one.file), one.line))
        found |= {id(one): one for one in laws}
    return tuple(found.values())

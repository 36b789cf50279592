"""Agreement: spec and core give the same answer to every input within a scope.

For each function of the area's protocol the engine states the law `SPEC.f(*args) == CORE.f(*args)`, quantified
over the annotated types, and runs it like any other. An area module may bind `AGREEMENT`, a mapping from a
function's name to an `Agree` that gives it bounds, a premise, or the reason to leave it out.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, get_type_hints

from eukhe_laws.engine.domain import Domain, Scope
from eukhe_laws.engine.law import Law

__all__ = ["PREFIX", "Agree", "agreements", "left_out"]

#: What the names of these laws begin with.
PREFIX = "agree_"

_DEFAULT = Scope(nat=3, size=2)


@dataclass(frozen=True)
class Agree:
    """How one function's agreement is checked.

    Attributes:
        scope: The bounds of exhaustion; they are cut down evenly when they hold too many inputs.
        wide: The bounds of the sampler; by default the scope grown by 2.
        given: A premise over the subject and the arguments, where the function is not total.
        skip: Why the function is left out; empty to check it.
    """

    scope: Scope = _DEFAULT
    wide: Scope | None = None
    given: Callable[..., bool] | None = None
    skip: str = ""


def _protocol(module: ModuleType) -> type | None:
    """The class that the area module annotates `SPEC` with."""
    noted = vars(module).get("__annotations__", {}).get("SPEC")
    if isinstance(noted, str):
        noted = vars(module).get(noted)
    return noted if isinstance(noted, type) else None


def _functions(protocol: type) -> tuple[tuple[str, Any], ...]:
    names = [name for one in reversed(protocol.__mro__) for name in vars(one)]
    public = [name for name in dict.fromkeys(names) if not name.startswith("_")]
    found = ((name, inspect.getattr_static(protocol, name)) for name in public)
    return tuple(
        (name, value.__func__ if isinstance(value, staticmethod) else value)
        for name, value in found
        if inspect.isfunction(value) or isinstance(value, staticmethod)
    )


def _noted(module: ModuleType) -> Mapping[str, Agree]:
    noted: Mapping[str, Agree] = getattr(module, "AGREEMENT", {})
    return noted


def _law(module: ModuleType, area: str, name: str, function: Any, how: Agree) -> Law:
    names = [one for one in inspect.signature(function).parameters if one != "self"]
    hints = get_type_hints(function, vars(sys.modules[function.__module__]), include_extras=True)
    spec, core = module.SPEC, module.CORE

    def holds(_subject: Any, *values: Any) -> bool:
        same: bool = getattr(spec, name)(*values) == getattr(core, name)(*values)
        return same

    holds.__module__ = module.__name__
    return Law(
        name=PREFIX + name,
        area=area,
        section="",
        says=f"Spec and core give the same answer to {name}.",
        holds=holds,
        given=how.given,
        parameters=tuple((one, hints[one]) for one in names),
        scope=how.scope,
        wide=how.wide if how.wide is not None else how.scope.grown(),
        control=frozenset(),
        reach=(),
        ours=True,
        file=function.__code__.co_filename,
        line=function.__code__.co_firstlineno,
    )


def agreements(module: ModuleType, area: str) -> tuple[Law, ...]:
    """State the agreement of spec and core, a law for each function of the area's protocol.

    Raises:
        DomainError: a function takes what no engine can quantify over; bind `AGREEMENT` to leave it out.
        TypeError: the module has no `SPEC` or `CORE`, or `SPEC` is not annotated with the area's protocol.
    """
    protocol = _protocol(module)
    if protocol is None or not hasattr(module, "CORE"):
        raise TypeError(
            f"{module.__name__} must bind `SPEC: <protocol>` and `CORE: <protocol>`; "
            "agreement is checked for the functions of that protocol"
        )
    noted, found = _noted(module), []
    for name, function in _functions(protocol):
        how = noted.get(name, Agree())
        if not how.skip:
            law = _law(module, area, name, function, how)
            for _, tp in law.parameters:
                Domain(tp, law.scope)
            found.append(law)
    return tuple(found)


def left_out(module: ModuleType) -> tuple[tuple[str, str], ...]:
    """Return the functions that agreement leaves out, each with the reason."""
    return tuple((name, how.skip) for name, how in _noted(module).items() if how.skip)

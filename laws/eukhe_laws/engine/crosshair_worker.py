"""The process in which CrossHair runs: one law on the spec, shape by shape, one JSON document a shape.

Its arguments are AREA MODULE LAW START PATHS SECONDS MOST: the module that binds `SPEC`, then that of the law.
`crosshair.check` starts it and kills it, because no limit of CrossHair's interrupts a concrete endless loop.
Importing CrossHair turns icontract off for the whole process: no other module here may import this one.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from enum import Enum
from inspect import Parameter, Signature
from typing import Any

import icontract
from crosshair.core_and_libs import analyze_function, run_checkables
from crosshair.options import AnalysisKind, AnalysisOptionSet
from crosshair.statespace import MessageType

from eukhe_laws.engine import codec
from eukhe_laws.engine.law import Law
from eukhe_laws.engine.shapes import Inputs, Open, build, fit, leaves, plan

#: How CrossHair's messages name the inputs that refute a condition.
_CALL = re.compile(r"when calling \w+\((?P<call>.*?)\)(?: \(which returns .*\))?$", re.DOTALL)


def _kept(result: bool) -> bool:
    return result


class _Condition:
    """One shape of a law's inputs as a function over its open scalars, and how often it reached the law."""

    def __init__(self, law: Law, subject: Any, inputs: Inputs) -> None:
        self.law, self.subject, self.inputs = law, subject, inputs
        self.open = tuple(leaf for shape in inputs for leaf in leaves(shape))
        self.reached = 0

    def _within(self, scalars: tuple[Any, ...]) -> bool:
        """Whether each int is within its bounds; one test, so that it forks no path."""
        bounds: list[bool] = []
        for leaf, value in zip(self.open, scalars, strict=True):
            if leaf.lo is not None:
                bounds.append(value >= leaf.lo)
            if leaf.hi is not None:
                bounds.append(value <= leaf.hi)
        return not bounds or all(tuple(bounds))

    def values(self, scalars: Iterator[Any]) -> tuple[Any, ...]:
        """Return the law's arguments for these scalars."""
        return tuple([build(shape, scalars) for shape in self.inputs])

    def __call__(self, *scalars: Any) -> bool:
        """Run the law; the premise is evaluated in here, because a precondition that raises hides its inputs."""
        if not self._within(scalars):
            return True
        values = self.values(iter(scalars))
        if self.law.given is not None and not self.law.given(self.subject, *values):
            return True
        self.reached += 1
        return bool(self.law.holds(self.subject, *values))

    def function(self) -> Callable[..., bool]:
        """Return a plain function with one typed parameter a scalar, and the condition that it gives true."""

        def body(*scalars: Any) -> bool:
            return self(*scalars)

        names = [
            Parameter(f"x{at}", Parameter.POSITIONAL_OR_KEYWORD, annotation=leaf.type)
            for at, leaf in enumerate(self.open)
        ]
        body.__signature__ = Signature(names, return_annotation=bool)  # type: ignore[attr-defined]  # read by inspect
        body.__name__ = body.__qualname__ = self.law.name
        return icontract.ensure(_kept)(body)


def _enums(open_: tuple[Open, ...]) -> dict[str, Any]:
    return {
        leaf.type.__name__: leaf.type
        for leaf in open_
        if isinstance(leaf.type, type) and issubclass(leaf.type, Enum)
    }


def _scalars(message: str, open_: tuple[Open, ...]) -> tuple[Any, ...] | None:
    """Read the inputs out of a message; `None` when it names none that can be read."""
    found = _CALL.search(message)
    if found is None:
        return None
    names = {"__builtins__": {}, "collect": lambda *values: values, **_enums(open_)}
    try:
        values = eval(f"collect({found['call']})", names)  # noqa: S307 -- scalars that CrossHair printed, and enum names
    except Exception:
        return None
    return values if len(values) == len(open_) else None


def _state(kinds: set[MessageType]) -> str:
    if kinds == {MessageType.CONFIRMED}:
        return "confirmed"
    if kinds and kinds <= {
        MessageType.CONFIRMED,
        MessageType.CANNOT_CONFIRM,
        MessageType.PRE_UNSAT,
    }:
        return "open"
    return "refuted"


def decide(law: Law, subject: Any, inputs: Inputs, paths: int, seconds: float) -> dict[str, Any]:
    """Ask CrossHair about one shape.

    Args:
        law: The law.
        subject: The spec.
        inputs: The shape.
        paths: The most paths to follow.
        seconds: The net, in CPU time.
    """
    condition = _Condition(law, subject, inputs)
    stats: Counter[str] = Counter()
    if condition.open:
        options = AnalysisOptionSet(
            analysis_kind=(AnalysisKind.icontract,),
            per_condition_timeout=seconds,
            max_iterations=paths,
            max_uninteresting_iterations=0,
            report_all=True,
            stats=stats,
        )
        found = list(run_checkables(analyze_function(condition.function(), options)))
        said = {"state": _state({one.state for one in found}), "paths": stats["num_paths"]}
        message = next((one.message for one in found if one.state is not MessageType.CONFIRMED), "")
    else:  # nothing is left open: one run decides
        said, message = {"state": "confirmed" if condition() else "refuted", "paths": 1}, ""
    said["reached"] = condition.reached
    if said["state"] == "refuted":
        scalars = _scalars(message, condition.open) if condition.open else ()
        said["message"] = " ".join(message.split())[:400]
        if scalars is not None:
            values = condition.values(iter(scalars))
            pairs = zip(law.domains(law.scope), values, strict=True)
            said["values"] = [codec.encode(domain, value) for domain, value in pairs]
    return said


def _end_with_parent() -> None:
    """End this process as soon as the pipe from its parent closes, so that none is left behind."""

    def wait() -> None:
        while os.read(
            0, 1
        ):  # not through `sys.stdin`, whose lock would be held when the interpreter ends
            pass
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def main() -> None:
    """Decide the shapes from START on and write a line for each."""
    area, module, name, start, paths, seconds, most = sys.argv[1:]
    _end_with_parent()
    spec = importlib.import_module(area).SPEC
    law: Law = getattr(importlib.import_module(module), name)
    shapes = plan(law, fit(law, int(most)), int(most))
    print(json.dumps({"ready": len(shapes)}), flush=True)
    for at in range(int(start), len(shapes)):
        said = decide(law, spec, shapes[at], int(paths), float(seconds))
        print(json.dumps({"shape": at, **said}), flush=True)


if __name__ == "__main__":
    main()

"""Run the benchmarks: `python -m benchmarks [NAME...] [--strict]`."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Callable
from dataclasses import dataclass

import benchmarks
from benchmarks.common import Line, show

_SHARED = frozenset({"__main__", "common"})


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A module of this package that measures something."""

    name: str
    run: Callable[[], list[Line]]


def found() -> dict[str, Benchmark]:
    """Return the benchmarks by module name."""
    names = sorted({module.name for module in pkgutil.iter_modules(benchmarks.__path__)} - _SHARED)
    modules = ((name, importlib.import_module(f"benchmarks.{name}")) for name in names)
    return {
        name: Benchmark(module.NAME, module.run)
        for name, module in modules
        if hasattr(module, "run")
    }


def main() -> int:
    """Run the named benchmarks, or all; a missed bar is an error only with `--strict`."""
    known = found()
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"one of {', '.join(known)}; all when none is named",
    )
    parser.add_argument("--strict", action="store_true", help="exit with 1 when a bar is missed")
    chosen = parser.parse_args()
    if unknown := [name for name in chosen.names if name not in known]:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}")
    missed = failed = False
    for name in chosen.names or known:
        try:
            lines = known[name].run()
        except Exception as error:  # the other benchmarks still run
            sys.stderr.write(f"{known[name].name}: failed: {error}\n")
            failed = True
            continue
        show(known[name].name, lines)
        missed = missed or not all(line.met for line in lines)
    return 1 if failed or (missed and chosen.strict) else 0


if __name__ == "__main__":
    sys.exit(main())

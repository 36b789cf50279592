"""Which functions a law runs: a mutant of any other function cannot be noticed by it, so it need not be tried.

Each function under watch gets a probe in place of its code. The first call puts the code back, so that watching a
law over thousands of inputs costs one extra call a function.
"""

from __future__ import annotations

import functools
import gc
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any

__all__ = ["Caches", "caches_of", "forget", "touched"]

_PROBE = "__eukhe_probe__"

#: The `functools.lru_cache`s of some packages.
Caches = tuple[Any, ...]


def caches_of(packages: frozenset[str]) -> Caches:
    """Find every cache of functions of these top-level packages."""
    return tuple(
        found
        for found in gc.get_objects()
        if isinstance(found, functools._lru_cache_wrapper)
        and (getattr(found, "__module__", None) or "").partition(".")[0] in packages
    )


def forget(caches: Caches) -> None:
    """Empty the caches, which hold what the unchanged code has answered."""
    for cache in caches:
        cache.cache_clear()


def _stub(key: int, code: CodeType) -> CodeType:
    # Python wants a generator's code in the place of a generator's; it is called when its first item is asked for.
    word = "yield from" if code.co_flags & inspect.CO_GENERATOR else "return"
    source = f"def stub(*args, **named):\n    {word} {_PROBE}({key}, args, named)\n"
    module = compile(source, "<probe>", "exec")
    (code,) = [one for one in module.co_consts if isinstance(one, CodeType)]
    return code


@contextmanager
def touched(functions: Mapping[str, FunctionType]) -> Iterator[Callable[[], frozenset[str]]]:
    """Watch functions; the value gives, at any time, the names of those that were called.

    A function with a closure (one that calls `super()`) cannot be watched and counts as called.

    Args:
        functions: The functions, by a name of the caller's choice.
    """
    seen = {name for name, one in functions.items() if one.__code__.co_freevars}
    names = [name for name in functions if name not in seen]
    codes = [functions[name].__code__ for name in names]

    def probe(key: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        function = functions[names[key]]
        function.__code__ = codes[key]
        seen.add(names[key])
        return function(*args, **named)

    for key, name in enumerate(names):
        functions[name].__globals__[_PROBE] = probe
        functions[name].__code__ = _stub(key, codes[key])
    try:
        yield lambda: frozenset(seen)
    finally:
        for name, code in zip(names, codes, strict=True):
            functions[name].__code__ = code
            functions[name].__globals__.pop(_PROBE, None)

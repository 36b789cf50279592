"""Watching which functions are called, and forgetting what caches hold."""

from collections.abc import Iterator
from functools import lru_cache
from types import FunctionType

from eukhe_laws.engine.touched import caches_of, forget, touched


def plain(a: int, *, by: int = 2) -> int:
    return a * by


def calling(a: int) -> int:
    return plain(a, by=3) + 1


def growing(a: int) -> Iterator[int]:
    yield from range(a)


def idle() -> None:
    """Never called."""


@lru_cache
def remembered(a: int) -> int:
    return plain(a)


def functions() -> dict[str, FunctionType]:
    every = (plain, calling, growing, idle)
    return {one.__name__: one for one in every if isinstance(one, FunctionType)}


def test_only_what_was_called_is_named_also_from_inside_and_as_a_generator() -> None:
    with touched(functions()) as names:
        assert names() == frozenset()
        assert list(growing(3)) == [0, 1, 2]
        assert names() == {"growing"}
        assert calling(5) == 16
        assert calling(6) == 19
        assert names() == {"growing", "calling", "plain"}


def test_the_code_is_put_back_whether_called_or_not() -> None:
    before = {name: one.__code__ for name, one in functions().items()}
    with touched(functions()):
        plain(1)
        assert functions()["plain"].__code__ is before["plain"]
        assert functions()["idle"].__code__ is not before["idle"]
    assert {name: one.__code__ for name, one in functions().items()} == before
    assert "__eukhe_probe__" not in globals()


def test_a_function_with_a_closure_counts_as_called() -> None:
    cell = 1

    def inner() -> int:
        return cell

    assert isinstance(inner, FunctionType)
    with touched({"inner": inner}) as names:
        assert names() == {"inner"}
        assert inner() == 1


def test_caches_of_a_package_are_found_and_emptied_and_others_are_not() -> None:
    remembered(4)
    found = caches_of(frozenset({"tests"}))
    assert remembered in found
    assert not any(one.__module__.startswith("typing") for one in found)
    forget(found)
    assert remembered.cache_info().currsize == 0

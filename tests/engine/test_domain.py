"""One reading of a type: its values, its size, its sampler."""

from dataclasses import dataclass
from enum import Enum
from random import Random
from typing import Annotated

import pytest

from eukhe_laws.engine.domain import DomainError, Range, Scope, Sized, domain, words_of


class Act(Enum):
    GO = "go"
    STOP = "stop"


@dataclass(frozen=True)
class Layer:
    act: Act
    budget: int


@pytest.mark.parametrize(
    ("tp", "finite", "size"),
    [
        (bool, True, 2),
        (int, False, 3),
        (Act | None, True, 3),
        (Layer, False, 6),
        (tuple[bool, Act], True, 4),
        (tuple[bool, ...], False, 7),
        (Annotated[int, Range(-1, 1)], True, 3),
        (Annotated[tuple[bool, ...], Sized(1, 2)], True, 6),
    ],
)
def test_the_reading_counts_what_it_lists(tp: object, finite: bool, size: int) -> None:
    read = domain(tp, Scope(nat=3, size=2))
    assert read.finite is finite
    assert read.size() == size == len(read.values()) == len(set(read.values()))
    draw, rng = read.draw(), Random(1)
    assert {draw(rng) for _ in range(400)} == set(read.values())


def test_a_field_has_bounds_of_its_own() -> None:
    scope = Scope(nat=2, size=1, over=(("budget", Scope(nat=5)),))
    assert max(layer.budget for layer in domain(Layer, scope).values()) == 4


def test_a_type_without_a_domain_says_so() -> None:
    with pytest.raises(DomainError, match="no domain for <class 'float'>"):
        domain(float, Scope())


@pytest.mark.parametrize(
    ("types", "scope", "said"),
    [
        ((bool, Act), Scope(), "the whole domain"),
        ((int,), Scope(nat=4), "ints < 4"),
        ((tuple[Act, ...],), Scope(size=3), "tuples <= 3"),
        ((str, int), Scope(), "ints < 3, strings: 3 words"),
        ((Layer,), Scope(over=(("budget", Scope(nat=5, size=9)),)), "ints < 3; .budget: ints < 5"),
        ((Layer,), Scope(over=(("budget", Scope()),)), "ints < 3"),
        ((int, int), Scope(over=(("b", Scope(nat=5, size=9)),)), "ints < 3; b: ints < 5"),
        ((Act,), Scope(over=(("a", Scope(nat=5)), ("gone", Scope(nat=5)))), "the whole domain"),
    ],
)
def test_bounds_are_said_only_where_they_bound_something(
    types: tuple[object, ...], scope: Scope, said: str
) -> None:
    named = [(name, domain(tp, scope.at(name))) for name, tp in zip("ab", types, strict=False)]
    assert words_of(scope, named) == said

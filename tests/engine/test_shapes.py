"""Shapes: every length and constructor fixed, the scalars left open."""

from enum import Enum

import pytest

from eukhe_laws.engine.domain import Domain, DomainError, Scope
from eukhe_laws.engine.shapes import Fixed, Node, Open, build, count, fit, leaves, plan, said
from tests.engine.toy import faults, laws
from tests.engine.toy.faults import Level, Step


class Lone(Enum):
    ONLY = 1


@pytest.mark.parametrize(
    ("tp", "shapes"),
    [
        (int, 1),
        (bool, 1),
        (Level, 1),
        (Lone, 1),
        (None, 1),
        (Step | None, 2),
        (tuple[Step, ...], 3),
    ],
)
def test_a_type_has_one_shape_for_each_constructor_and_length(tp: object, shapes: int) -> None:
    assert count(Domain(tp, Scope(size=2))) == shapes


def test_every_value_of_a_scope_is_built_from_one_of_its_shapes() -> None:
    domain = Domain(tuple[Step | None, ...], Scope(nat=2, size=2))
    law = faults.fault_total
    built = set()
    for (shape,) in plan(law, law.scope, 10):
        scalars = [Level.MID if leaf.type is Level else 1 for leaf in leaves(shape)]
        built.add(build(shape, iter(scalars)))
    step = Step(Level.MID, 1)
    assert built == {(), (step,), (step, step)}
    assert count(domain) == 1 + 2 + 4


def test_ints_keep_their_bounds_and_none_is_fixed() -> None:
    law = faults.fault_bounded
    assert plan(law, law.scope, 10) == (
        (Open(int, 2, 5), Fixed(None)),
        (Open(int, 2, 5), Open(Level)),
    )


def test_a_control_int_is_enumerated() -> None:
    law = faults.fault_endless
    assert [inputs[0] for inputs in plan(law, law.scope, 10)] == [Fixed(0), Fixed(1), Fixed(2)]
    assert said(law, law.scope) == "all naturals, loops < 3"


def test_shapes_come_smallest_first_and_long_tuples_are_given_up_before_there_are_too_many() -> (
    None
):
    law = laws.toy_capped
    assert fit(law, 3) == law.scope
    assert fit(law, 2).size == 1
    assert said(law, fit(law, 2)) == "all naturals, tuples <= 1"
    sizes = [sum(len(leaves(shape)) for shape in inputs) for inputs in plan(law, law.scope, 10)]
    assert sizes == [2, 3, 4]
    assert isinstance(plan(law, law.scope, 10)[0][0], Node)


def test_strings_have_no_shapes() -> None:
    with pytest.raises(DomainError, match="strings have no shapes"):
        fit(faults.fault_text, 10)

"""Numbers in strict JSON: the finite ones are read, each text with one that overflows is refused.

Texts with many floats are looked through for what could overflow, in others each float is looked at. Which way a
text goes must not be seen.
"""

from __future__ import annotations

import json
import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.core import arguments_json
from eukhe.core.arguments_json import strict

_SETTINGS = settings(derandomize=True, database=None, deadline=None, max_examples=300)

_LENGTHS = (1, 2, 17, 148, 149, 150, 210, 290, 297, 298, 299, 300, 301, 307, 308, 309, 310, 400)
_EXPONENTS = (
    "",
    "",
    "",
    "e5",
    "E9",
    "e+9",
    "e10",
    "e-400",
    "e308",
    "E309",
    "e+308",
    "e0309",
    "E+400",
)


@st.composite
def _numbers(draw: st.DrawFn) -> str:
    """A number of JSON; many of them are at the edge of what a float holds."""
    whole = draw(st.sampled_from(_LENGTHS) | st.integers(1, 4))
    digits = draw(st.sampled_from(("1", "9", "17976931348623157", "17976931348623159", "100")))
    text = (digits * (whole // len(digits) + 1))[:whole]
    if draw(st.integers(0, 4)):
        text += "." + "25" * draw(st.sampled_from((1, 1, 2, 8, 150, 200)))
    return draw(st.sampled_from(("", "-"))) + text + draw(st.sampled_from(_EXPONENTS))


@_SETTINGS
@given(
    st.lists(_numbers(), min_size=1, max_size=12),
    st.integers(0, 160),
    st.sampled_from(("0.5, 7.25, ", "", '"no numbers at all", ')),
)
def test_a_text_is_refused_exactly_when_one_of_its_numbers_overflows(
    numbers: list[str], space: int, before: str
) -> None:
    text = " " * space + f"[{before * 40}{', '.join(numbers)}]"
    value = json.loads(text)
    if any(isinstance(one, float) and math.isinf(one) for one in value):
        with pytest.raises(ValueError, match="not finite"):
            strict(text)
    else:
        read = strict(text)
        assert read == value
        assert isinstance(read, list)
        assert list(map(type, read)) == list(map(type, value))


def test_texts_of_many_floats_are_read_without_a_look_at_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = Random(1)
    texts = [
        json.dumps({"values": [rng.random() * 10**size for _ in range(count)]})
        for count in (9, 30, 1000)
        for size in (-3, 0, 2, 5)
    ]
    points = [{"x": rng.random(), "y": rng.random(), "name": f"p{n}"} for n in range(500)]
    for text in (*texts, json.dumps({"points": points})):
        with monkeypatch.context() as patch:
            patch.setattr(arguments_json, "_STRICT", None)
            assert strict(text) == json.loads(text)

"""Surrogates: what cannot be encoded never leaves, and halves that belong together are joined."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from eukhe.wire.unicode import Joiner, encodable

_ANY = st.text(alphabet=st.sampled_from("a\u00e9\ud83d\ude00\udc00\ud800\U0001f600"), max_size=12)


def test_a_pair_cut_between_two_pieces_is_one_character() -> None:
    joiner = Joiner()
    assert [joiner.take("a\ud83d"), joiner.take(""), joiner.take("\ude00b"), joiner.rest()] == [
        "a",
        "",
        "😀b",
        "",
    ]


def test_a_lone_half_becomes_a_replacement_character() -> None:
    joiner = Joiner()
    assert [
        joiner.take("\ud83d"),
        joiner.take("x\ude00"),
        joiner.take("\ud83d"),
        joiner.rest(),
    ] == [
        "",
        "\ufffdx\ufffd",
        "",
        "\ufffd",
    ]


@given(_ANY, st.lists(st.integers(0, 12), max_size=4))
def test_pieces_join_to_the_same_text_wherever_they_are_cut(text: str, places: list[int]) -> None:
    joiner = Joiner()
    ends = sorted(min(place, len(text)) for place in places)
    pieces = [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]
    shown = [joiner.take(piece) for piece in pieces] + [joiner.rest()]
    for piece in shown:
        piece.encode()
    assert "".join(shown) == encodable(text, instead="\ufffd")


@given(st.text())
def test_text_without_surrogates_is_left_alone(text: str) -> None:
    assert encodable(text) == text

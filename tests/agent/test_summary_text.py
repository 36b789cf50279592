"""What a model reads that writes a summary (S6.6)."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.agent.compact.summary import added
from eukhe.agent.compact.summary_text import (
    INSTRUCTED,
    LEAST_TOKENS,
    RESULT_TOKENS,
    Part,
    asked,
    fitted,
    shortened,
    told,
)
from eukhe.agent.compact.tokens import tokens_of_text
from eukhe.wire.messages import (
    AssistantMessage,
    ImageBlock,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)

_CALL = ToolCall("c1", "bash", '{"command":"ls"}')
_TALK = (
    UserMessage((TextBlock("look at"), ImageBlock("AAAA", "image/png"))),
    AssistantMessage((ThinkingBlock("secret thought"), TextBlock("I look."), _CALL)),
    ToolResultMessage.of(_CALL, "no such file", is_error=True),
)


def _text(part: Part, budget: int | None = None) -> str:
    system, user = asked(part, budget).messages
    assert system == SystemMessage(INSTRUCTED)
    assert isinstance(user, UserMessage)
    return user.text


def test_a_conversation_is_told_as_text_without_thinking_and_pictures() -> None:
    assert [told(one) for one in _TALK] == [
        "[user]\nlook at\n[a picture, image/png]",
        '[agent]\nI look.\n(calls bash: {"command":"ls"})',
        "[result of bash, failed]\nno such file",
    ]


def test_long_results_and_arguments_are_told_by_their_ends() -> None:
    result = told(ToolResultMessage.of(_CALL, "begin" + "x" * 100_000 + "end"))
    assert tokens_of_text(result) < RESULT_TOKENS + 30
    assert "begin" in result
    assert result.endswith("end")
    call = told(AssistantMessage((ToolCall("c", "write", "begin" + "y" * 100_000 + "end"),)))
    assert tokens_of_text(call) < 600


def test_previous_summary_split_turn_and_instructions_are_said_only_when_there_are() -> None:
    plain = _text(Part(_TALK))
    assert plain.startswith("<conversation>\n[user]")
    for word in ("previous-summary", "The last turn is not over", "heed this"):
        assert word not in plain
    full = _text(Part(_TALK, "WHAT WAS", split=True, instructions="keep the paths"))
    assert full.startswith("<previous-summary>\nWHAT WAS\n</previous-summary>\n\n<conversation>")
    assert "Your summary takes its place" in full
    assert "The last turn is not over" in full
    assert full.endswith("heed this in the summary:\nkeep the paths")


def test_what_fits_is_told_whole_and_what_does_not_is_counted() -> None:
    assert asked(Part(_TALK), 10_000).left_out == 0
    long = (UserMessage.of("begin " + "word " * 5_000 + "end"), UserMessage.of("short"))
    cut = asked(Part(long, "P" * 8_000), 1_000)
    assert cut.left_out == 1
    text = _text(Part(long, "P" * 8_000), 1_000)
    assert "short" in text
    assert "begin" in text
    assert "characters left out]" in text
    assert text.count("P") < 2_100, "a previous summary may have half of the room"


def test_the_longest_lose_their_middle_first_then_the_oldest_are_left_out() -> None:
    pieces = ["a" * 4_000, "b" * 40, "c" * 8_000]
    kept, left_out = fitted(pieces, 1_010)
    assert kept[1] == pieces[1]
    assert left_out == 2
    assert abs(len(kept[0]) - len(kept[2])) < 10
    many = [f"{number:04d} " + "x" * 795 for number in range(100)]
    kept, left_out = fitted(many, 20 * LEAST_TOKENS)
    assert kept[0] == "[80 older messages are left out]"
    assert [piece[:4] for piece in kept[1:]] == [f"{number:04d}" for number in range(80, 100)]
    assert left_out == 100
    assert fitted([], 10) == ([], 0)


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(st.lists(st.text(max_size=600), max_size=30), st.integers(-10, 2_000))
def test_pieces_fit_their_budget_but_for_the_marks(pieces: list[str], budget: int) -> None:
    kept, left_out = fitted(pieces, budget)
    marks = 13 * (len(kept) + 1)  # a mark and the rounding of each piece
    assert sum(map(tokens_of_text, kept)) <= max(budget, 0) + marks
    assert (left_out == 0) == (kept == pieces)


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(st.text(st.characters(exclude_characters="[]"), max_size=400), st.integers(-5, 120))
def test_a_shortened_text_keeps_its_ends_and_says_how_much_is_gone(text: str, most: int) -> None:
    short = shortened(text, most)
    if tokens_of_text(text) <= max(most, 0):
        assert short == text
        return
    head, mark, tail = short.partition("\n[")
    gone = int(tail.partition(" ")[0].replace(",", ""))
    tail = tail.partition("]\n")[2]
    assert mark
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(head) + len(tail) + gone == len(text)


def test_what_several_requests_used_is_added_up() -> None:
    one, two = Usage(1, 2, 3, 4, 5, 0.5, 6), Usage(10, 20, 30, 40, 50, None, 60)
    assert added(one, two) == Usage(11, 22, 33, 44, 55, 0.5, 66)
    assert added(None, two) == added(two, None) == two
    assert added(None, None) is None

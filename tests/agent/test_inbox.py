"""What enters when: the pure decision about messages that come while a run works, over any queue."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eukhe.agent.inbox.entering import (
    MOST_BYTES,
    MOST_QUEUED,
    MOST_WAITING_BYTES,
    Boundary,
    Delivery,
    Kind,
    Modes,
    Queue,
    RefusedMessageError,
    entering,
)

_KINDS = st.lists(st.sampled_from(Kind), max_size=8)
_MODES = st.builds(Modes, st.sampled_from(Delivery), st.sampled_from(Delivery))
_BOUNDARIES = st.sampled_from(Boundary)


def _queue(kinds: list[Kind]) -> Queue:
    queue = Queue()
    for number, kind in enumerate(kinds):
        queue = queue.accept(kind, f"message {number}")
    return queue


@given(_KINDS, _BOUNDARIES, _MODES)
def test_what_enters_is_of_the_queue_in_its_order_and_leaves_it_once(
    kinds: list[Kind], boundary: Boundary, modes: Modes
) -> None:
    queue = _queue(kinds)
    placed = entering(queue, boundary, modes)
    left = queue.without(placed)
    assert [one for one in queue.messages if one in placed] == list(placed)
    assert sorted((*placed, *left.messages), key=lambda one: one.id) == list(queue.messages)
    assert left.last == queue.last


@given(_KINDS, _BOUNDARIES, _MODES)
def test_steering_enters_everywhere_and_before_any_follow_up(
    kinds: list[Kind], boundary: Boundary, modes: Modes
) -> None:
    placed = entering(_queue(kinds), boundary, modes)
    steering = kinds.count(Kind.STEER)
    if steering:
        most = steering if modes.steering is Delivery.ALL else 1
        assert [one.kind for one in placed] == [Kind.STEER] * most


@given(_KINDS, _BOUNDARIES, _MODES)
def test_a_follow_up_enters_only_after_an_answer_that_nothing_steers(
    kinds: list[Kind], boundary: Boundary, modes: Modes
) -> None:
    placed = entering(_queue(kinds), boundary, modes)
    follow_ups = [one for one in placed if one.kind is Kind.FOLLOW_UP]
    if boundary is Boundary.ANSWER and kinds and Kind.STEER not in kinds:
        most = len(kinds) if modes.follow_up is Delivery.ALL else 1
        assert len(follow_ups) == most
    else:
        assert not follow_ups


@given(_KINDS, _MODES)
def test_a_run_does_not_end_while_a_message_waits(kinds: list[Kind], modes: Modes) -> None:
    """As many answers as there are messages, at most, and the queue is empty."""
    queue, seen = _queue(kinds), []
    for _ in kinds:
        placed = entering(queue, Boundary.ANSWER, modes)
        seen += [one.id for one in placed]
        queue = queue.without(placed)
    assert queue.messages == ()
    assert sorted(seen) == list(range(1, len(kinds) + 1))
    assert entering(queue, Boundary.ANSWER, modes) == ()


@given(_KINDS, _BOUNDARIES, _MODES)
def test_a_queue_reads_back_as_it_was_stored(
    kinds: list[Kind], boundary: Boundary, modes: Modes
) -> None:
    queue = _queue(kinds)
    queue = queue.without(entering(queue, boundary, modes))
    assert Queue.from_json(queue.to_json()) == queue


_ATOM = st.none() | st.integers(-3, 9) | st.sampled_from(["steer", "follow_up", "x", ""])
_ITEM = _ATOM | st.fixed_dictionaries({}, optional={"id": _ATOM, "kind": _ATOM, "text": _ATOM})


@given(st.fixed_dictionaries({}, optional={"last": _ATOM, "messages": _ATOM | st.lists(_ITEM)}))
def test_any_document_reads_as_a_queue_whose_next_number_is_new(body: dict[str, object]) -> None:
    queue = Queue.from_json(body)  # type: ignore[arg-type]  # JSON values all the same
    if len(queue.messages) < MOST_QUEUED:
        number = queue.accept(Kind.STEER, "x").last
        assert all(one.id < number for one in queue.messages)


def test_the_defaults_are_all_that_steers_and_one_follow_up() -> None:
    queue = _queue([Kind.STEER, Kind.FOLLOW_UP, Kind.STEER, Kind.FOLLOW_UP])
    placed = entering(queue, Boundary.ANSWER, Modes())
    assert [one.id for one in placed] == [1, 3]
    assert [one.id for one in entering(queue.without(placed), Boundary.ANSWER, Modes())] == [2]


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "is empty"), (" \n", "is empty"), ("ä" * MOST_BYTES, "more than 1 MiB")],
)
def test_a_message_without_text_or_with_too_much_is_refused(text: str, why: str) -> None:
    with pytest.raises(RefusedMessageError, match=why) as refused:
        Queue().accept(Kind.FOLLOW_UP, text)
    assert refused.value.kind is Kind.FOLLOW_UP


def test_a_full_queue_takes_no_more_until_one_has_entered() -> None:
    queue = _queue([Kind.STEER] * MOST_QUEUED)
    with pytest.raises(RefusedMessageError, match="100 messages wait already"):
        queue.accept(Kind.STEER, "one more")
    assert queue.without(queue.messages[:1]).accept(Kind.STEER, "now").last == MOST_QUEUED + 1


def test_messages_that_wait_have_a_size_together() -> None:
    queue = Queue()
    for _ in range(MOST_WAITING_BYTES // MOST_BYTES):
        queue = queue.accept(Kind.STEER, "x" * MOST_BYTES)
    with pytest.raises(RefusedMessageError, match="4 MiB wait already"):
        queue.accept(Kind.FOLLOW_UP, "x")

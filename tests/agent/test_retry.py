"""The retry policy as a pure function: what becomes of a request that failed."""

from __future__ import annotations

import math
from itertools import cycle, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eukhe.agent.retry.policy import (
    LONGEST_BACKOFF,
    MAX_REQUESTS,
    Again,
    End,
    FailoverPolicy,
    Move,
    Next,
    RetryPolicy,
    Spent,
    Why,
    after_failure,
    backoff,
    in_words,
)
from eukhe.wire.errors import ErrorKind, WireError

_PLAIN = RetryPolicy()
_FOR_GOOD = ("context_overflow", "invalid_request", "permission", "safety", "payment_required")
_PASSES = ("rate_limit", "overloaded", "server", "network", "timeout", "protocol", "stream_ended")


def _error(
    kind: str = "server",
    wait: float | None = None,
    *,
    word: bool | None = None,
    status: int | None = None,
    said: str = "",
) -> WireError:
    return WireError(ErrorKind(kind), "no", status, said, retry_after=wait, should_retry=word)


def _next(
    error: WireError,
    spent: Spent | None = None,
    policy: RetryPolicy = _PLAIN,
    *,
    others: bool = False,
    chance: float = 0.5,
) -> Next:
    return after_failure(error, spent or Spent(), policy, others=others, chance=chance)


def test_the_waits_double_from_the_base() -> None:
    waits = [_next(_error(), Spent(n + 1, n)) for n in range(4)]
    assert waits == [Again(1, 3, 2.0), Again(2, 3, 4.0), Again(3, 3, 8.0), End(Why.RETRIES)]


def test_a_wait_is_at_least_what_the_server_asks_for() -> None:
    assert _next(_error(wait=30)) == Again(1, 3, 30)
    assert _next(_error(wait=0.5)) == Again(1, 3, 2.0)
    assert _next(_error(wait=60)) == Again(1, 3, 60)


def test_a_longer_wait_than_the_cap_ends_the_retries_and_zero_is_no_cap() -> None:
    assert _next(_error(wait=60.1)) == End(Why.WAIT)
    open_end = RetryPolicy(longest_wait=math.inf)
    assert _next(_error(wait=9000), policy=open_end) == Again(1, 3, 9000)
    beyond_any_clock = _next(_error(wait=1e308), policy=open_end)
    assert isinstance(beyond_any_clock, Again)
    assert beyond_any_clock.wait < 1e9
    assert _next(_error(wait=61), Spent(4, 3)) == End(Why.WAIT), "what the server says is told"
    said = in_words(Why.WAIT, _error(wait=3600), Spent(), _PLAIN)
    assert "wait 3600 s" in said
    assert "60 s at most" in said
    assert "retry.provider.maxRetryDelayMs" in said


@pytest.mark.parametrize("kind", _FOR_GOOD)
def test_some_kinds_are_never_retried(kind: str) -> None:
    assert _next(_error(kind, 1)) == End(Why.KIND)


@pytest.mark.parametrize("kind", _PASSES)
def test_every_other_kind_passes(kind: str) -> None:
    assert isinstance(_next(_error(kind)), Again)


def test_every_kind_has_its_reading() -> None:
    told = {*_FOR_GOOD, *_PASSES, "auth", "not_found", "stream_repeating"}
    assert told == {kind.value for kind in ErrorKind}


def test_a_refused_key_gets_exactly_one_retry() -> None:
    assert _next(_error("auth")) == Again(1, 3, 2.0)
    assert _next(_error("auth"), Spent(2, 1, auth=True)) == End(Why.KIND)
    after_others = Spent(3, 2)
    assert isinstance(_next(_error("auth"), after_others), Again)
    assert _next(_error("auth", word=False)) == End(Why.KIND)
    assert _next(_error("auth", word=True), Spent(2, 1, auth=True)) == End(Why.KIND)


def test_a_404_that_says_what_is_missing_is_an_answer_and_an_empty_one_is_not() -> None:
    no_tools = "No endpoints found that support tool use."
    assert _next(_error("not_found", status=404, said=no_tools)) == End(Why.KIND)
    assert _next(_error("not_found", status=404, said="no model m")) == End(Why.KIND)
    assert _next(_error("not_found", status=302)) == End(Why.KIND)
    assert isinstance(_next(_error("not_found", status=404)), Again)


def test_the_servers_own_word_on_a_retry_counts() -> None:
    assert _next(_error("server", word=False)) == End(Why.KIND)
    assert isinstance(_next(_error("invalid_request", word=True)), Again)
    assert _next(_error("context_overflow", word=True)) == End(Why.KIND)
    assert _next(_error("payment_required", word=True)) == End(Why.KIND)


def test_retries_can_be_off() -> None:
    off = RetryPolicy(enabled=False)
    assert _next(_error(wait=1), policy=off, others=True) == End(Why.OFF)
    assert _next(_error(), policy=RetryPolicy(max_retries=0)) == End(Why.RETRIES)
    assert _next(_error("auth"), policy=RetryPolicy(max_retries=0)) == End(Why.RETRIES)


def test_another_provider_is_asked_when_the_retries_are_spent_on_its_own_schedule() -> None:
    steps = [_next(_error(), Spent(n + 1, n), others=True) for n in range(4)]
    assert steps == [Again(1, 3, 1.0), Again(2, 3, 2.0), Again(3, 3, 4.0), Move(Why.RETRIES)]
    none = RetryPolicy(max_retries=0)
    assert _next(_error(), policy=none, others=True) == Move(Why.RETRIES)
    early = RetryPolicy(max_retries=9, failover=FailoverPolicy(max_retries=1))
    assert _next(_error(), Spent(2, 1), early, others=True) == Move(Why.RETRIES)
    assert _next(_error(), Spent(2, 1), early) == Again(2, 9, 4.0)


@pytest.mark.parametrize("kind", ["payment_required", "permission", "overloaded"])
def test_what_is_wrong_with_a_provider_alone_moves_at_once(kind: str) -> None:
    assert _next(_error(kind), others=True) == Move(Why.KIND)
    off = RetryPolicy(failover=FailoverPolicy(enabled=False))
    assert not isinstance(_next(_error(kind), policy=off, others=True), Move)


@pytest.mark.parametrize("kind", ["context_overflow", "invalid_request", "safety"])
def test_what_is_wrong_with_the_request_moves_nowhere(kind: str) -> None:
    assert _next(_error(kind), others=True) == End(Why.KIND)


def test_a_long_wait_here_is_no_wait_where_another_provider_is() -> None:
    assert _next(_error("rate_limit", 45), others=True) == Move(Why.WAIT)
    assert _next(_error("rate_limit", 45)) == Again(1, 3, 45)


def test_the_end_says_what_was_tried() -> None:
    assert in_words(Why.RETRIES, _error(), Spent(4, 3), _PLAIN) == " (after 3 retries)"
    assert in_words(Why.KIND, _error(), Spent(2, 1), _PLAIN) == " (after 1 retry)"
    assert "8 requests" in in_words(Why.REQUESTS, _error(), Spent(8, 3, moved=True), _PLAIN)
    assert in_words(Why.KIND, _error(), Spent(), _PLAIN) == ""


_SECONDS = st.floats(0, 1e6)
_POLICIES = st.builds(
    RetryPolicy,
    st.booleans(),
    st.integers(0, 12),
    _SECONDS,
    st.one_of(_SECONDS, st.just(math.inf)),
    st.builds(FailoverPolicy, st.booleans(), st.integers(0, 12), _SECONDS, _SECONDS),
)
_ERRORS = st.builds(
    _error,
    st.sampled_from([kind.value for kind in ErrorKind]),
    st.one_of(st.none(), _SECONDS),
    word=st.sampled_from([None, True, False]),
    status=st.sampled_from([None, 400, 404, 500]),
    said=st.sampled_from(["", "why"]),
)
_CHANCES = st.floats(0, 1, exclude_max=True)


@given(
    _POLICIES,
    st.integers(1, 6),
    st.lists(st.tuples(_ERRORS, _CHANCES), min_size=1, max_size=5),
)
def test_every_request_comes_to_an_end_within_its_limits(
    policy: RetryPolicy, providers: int, failures: list[tuple[WireError, float]]
) -> None:
    """Whatever the servers answer, again and again."""
    spent, at, refused_keys = Spent(), 0, 0
    for error, chance in islice(cycle(failures), 120):
        step = after_failure(error, spent, policy, others=at + 1 < providers, chance=chance)
        match step:
            case Again(attempt=attempt, most=most, wait=wait):
                assert policy.enabled
                assert 1 <= attempt == spent.retries + 1 <= most <= policy.max_retries
                assert wait >= (error.retry_after or 0)
                assert (error.retry_after or 0) <= policy.longest_wait
                own = max(LONGEST_BACKOFF, policy.failover.longest_wait)
                assert wait <= max(error.retry_after or 0, 1.2 * own)
                assert error.kind.value not in ("context_overflow", "payment_required")
                refused_keys += error.kind is ErrorKind.AUTH
                assert refused_keys <= 1
                auth = spent.auth or error.kind is ErrorKind.AUTH
                spent = Spent(spent.requests + 1, attempt, auth, spent.moved)
            case Move():
                assert policy.enabled
                assert policy.failover.enabled
                assert at + 1 < providers
                at, refused_keys = at + 1, 0
                spent = Spent(spent.requests + 1, moved=True)
            case End():
                break
        if spent.moved:
            assert spent.requests <= MAX_REQUESTS
    else:
        pytest.fail("the request never ended")


@given(_ERRORS, _POLICIES, st.integers(0, 12), st.booleans(), _CHANCES, _CHANCES)
def test_the_jitter_changes_nothing_but_the_wait(
    error: WireError, policy: RetryPolicy, retries: int, others: bool, one: float, two: float
) -> None:
    spent = Spent(retries + 1, retries)
    first = after_failure(error, spent, policy, others=others, chance=one)
    second = after_failure(error, spent, policy, others=others, chance=two)
    if isinstance(first, Again) and isinstance(second, Again):
        assert (first.attempt, first.most) == (second.attempt, second.most)
        low, high = sorted((first.wait, second.wait))
        assert high <= low * 1.5 + 1e-9
    else:
        assert first == second


@given(st.integers(1, 5000), st.floats(0, 1e300), st.floats(0, 1e6))
def test_a_backoff_doubles_up_to_its_longest(attempt: int, base: float, longest: float) -> None:
    wait = backoff(attempt, base, longest)
    assert 0 <= wait <= max(longest, 0)
    if wait < longest:
        assert backoff(attempt + 1, base, longest) == min(2 * wait, longest)

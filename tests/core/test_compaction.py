"""Compaction (S6.6), with the numbers of a session."""

from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.core.compaction import (
    IDLE,
    Effect,
    Ledger,
    Policy,
    Summary,
    cut,
    failed,
    finished,
    lost,
    manual,
    overtaken,
    place,
    prepare,
)

SESSION = Policy(window=200_000, reserve=16_384)


def test_a_session_starts_a_tenth_of_the_window_below_the_limit() -> None:
    assert SESSION.limit == 183_616
    assert SESSION.threshold == 163_616
    assert prepare(IDLE, SESSION, 163_616) == (IDLE, ())
    assert prepare(IDLE, SESSION, 163_617) == (Ledger(running=True), (Effect.START,))


def test_the_library_margin_is_a_number_of_tokens() -> None:
    assert Policy(200_000, 16_384, margin_percent=None).threshold == 183_616 - 32_768


def test_a_context_over_the_limit_waits_also_for_a_compaction_that_is_running() -> None:
    assert prepare(IDLE, SESSION, 183_617)[1] == (Effect.START, Effect.WAIT)
    assert prepare(Ledger(running=True), SESSION, 183_617)[1] == (Effect.WAIT,)


def test_a_small_window_keeps_less_than_the_setting() -> None:
    assert SESSION.keeps == 40_000
    assert Policy(window=64_000, reserve=16_384).keeps == (64_000 - 16_384 - 6_400) // 2
    assert Policy(window=8_000, reserve=16_384).keeps == 0


def test_the_kept_part_never_begins_with_a_tool_result() -> None:
    tokens = [500, 100, 300, 200, 50]
    results = [False, False, True, True, False]
    assert cut(tokens, results, 600) == 4
    assert cut(tokens, results, 650) == 1
    assert cut(tokens, results, 49) == 5
    assert cut([], [], 10) == 0


def test_a_queued_summary_outlives_the_run_and_is_placed_at_the_next_boundary() -> None:
    ledger, out = finished(Ledger(running=True), in_run=True)
    assert (ledger, out) == (Ledger(queued=Summary.FRESH), ())
    assert manual(ledger) == (ledger, ())
    assert place(ledger) == (IDLE, (Effect.PLACED,))


def test_a_summary_that_went_stale_is_skipped() -> None:
    ledger, _ = overtaken(Ledger(queued=Summary.FRESH))
    assert manual(ledger)[1] == (Effect.START,)
    assert place(ledger) == (IDLE, (Effect.SKIPPED,))


def test_a_summary_write_that_leaves_the_inbox_unsettled_ends_its_compaction() -> None:
    assert lost(Ledger(queued=Summary.FRESH)) == (IDLE, (Effect.FAILED,))
    assert lost(IDLE) == (IDLE, ())
    assert failed(Ledger(running=True)) == (IDLE, (Effect.FAILED,))


def test_a_snapshot_ends_the_compactions_whose_end_it_may_have_replaced() -> None:
    # It stands for the events before it, so neither what waits nor what runs can be settled by them any more.
    for queued in Summary:
        assert lost(Ledger(queued=queued)) == (IDLE, (Effect.FAILED,))
    both, out = lost(Ledger(running=True, queued=Summary.STALE))
    assert (both, out) == (Ledger(running=True), (Effect.FAILED,))
    assert failed(both) == (IDLE, (Effect.FAILED,))


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(st.lists(st.tuples(st.integers(), st.booleans()), max_size=40), st.integers())
def test_any_entries_and_any_budget_have_a_cut(entries: list[tuple[int, bool]], keeps: int) -> None:
    tokens, results = [one for one, _ in entries], [one for _, one in entries]
    assert 0 <= cut(tokens, results, keeps) <= len(entries)


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(st.integers(), st.integers(), st.integers(), st.integers(-9, 200), st.integers())
def test_any_numbers_give_a_policy(
    window: int, reserve: int, keep: int, percent: int, context: int
) -> None:
    policy = Policy(window, reserve, 0, percent, keep)
    assert policy.keeps >= 0
    assert set(prepare(IDLE, policy, context)[1]) <= {Effect.START, Effect.WAIT}

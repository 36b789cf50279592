"""A forced tool call (S6.3), as a generation drives it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe.core.force import Called, Forcing, NotCalled, ask, reply


def test_the_first_request_sets_the_flag_only_when_it_is_free() -> None:
    first = Forcing("grep", retries=1)
    assert ask(first, supported=True, free=True).native
    assert not ask(first, supported=True, free=False).native
    assert not ask(first, supported=False, free=True).native


def test_manual_extended_thinking_has_no_native_forced_choice() -> None:
    retry = reply(Forcing("grep", retries=1), called=False)
    assert isinstance(retry, Forcing)
    assert not ask(retry, supported=False, free=False).native
    assert ask(retry, supported=True, free=False).native


def test_the_soft_prompt_names_the_tool() -> None:
    assert "`grep`" in ask(Forcing("grep", 0), supported=False, free=False).soft_prompt


def test_after_the_retries_the_call_fails_with_the_real_number_of_requests() -> None:
    state = reply(Forcing("grep", retries=1), called=False)
    assert isinstance(state, Forcing)
    assert reply(state, called=False) == NotCalled("grep", 2)
    assert reply(state, called=True) == Called("grep", 2)


@settings(derandomize=True, database=None, deadline=None, max_examples=200)
@given(st.text(), st.integers(), st.integers(), st.booleans(), st.booleans())
def test_any_state_has_a_next_request_and_a_reading(
    tool: str, retries: int, requests: int, supported: bool, called: bool
) -> None:
    state = Forcing(tool, retries, requests)
    assert tool in ask(state, supported=supported, free=called).soft_prompt
    assert isinstance(reply(state, called=called), Forcing | Called | NotCalled)

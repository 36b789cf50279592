"""Replies that are no answer, end to end: leaked calls, empty replies, loops, and the notes that they cost."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from eukhe.core.leak import Note, Trouble, note_text
from tests.cli.eukhe_process import at
from tests.servers.chat import Call, ChatServer, Reply

if TYPE_CHECKING:
    from tests.cli.eukhe_process import Home

_COMMAND = "echo ran | tee -a ran"
_DSML = "\uff5cDSML\uff5c"
_LEAKS = {
    "hermes": f'<tool_call>\n{{"name": "bash", "arguments": {{"command": "{_COMMAND}"}}}}\n</tool_call>',
    "coder": (
        f"<tool_call>\n<function=bash>\n<parameter=command>\n{_COMMAND}\n</parameter>\n"
        "</function>\n</tool_call>"
    ),
    "omp": f'<tool_calls>\n<bash command="{_COMMAND}" />\n</tool_calls>',
    "kimi": (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>"
        f'{{"command": "{_COMMAND}"}}<|tool_call_end|><|tool_calls_section_end|>'
    ),
    "dsml": (
        f'<{_DSML}function_calls>\n<{_DSML}invoke name="bash">\n<{_DSML}parameter name="command" '
        f'string="true">{_COMMAND}</{_DSML}parameter>\n</{_DSML}invoke>\n</{_DSML}function_calls>'
    ),
}
_UNREAD = '<tool_call>\n{"name": "deploy", "arguments": {}}\n</tool_call>'
_LOOP = "one step\nanother step\n" * 100


def _messages(server: ChatServer, number: int) -> list[dict[str, Any]]:
    messages = server.requests[number].body["messages"]
    assert messages[0]["role"] == "system"
    return messages[1:]  # type: ignore[no-any-return]  # the body is JSON


def _noted(server: ChatServer, number: int) -> tuple[list[Any], str]:
    """What a request sent before its last message, and the text of that."""
    *before, last = _messages(server, number)
    assert last["role"] == "user"
    return [message["content"] for message in before], last["content"]


def _note(trouble: Trouble, attempt: int, period: int = 0, last: str = "") -> str:
    return note_text(Note(trouble, attempt, period, last))


@pytest.mark.parametrize("family", _LEAKS)
def test_a_leaked_call_runs_and_goes_back_to_the_model_as_a_call(home: Home, family: str) -> None:
    text = f"Let me look.\n\n{_LEAKS[family]}"
    pieces = [text[at : at + 7] for at in range(0, len(text), 7)]
    with ChatServer([Reply(text=pieces, finish="stop"), Reply(text="done")]) as server:
        done = home.run("-p", "go", *at(server))
        assert server.problems == ()
        sent = _messages(server, 1)
    assert (done.returncode, done.stderr) == (0, f"bash: {_COMMAND}\n")
    assert done.stdout == f"{text}\ndone\n", "what came is shown as it came, and nothing twice"
    assert (home.cwd / "ran").read_text() == "ran\n"
    (call,) = sent[1].pop("tool_calls")
    assert json.loads(call["function"]["arguments"]) == {"command": _COMMAND}
    assert (call["function"]["name"], call["id"]) == ("bash", "call_0")
    assert sent == [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "Let me look."},
        {"role": "tool", "tool_call_id": "call_0", "content": "ran"},
    ]
    stored = home.show()["entries"][1]["body"]
    assert [block["type"] for block in stored["content"]] == ["text", "toolCall"]
    assert stored["stop"] == "toolUse"


def test_rebuilt_calls_of_one_run_have_ids_of_their_own(home: Home) -> None:
    leak = Reply(text=_LEAKS["hermes"] * 2)
    with ChatServer([leak, leak, Reply(text="done")]) as server:
        assert home.run("-p", "go", *at(server)).returncode == 0
        assert server.problems == ()
        answered = [m["tool_call_id"] for m in _messages(server, 2) if m["role"] == "tool"]
    assert answered == ["call_0", "call_1", "call_2", "call_3"]
    assert (home.cwd / "ran").read_text() == "ran\n" * 4


def test_a_leak_that_cannot_be_read_gets_two_notes_and_is_then_the_answer(home: Home) -> None:
    with ChatServer([Reply(text=_UNREAD)] * 3 + [Reply(text="better")]) as server:
        done = home.run("-p", "go", *at(server))
        again = home.run("-p", "go on", "--continue")
        assert server.problems == ()
        requests = [_noted(server, number) for number in range(4)]
    assert done.returncode == 0
    assert done.stdout == f"{_UNREAD}\n" * 3
    first, second, third = done.stderr.splitlines()
    assert first.endswith("retry 1 of 8 with a note")
    assert second.endswith("retry 2 of 8 with a note")
    assert "no tool ran (hermes names a tool that was not offered)" in third
    assert again.stdout == "better\n"
    assert requests == [
        ([], "go"),
        (["go"], _note(Trouble.LEAK, 1)),
        (["go"], _note(Trouble.LEAK, 2)),
        (["go", _UNREAD], "go on"),
    ], "the notes are in no later request, and neither are the replies that they were for"


def test_a_leak_and_a_whole_call_in_one_reply_run_the_call_alone(home: Home) -> None:
    call = Call("bash", {"command": "echo real"})
    with ChatServer([Reply(text=_LEAKS["hermes"], calls=[call]), Reply(text="done")]) as server:
        assert home.run("-p", "go", *at(server)).returncode == 0
        results = [m["content"] for m in _messages(server, 1) if m["role"] == "tool"]
    assert results == ["real"]


def test_leaked_calls_of_a_reply_that_hit_the_limit_do_not_run(home: Home) -> None:
    with ChatServer([Reply(text=_LEAKS["hermes"], finish="length"), Reply(text="done")]) as server:
        assert home.run("-p", "go", *at(server)).returncode == 0
        (result,) = [m["content"] for m in _messages(server, 1) if m["role"] == "tool"]
    assert result.startswith("truncated:")
    assert not (home.cwd / "ran").exists()


def test_a_reply_without_an_answer_is_asked_for_again_at_once_with_a_note(home: Home) -> None:
    replies = [
        Reply(thinking="hm"),
        Reply(thinking="hm", finish="length"),
        Reply(text=" \n"),
        Reply(calls=[Call("bash", {"command": "echo hi"})]),
        Reply(),
        Reply(text="done"),
        Reply(text="more"),
    ]
    with ChatServer(replies) as server:
        # Notes are no retries of the policy: there are none of those here.
        done = home.run("-p", "go", *at(server), "--set", "retry.maxRetries=0", "--mode", "json")
        home.run("-p", "more", "--continue")
        assert server.problems == ()
        last = [_messages(server, number)[-1]["content"] for number in range(6)]
        sent = [m["content"] for m in _messages(server, 6)]
    assert done.returncode == 0
    assert last == [
        "go",
        _note(Trouble.EMPTY, 1),
        _note(Trouble.LENGTH, 2),
        _note(Trouble.EMPTY, 3),
        "hi",
        _note(Trouble.EMPTY, 1),
    ], "a tool round begins a new generation"
    assert sent == ["go", None, "hi", "done", "more"]
    events = [json.loads(line) for line in done.stdout.splitlines()]
    notes = [event for event in events if event["type"] == "note"]
    assert [(event["attempt"], event["trouble"]) for event in notes] == [
        (1, "empty_reply"),
        (2, "length_without_answer"),
        (3, "empty_reply"),
        (1, "empty_reply"),
    ]
    assert notes[1]["note"] == last[2]
    assert (notes[1]["maxAttempts"], "output limit" in notes[1]["reason"]) == (8, True)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(), "no text and no tool call"),
        (Reply(thinking="hm"), "no text and no tool call"),
        (Reply(thinking="hm", finish="length"), "output limit"),
    ],
    ids=["empty", "thinking", "length"],
)
def test_a_model_that_never_answers_fails_after_eight_notes_and_the_session_goes_on(
    home: Home, reply: Reply, said: str
) -> None:
    with ChatServer([reply] * 9 + [Reply(text="better")]) as server:
        done = home.run("-p", "hello", *at(server))
        assert (done.returncode, done.stdout, len(server.requests)) == (1, "", 9)
        *notes, error = done.stderr.splitlines()
        assert [said in line for line in notes] == [True] * 8
        assert error.startswith("eukhe: ")
        assert said in error
        assert "8 retries with a note" in error
        assert home.rows()[-1][0] == "eukhe.error"
        again = home.run("-p", "once more", "--continue")
        assert (again.returncode, again.stdout, again.stderr) == (0, "better\n", "")
        assert _noted(server, 9) == (["hello"], "once more")
        assert server.problems == ()


def test_a_loop_is_cut_and_the_note_gives_its_period_and_last_line(home: Home) -> None:
    with ChatServer([Reply(thinking=_LOOP), Reply(text=_LOOP), Reply(text="done")]) as server:
        done = home.run("-p", "go", *at(server))
        assert server.problems == ()
        requests = [_noted(server, number) for number in range(3)]
    assert done.returncode == 0
    assert done.stdout.endswith("step\ndone\n")
    assert requests[0] == ([], "go")
    for attempt, (before, note) in enumerate(requests[1:], start=1):
        assert before == ["go"]
        assert note == _note(Trouble.REPEATING, attempt, 2, "another step")
        assert f"retry {attempt} of 8" in note
        assert "2 lines" in note
        assert "'another step'" in note
    assert [kind for kind, _ in home.rows()] == ["user", "assistant", "assistant", "assistant"]


def test_the_observed_thinking_loop_fails_as_repeating_by_default(home: Home) -> None:
    """Thirteen lines, then 1,359 lines of a cycle of seven in which no line comes twice in a row."""
    lines = [f"before {number}\n" for number in range(13)]
    lines += [f"thought {number % 7}\n" for number in range(1_359)]
    with ChatServer([Reply(thinking=lines), Reply(text="done")]) as server:
        done = home.run("-p", "go", *at(server), "--mode", "json")
        assert _noted(server, 1)[1] == _note(Trouble.REPEATING, 1, 7, "thought 0")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["trouble"] for one in events if one["type"] == "note"] == ["stream_repeating"]
    cut = next(one for one in events if one["type"] == "message_end")["message"]
    assert cut["stop"] == "error"
    assert cut["content"][0]["text"].count("\n") == 77


def test_the_notes_of_a_killed_process_stay_spent(home: Home) -> None:
    """The process is ended while the third request waits; the next one goes on from there."""
    empty = Reply(thinking="hm")
    with ChatServer([empty, empty, Reply(sent=-1, end="hang"), empty, Reply(text="ok")]) as server:
        with home.start("-p", "go", *at(server)) as process:
            while len(server.requests) < 3:
                assert process.poll() is None
                time.sleep(0.01)
            process.kill()
        home.run("-p", "again", "--continue")
        assert server.problems == ()
        last = [[m["content"] for m in _messages(server, number)] for number in (-2, -1)]
    assert last == [
        ["go", "again", _note(Trouble.EMPTY, 2)],
        ["go", "again", _note(Trouble.EMPTY, 3)],
    ]

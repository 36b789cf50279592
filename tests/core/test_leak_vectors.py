"""The vectors of leaked tool calls (S6.10): text in, calls and text out, with `read` and `bash` on offer."""

from __future__ import annotations

import json

import pytest

from eukhe.core.leak import (
    Again,
    Answer,
    Notes,
    Rebuilt,
    Reply,
    Run,
    Step,
    Trouble,
    Unread,
    decide,
    scan,
)

TOOLS = {
    "read": {"properties": {"path": {"type": "string"}, "limit": {"type": "integer"}}},
    "bash": {"properties": {"command": {"type": "string"}}},
}

_HERMES = 'Ok.\n<tool_call>\n{"name":"read","arguments":{"path":"a"}}\n</tool_call>'
_CODER = (
    "<tool_call>\n<function=read>\n<parameter=path>\na b.txt\n</parameter>\n"
    "<parameter=limit>\n5\n</parameter>\n</function>\n</tool_call>"
)
_KIMI = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>"
    '{"command":"ls"}<|tool_call_end|><|tool_calls_section_end|>'
)
_DSML = (
    '<｜DSML｜function_calls><｜DSML｜invoke name="read"><｜DSML｜parameter name="path" string="true">a'  # noqa: RUF001
    "</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>"  # noqa: RUF001 - the models' own character
)
_FLY = '<tool_call>{"name":"fly","arguments":{}}</tool_call>'
_READ_A = ("read", {"path": "a"})


def _with_limit(text: str) -> str:
    mark = "｜DSML｜"  # noqa: RUF001 - the models' own character
    limit = f'<{mark}parameter name="limit" string="false">7</{mark}parameter>'
    return text.replace(f"</{mark}invoke>", f"{limit}</{mark}invoke>")


REBUILT = {
    "1 hermes": (_HERMES, "Ok.", [_READ_A]),
    "2 two blocks": (f"{_HERMES}\n{_HERMES[4:]}", "Ok.", [_READ_A, _READ_A]),
    "3 arguments as a string": (
        '<tool_call>{"name":"read","arguments":"{\\"path\\":\\"a\\"}"}</tool_call>',
        "",
        [_READ_A],
    ),
    "7 coder": (_CODER, "", [("read", {"path": "a b.txt", "limit": 5})]),
    "8 coder without its open tag": (
        "Look.\n<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>",
        "Look.",
        [("bash", {"command": "ls"})],
    ),
    "9 line ends of a value": (
        _CODER.replace("\na b.txt\n", "\n\n x\n\n"),
        "",
        [("read", {"path": "\n x\n", "limit": 5})],
    ),
    "10 on one line": (
        "<tool_call><function=bash><parameter=command>echo 42</parameter></function></tool_call>",
        "",
        [("bash", {"command": "echo 42"})],
    ),
    "11 a declared string": (
        "<function=bash><parameter=command>42</parameter></function>",
        "",
        [("bash", {"command": "42"})],
    ),
    "12 omp: a number is a string until the repair of arguments": (
        "<tool_calls><read path=\"x\" limit='3' /></tool_calls>",
        "",
        [("read", {"path": "x", "limit": "3"})],
    ),
    "14 kimi": (_KIMI, "", [("bash", {"command": "ls"})]),
    "15 kimi in the singular": (
        _KIMI.replace("tool_calls_section", "tool_call_section"),
        "",
        [("bash", {"command": "ls"})],
    ),
    "17 dsml": (_DSML, "", [_READ_A]),
    "18 dsml with other words and bars": (
        _DSML.replace("function_calls", "tool_calls").replace("｜", "|"),  # noqa: RUF001
        "",
        [_READ_A],
    ),
    "19 dsml with a number": (_with_limit(_DSML), "", [("read", {"path": "a", "limit": 7})]),
    "20 dsml: text that looks like JSON": (
        _DSML.replace('"read"', '"bash"')
        .replace('"path"', '"command"')
        .replace(">a<", '>{"a":1}<'),
        "",
        [("bash", {"command": '{"a":1}'})],
    ),
    "21 dsml without its mark": (_DSML.replace("｜DSML｜", ""), "", [_READ_A]),  # noqa: RUF001
}

UNREAD = {
    "4 a name that is not offered": _FLY,
    "13 omp cannot hold an angle bracket": '<tool_calls><bash command="a > b" /></tool_calls>',
    "16 kimi without its closing brace": _KIMI.replace("}", ""),
    "23 one good block and a broken one": f"{_HERMES}\n<tool_call>\n{{'name':\n</tool_call>",
    "one malformed invoke among good ones": _DSML.replace(
        "</｜DSML｜invoke>",  # noqa: RUF001 - the models' own character
        "</｜DSML｜invoke><｜DSML｜invoke nam></｜DSML｜invoke>",  # noqa: RUF001
    ),
    "a second kimi call that is cut": _KIMI.replace(
        "<|tool_calls_section_end|>", "<|tool_call_begin|>functions.bash:1"
    ),
}

TEXT = {
    "5 in a fence": f"So:\n```\n{_HERMES}\n```\n",
    "6 inline code": "Use `<tool_call>` like this.",
    "6 inline code in two backticks": "Use `` `<tool_call>` `` like this.",
    "a fence that never closes": f"```xml\n{_HERMES}",
    "an opener in prose": "Put it in a <tool_call> tag, or in <tool_calls>.",
    "a related form": "<minimax:tool_call><invoke name='read'></invoke></minimax:tool_call>",
    "an html tag": "<b>bold</b> <i>x</i> a < b, a<|b",
}


@pytest.mark.parametrize(("text", "rest", "calls"), REBUILT.values(), ids=REBUILT)
def test_leaked_calls_are_rebuilt(
    text: str, rest: str, calls: list[tuple[str, dict[str, object]]]
) -> None:
    found = scan([text], TOOLS)
    assert isinstance(found, Rebuilt)
    assert [(call.name, json.loads(call.arguments)) for call in found.calls] == calls
    assert found.texts == (rest,)
    step: Step[str] = decide(Reply((text,), (), "stop"), Notes(), TOOLS)
    assert step == Run(found.calls, found.texts, rebuilt=True, stop="toolUse")


@pytest.mark.parametrize("text", UNREAD.values(), ids=UNREAD)
def test_a_leak_that_is_not_rebuilt_is_retried(text: str) -> None:
    assert isinstance(scan([text], TOOLS), Unread)
    step: Step[str] = decide(Reply((text,), (), "stop"), Notes(), TOOLS)
    assert isinstance(step, Again)
    assert step.note.trouble is Trouble.LEAK


@pytest.mark.parametrize("text", TEXT.values(), ids=TEXT)
def test_what_is_no_leak_is_text(text: str) -> None:
    assert scan([text], TOOLS) is None
    assert decide(Reply((text,), (), "stop"), Notes(), TOOLS) == Answer(cut=False)


def test_22_markup_beside_a_structured_call_stays_text() -> None:
    step: Step[str] = decide(Reply((_HERMES,), ("call",), "stop"), Notes(), TOOLS)
    assert step == Run(("call",), (_HERMES,), rebuilt=False)


def test_24_after_two_leak_notes_the_text_is_the_answer() -> None:
    notes, attempts = Notes(), []
    for _ in range(2):
        step: Step[str] = decide(Reply((_FLY,), (), "stop"), notes, TOOLS)
        assert isinstance(step, Again)
        notes = step.notes
        attempts.append(step.note.attempt)
    assert attempts == [1, 2]
    end: Step[str] = decide(Reply((_FLY,), (), "stop"), notes, TOOLS)
    assert isinstance(end, Answer)
    assert end.leak is not None
    assert end.leak.name == "fly"

"""What wire APIs ask of the rulebook (S6.1, S6.13): answered, or Unknown on purpose; and no id is read."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

import eukhe
from eukhe.core.catalog import Cost, Entry
from eukhe.core.effort import Level
from eukhe.core.ladder import Origin
from eukhe.core.quirks_directives import DIRECTIVES, Capability
from eukhe.models.registry import Model, Source
from eukhe.models.rulebook import read_rulebook, shipped_quirks
from eukhe.models.speak import SPOKEN, Ask, speaker
from eukhe.wire import (
    anthropic_body,
    bedrock_body,
    google_body,
    mistral_body,
    openai_body,
    openai_compat,
    openai_responses_body,
)
from eukhe.wire.messages import (
    AssistantMessage,
    SystemMessage,
    TextBlock,
    ToolCall,
    ToolResultMessage,
    ToolSpec,
    UserMessage,
)
from eukhe.wire.request import Options, Request

if TYPE_CHECKING:
    from collections.abc import Callable

#: Questions that the shipped rulebook leaves Unknown: the wire API's own default is right where it is known,
#: and `compat` says it of a server of one's own.
_UNKNOWN_ON_PURPOSE: Final = {
    "allow_empty_signature",
    "eager_tool_input_streaming",
    "requires_assistant_after_tool_result",
    "requires_thinking_as_text",
    "requires_tool_result_name",
    "supports_finish_reason",
    "supports_named_tool_choice",
}
#: Ids that programs like to look into.
_IDS: Final = (
    *("claude-opus-5-5", "anthropic/claude-haiku-4.5", "gpt-5.5", "o3", "gpt-oss-120b", "grok-4.6"),
    *("gemini-3.1-pro-preview", "gemini-2.5-flash", "gemma-4-31b", "qwen3.8-27b", "deepseek-r1"),
    *("kimi-k3", "glm-5.3", "magistral-medium-latest", "mistral-large-4", "llama-3"),
)
_PLAIN: Final = "some-model"
_TALK: Final = (
    SystemMessage("Be brief."),
    UserMessage.of("go"),
    AssistantMessage((TextBlock("I look."), ToolCall("c", "look", "{}"))),
    ToolResultMessage("c", "look", (TextBlock("seen"),)),
)
_TOOL: Final = ToolSpec("look", "Look.", {"type": "object", "properties": {}})


def test_every_question_has_an_answer_or_none_on_purpose() -> None:
    answered = {name for rule in shipped_quirks().rules for name in rule.directives}
    assert set(DIRECTIVES) - answered == _UNKNOWN_ON_PURPOSE


def test_every_question_is_asked_by_a_wire_api_or_an_operation() -> None:
    rooms = (Path(eukhe.__file__).parent / room for room in ("models", "wire"))
    code = "\n".join(
        path.read_text()
        for room in rooms
        for path in room.rglob("*.py")
        if path.name != "compat.py"  # which only says what wins over them
    )
    operations = {one.value for one in Capability}
    for name in set(DIRECTIVES) - operations:
        assert re.search(rf"\b{name.upper()}\b", code), name


@pytest.fixture(scope="module")
def nothing(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Model]:
    """Models of a rulebook that says nothing, so that only the id tells them apart."""
    path = tmp_path_factory.mktemp("book") / "rulebook.json"
    path.write_text(json.dumps({}))
    quirks = read_rulebook(path)

    def named(api: str, id_: str) -> Model:
        cost = Cost(1, 2, 0.1, 1)
        entry = Entry(
            *("acme", id_, api, "http://127.0.0.1:1/v1", "A model", True, ("text", "image")),
            *(cost, 100_000, 30_000),
        )
        return Model(entry, Source.CUSTOM, Origin.CUSTOM, False, quirks)

    return named


@pytest.mark.parametrize("api", SPOKEN)
def test_no_wire_api_is_set_up_by_the_id_of_its_model(
    nothing: Callable[[str, str], Model], api: str
) -> None:
    def asked(id_: str) -> tuple[object, ...]:
        found, one = speaker(api), nothing(api, id_)
        stream = found.stream_of(one)
        assert isinstance(stream, partial)
        options = [found.options_of(one, Ask(level, "flex", {"low": 9})) for level in Level]
        return stream.keywords["compat"], repr(options).replace(id_, _PLAIN)

    assert {id_: asked(id_) == asked(_PLAIN) for id_ in _IDS} == dict.fromkeys(_IDS, True)


def _body(api: str, id_: str) -> bytes:
    request = Request("http://127.0.0.1:1/v1", id_, _TALK, (_TOOL,), options=Options(max_tokens=9))
    match api:
        case "anthropic":
            return anthropic_body.body(request, anthropic_body.Compat())
        case "bedrock":
            return bedrock_body.body(request, bedrock_body.Compat())
        case "google":
            return google_body.body(request, google_body.Compat())
        case "mistral":
            return mistral_body.body(request, mistral_body.Compat())
        case "responses":
            return openai_responses_body.body(request, openai_responses_body.Compat())
    return openai_body.body(request, openai_compat.Compat())


@pytest.mark.parametrize(
    "api", ["anthropic", "bedrock", "google", "mistral", "responses", "completions"]
)
def test_no_request_depends_on_the_id_of_its_model(api: str) -> None:
    plain = _body(api, _PLAIN)
    for id_ in _IDS:
        assert _body(api, id_).replace(id_.encode(), _PLAIN.encode()) == plain, id_

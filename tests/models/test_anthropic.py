"""A model as Anthropic's Messages see it: thinking by effort or by budget, and what its server takes (S6.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from eukhe.core.effort import Level
from eukhe.models.anthropic import messages_compat, options_of
from eukhe.models.speak import Ask, speaker
from eukhe.wire.anthropic_body import maps_forced_choice
from tests.models.test_registry import model, registry

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.models.registry import Model

CUSTOM = {"baseUrl": "http://127.0.0.1:9", "api": "anthropic-messages", "apiKey": "k"}


def built_in(tmp_path: Path, id_: str, provider: str = "anthropic") -> Model:
    return model(registry(tmp_path), provider, id_)


def custom(tmp_path: Path, id_: str = "m", **more: object) -> Model:
    entry = {**CUSTOM, "models": [{"id": id_, "reasoning": True, **more}]}
    return model(registry(tmp_path, acme=entry), "acme", id_)


def sent(one: Model, level: Level, **more: Any) -> dict[str, Any]:
    return dict(options_of(one, Ask(level, **more)).extra)


def manual(budget: int) -> dict[str, Any]:
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}


@pytest.mark.parametrize(
    ("id_", "level", "effort"),
    [
        ("claude-opus-4-8", Level.MINIMAL, "low"),
        ("claude-opus-4-8", Level.LOW, "low"),
        ("claude-opus-4-8", Level.MEDIUM, "medium"),
        ("claude-opus-4-8", Level.HIGH, "high"),
        ("claude-opus-4-8", Level.XHIGH, "xhigh"),
        ("claude-opus-4-8", Level.MAX, "max"),
        ("claude-opus-4-6", Level.MAX, "max"),
    ],
)
def test_an_adaptive_model_is_sent_an_effort(
    tmp_path: Path, id_: str, level: Level, effort: str
) -> None:
    assert sent(built_in(tmp_path, id_), level) == {
        "thinking": {"type": "adaptive", "display": "summarized"},
        "output_config": {"effort": effort},
    }


def test_off_is_said_where_a_model_can_be_off_and_nothing_where_it_cannot(tmp_path: Path) -> None:
    off = {"thinking": {"type": "disabled"}}
    assert sent(built_in(tmp_path, "claude-opus-4-8"), Level.OFF) == off
    assert sent(built_in(tmp_path, "claude-haiku-4-5"), Level.OFF) == off
    assert sent(built_in(tmp_path, "claude-fable-5"), Level.OFF) == {}
    assert sent(custom(tmp_path, reasoning=False), Level.OFF) == {}


@pytest.mark.parametrize(
    ("level", "budget"),
    [(Level.MINIMAL, 1024), (Level.LOW, 2048), (Level.MEDIUM, 8192), (Level.HIGH, 16384)],
)
def test_another_model_is_sent_the_default_budget_on_top_of_its_answer(
    tmp_path: Path, level: Level, budget: int
) -> None:
    one = built_in(tmp_path, "claude-haiku-4-5")
    assert sent(one, level) == manual(budget)
    assert options_of(one, Ask(level)).max_tokens == 32_000 + budget


def test_the_users_budget_wins(tmp_path: Path) -> None:
    one = built_in(tmp_path, "claude-haiku-4-5")
    assert sent(one, Level.LOW, budgets={"low": 5000}) == manual(5000)
    assert sent(one, Level.LOW, budgets={"high": 5000}) == manual(2048)
    assert sent(one, Level.LOW, budgets={"low": 7}) == manual(1024)
    both = custom(tmp_path, thinkingLevelMap={"xhigh": "xhigh"}, maxTokens=64_000)
    assert sent(both, Level.XHIGH, budgets={"high": 9000}) == manual(9000)
    assert sent(both, Level.XHIGH) == manual(16384)


def test_a_budget_fits_into_what_the_model_can_write(tmp_path: Path) -> None:
    tight = custom(tmp_path, maxTokens=10_000)
    assert sent(tight, Level.HIGH) == manual(10_000 - 1024)
    assert options_of(tight, Ask(Level.HIGH)).max_tokens == 10_000
    roomy = custom(tmp_path, "n", maxTokens=16_384 + 500)
    assert sent(roomy, Level.HIGH) == manual(16_384 + 500 - 1024)
    tiny = custom(tmp_path, "t", maxTokens=1500)
    assert sent(tiny, Level.HIGH) == {"thinking": {"type": "disabled"}}
    assert options_of(tiny, Ask(Level.HIGH)).max_tokens == 1500


def test_compat_forces_adaptive_thinking(tmp_path: Path) -> None:
    one = custom(tmp_path, compat={"forceAdaptiveThinking": True})
    assert sent(one, Level.MEDIUM)["output_config"] == {"effort": "medium"}
    two = custom(tmp_path, "claude-opus-4-8", compat={"forceAdaptiveThinking": False})
    assert sent(two, Level.LOW) == manual(2048)


def test_the_rulebook_says_what_the_server_and_the_model_take(tmp_path: Path) -> None:
    official = messages_compat(built_in(tmp_path, "claude-opus-4-8"))
    assert (official.strict, official.strict_cap) == (True, 6)
    assert not official.temperature
    assert official.forced_choice
    assert not messages_compat(built_in(tmp_path, "claude-opus-5-5")).forced_choice
    assert messages_compat(built_in(tmp_path, "claude-haiku-4-5")).temperature
    local = messages_compat(custom(tmp_path))
    assert (local.strict, local.strict_cap, local.session_header) == (False, None, "")
    assert (
        messages_compat(
            custom(tmp_path, "z", compat={"sendSessionAffinityHeaders": True})
        ).session_header
        == "x-session-affinity"
    )
    said = {"supportsEagerToolInputStreaming": False, "allowEmptySignature": True}
    told = messages_compat(custom(tmp_path, "y", compat=said))
    assert (told.eager_tools, told.empty_signature) == (False, True)


def test_a_host_that_takes_a_bearer_token_gets_one(tmp_path: Path) -> None:
    copilot = built_in(tmp_path, "claude-haiku-4.5", "github-copilot")
    assert messages_compat(copilot).bearer
    assert not messages_compat(copilot).eager_tools
    assert not messages_compat(built_in(tmp_path, "claude-haiku-4-5")).bearer


def test_manual_extended_thinking_has_no_native_forced_choice(tmp_path: Path) -> None:
    one = built_in(tmp_path, "claude-haiku-4-5")
    compat = messages_compat(one)
    assert not maps_forced_choice(options_of(one, Ask(Level.LOW)), compat)
    assert maps_forced_choice(options_of(one, Ask(Level.OFF)), compat)


def test_the_session_is_passed_on_and_the_speaker_is_found(tmp_path: Path) -> None:
    one = built_in(tmp_path, "claude-haiku-4-5")
    assert speaker("anthropic-messages").options_of(one, Ask(session="s")).session == "s"
    assert callable(speaker("anthropic-messages").stream_of(one))

"""Models of Azure and of the ChatGPT backend: deployments, versions, what the backend wants said (S6.1, S6.8)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from eukhe.core.effort import Level
from eukhe.models import azure, codex
from eukhe.models.bundled import PACKAGE_DIR
from eukhe.models.registry import Registry
from eukhe.models.speak import Ask
from tests.models.test_registry import model

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.models.registry import Model


def found(tmp_path: Path, provider: str, id_: str, **environ: str) -> Model:
    (tmp_path / "models.json").write_text(json.dumps({"providers": {}}))
    return model(Registry.of(tmp_path, {PACKAGE_DIR: str(tmp_path), **environ}), provider, id_)


@pytest.mark.parametrize(
    ("names", "name"),
    [
        ("", "gpt-5.2-pro"),
        ("gpt-5.2-pro=mine", "mine"),
        (" a=b , gpt-5.2-pro = mine ,", "mine"),
        ("gpt-5.2-pro=,gpt-5.2=other", "gpt-5.2-pro"),
        ("gpt-5.2-pro", "gpt-5.2-pro"),
    ],
)
def test_a_model_of_azure_is_asked_for_by_its_deployment(
    names: str, name: str, tmp_path: Path
) -> None:
    one = found(tmp_path, "azure", "gpt-5.2-pro", AZURE_OPENAI_DEPLOYMENT_NAME_MAP=names)
    assert azure.options_of(one, Ask(Level.HIGH)).extra["model"] == name


def test_azure_gets_its_version_and_token_from_the_environment(tmp_path: Path) -> None:
    environ = {"AZURE_OPENAI_API_VERSION": "preview", "AZURE_OPENAI_AD_TOKEN": "entra"}
    stream: Any = azure.stream_of(found(tmp_path, "azure", "gpt-5.2-pro", **environ))
    assert (stream.keywords["version"], stream.keywords["token"]) == ("preview", "entra")
    stream = azure.stream_of(found(tmp_path, "azure", "gpt-5.2-pro"))
    assert (stream.keywords["version"], stream.keywords["token"]) == ("v1", "")
    assert stream.keywords["compat"].api == "azure-openai-responses"


@pytest.mark.parametrize("provider", ["azure", "openai-codex"])
def test_explicit_cache_marks_stay_with_openai(provider: str, tmp_path: Path) -> None:
    (tmp_path / "models.json").write_text(
        json.dumps({"providers": {provider: {"models": [{"id": "gpt-5.6-x", "reasoning": True}]}}})
    )
    registry = Registry.of(
        tmp_path, {PACKAGE_DIR: str(tmp_path), "AZURE_OPENAI_RESOURCE_NAME": "r"}
    )
    one = model(registry, provider, "gpt-5.6-x")
    speaker = azure if provider == "azure" else codex
    assert "context" not in speaker.options_of(one, Ask(Level.HIGH)).extra["reasoning"]
    stream: Any = speaker.stream_of(one)
    assert not stream.keywords["compat"].cache_breakpoints


def test_the_chatgpt_backend_wants_its_choices_said(tmp_path: Path) -> None:
    one = found(tmp_path, "openai-codex", "gpt-5.5")
    options = codex.options_of(one, Ask(Level.HIGH, "priority", {}, "s"))
    assert (options.tool_choice, options.parallel_tool_calls) == ("auto", True)
    assert options.extra == {
        "text": {"verbosity": "low"},
        "reasoning": {"effort": "high", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "service_tier": "priority",
    }
    compat = codex.codex_compat(one)
    assert (compat.system, compat.loose, compat.max_output_tokens) == ("instructions", None, False)


def test_a_tier_that_the_backend_does_not_honour_is_not_sent(tmp_path: Path) -> None:
    one = found(tmp_path, "openai-codex", "gpt-5.5")
    assert "service_tier" not in codex.options_of(one, Ask(Level.OFF, "flex")).extra

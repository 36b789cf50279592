"""The saved default over the real catalog: used, or a row says why not; never moved past in silence (S6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eukhe.core.default_model import DefaultUnusable, Reason, Ref, Resolution, Saved
from eukhe.core.quirks import provider_default
from eukhe.models.credentials import Credentials
from eukhe.models.default import NoModel, start, startup_defaults
from tests.models.test_models_json import LOCAL
from tests.models.test_registry import registry

if TYPE_CHECKING:
    from pathlib import Path


def started(tmp_path: Path, environ: dict[str, str], **values: object) -> Resolution:
    found = registry(tmp_path, acme=LOCAL)
    return start(found, Credentials.of(tmp_path, environ, found.custom), values)


def test_the_saved_default_is_used_when_it_can_be(tmp_path: Path) -> None:
    for provider, model, environ in (
        ("acme", "m", {}),
        ("groq", "openai/gpt-oss-20b", {"GROQ_API_KEY": "k"}),
    ):
        found = started(tmp_path, environ, defaultProvider=provider, defaultModel=model)
        assert found == Resolution(Ref(provider, model))


def test_a_default_that_the_catalog_lacks_is_replaced_and_the_row_says_so(tmp_path: Path) -> None:
    keys = {"GROQ_API_KEY": "k"}
    found = started(tmp_path, keys, defaultProvider="groq", defaultModel="gone")
    assert found.model == Ref("groq", "openai/gpt-oss-120b")
    assert found.row is not None
    assert found.row.message == (
        "The saved default model groq/gone is not used, because the catalog does not have it: "
        "this session runs on groq/openai/gpt-oss-120b."
    )


def test_a_default_outside_the_scope_is_replaced_by_one_inside(tmp_path: Path) -> None:
    keys = {"GROQ_API_KEY": "k", "XAI_API_KEY": "k"}
    saved = {"defaultProvider": "groq", "defaultModel": "openai/gpt-oss-20b"}
    found = started(tmp_path, keys, **saved, enabledModels=["xai/*:high"])
    assert found.model == Ref("xai", "grok-4.6")
    assert found.row is not None
    assert found.row.reason is Reason.NOT_ENABLED
    assert started(tmp_path, keys, **saved, enabledModels=[]).row is None


def test_a_default_without_credentials_never_moves(tmp_path: Path) -> None:
    saved = {"defaultProvider": "anthropic", "defaultModel": "claude-opus-5"}
    found = started(tmp_path, {"GROQ_API_KEY": "k"}, **saved)
    assert found.model is None
    assert found.error == DefaultUnusable(Saved("anthropic", "claude-opus-5"))
    assert found.row is not None
    assert found.row.reason is Reason.NO_CREDENTIALS
    assert "eukhe auth set anthropic" in NoModel(found, ()).message


def test_with_nothing_saved_the_first_provider_with_credentials_is_taken(tmp_path: Path) -> None:
    assert started(tmp_path, {"XAI_API_KEY": "k"}) == Resolution(Ref("xai", "grok-4.6"))
    none = started(tmp_path, {})
    assert none == Resolution(None)
    assert "eukhe model default ID" in NoModel(none, (Ref("acme", "m"),)).message
    assert "such as acme/m" in NoModel(none, (Ref("acme", "m"),)).message
    assert "eukhe auth set PROVIDER" in NoModel(none, ()).message


def test_the_startup_defaults_are_those_of_the_rulebook(tmp_path: Path) -> None:
    found = registry(tmp_path, acme=LOCAL)
    refs = tuple(startup_defaults(found))
    assert refs[0] == Ref("anthropic", "claude-opus-4-8")
    assert all(ref in found for ref in refs)
    assert provider_default(found.quirks.rulebook, "acme") is None
    assert "acme" not in {ref.provider for ref in refs}

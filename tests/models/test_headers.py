"""The headers of a model's requests: those of `models.json`, the key twice, and the team of the environment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from eukhe.core.default_model import Ref
from eukhe.models.bundled import PACKAGE_DIR
from eukhe.models.credentials import Credentials
from eukhe.models.headers import NoHeader, headers_of
from eukhe.models.registry import Registry
from tests.models.test_models_json import LOCAL

if TYPE_CHECKING:
    from pathlib import Path


def headers(
    tmp_path: Path, provider: str, id_: str, environ: dict[str, str], **providers: dict[str, Any]
) -> dict[str, str] | NoHeader:
    (tmp_path / "models.json").write_text(json.dumps({"providers": providers}))
    environ = {PACKAGE_DIR: str(tmp_path), **environ}
    registry = Registry.of(tmp_path, environ)
    model = registry.find(Ref(provider, id_))
    assert model is not None
    return headers_of(model, Credentials.of(tmp_path, environ, registry.custom), "sk-1")


def test_the_key_goes_out_as_a_bearer_too_where_the_provider_says_so(tmp_path: Path) -> None:
    anthropic = {"headers": {"X-Org": "$ORG"}, "authHeader": True}
    found = headers(tmp_path, "anthropic", "claude-opus-5", {"ORG": "acme"}, anthropic=anthropic)
    assert found == {"Authorization": "Bearer sk-1", "X-Org": "acme"}
    plain = headers(tmp_path, "anthropic", "claude-opus-5", {}, anthropic={"authHeader": False})
    assert plain == {}


def test_a_header_that_is_written_wins_whatever_its_case(tmp_path: Path) -> None:
    acme = {**LOCAL, "authHeader": True, "headers": {"authorization": "Basic x"}}
    assert headers(tmp_path, "acme", "m", {}, acme=acme) == {"authorization": "Basic x"}


def test_prime_inference_is_told_the_team_of_the_environment(tmp_path: Path) -> None:
    team = {"PRIME_TEAM_ID": "team-1"}
    prime = ("prime-inference", "z-ai/glm-5.3")
    assert headers(tmp_path, *prime, team) == {"X-Prime-Team-ID": "team-1"}
    assert headers(tmp_path, *prime, {}) == {}
    assert headers(tmp_path, "groq", "openai/gpt-oss-120b", team) == {}


def test_a_header_without_a_value_names_the_file_and_the_key(tmp_path: Path) -> None:
    acme = {**LOCAL, "headers": {"X-Org": "$NO_ORG"}}
    none = headers(tmp_path, "acme", "m", {}, acme=acme)
    assert isinstance(none, NoHeader)
    where = f"{tmp_path / 'models.json'}: providers.acme.headers.X-Org: "
    assert none.message.startswith(f"{where}the environment variable NO_ORG is not set")

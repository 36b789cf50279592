"""Credentials: which place counts, what is said when there is none, and that no key is ever shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from eukhe.models.credentials import Credentials, Key, NoKey, Place
from eukhe.models.custom import load_models_json
from tests.models.test_models_json import LOCAL

if TYPE_CHECKING:
    from pathlib import Path


def credentials(
    tmp_path: Path, environ: dict[str, str] | None = None, api_key: str = "", stored: object = None
) -> Credentials:
    if api_key:
        entry = {**LOCAL, "apiKey": api_key}
        (tmp_path / "models.json").write_text(
            json.dumps({"providers": {"acme": entry, "openai": {"apiKey": api_key}}})
        )
    if stored is not None:
        text = stored if isinstance(stored, str) else json.dumps(stored)
        (tmp_path / "auth.json").write_text(text)
    custom = load_models_json(tmp_path / "models.json", environ or {})
    return Credentials.of(tmp_path, environ or {}, custom)


def test_the_stored_key_counts_first_then_the_environment_then_models_json(tmp_path: Path) -> None:
    environ = {"OPENAI_API_KEY": "from-env"}
    assert credentials(tmp_path).find("openai") is None
    found = credentials(tmp_path, {}, "from-file")
    assert isinstance(key := found.key("openai"), Key)
    assert (key.text, key.found.place) == ("from-file", Place.MODELS_JSON)
    found = credentials(tmp_path, environ)
    assert isinstance(key := found.key("openai"), Key)
    assert (key.text, key.found.place) == ("from-env", Place.ENVIRONMENT)
    assert key.found.detail == "the environment variable OPENAI_API_KEY"
    found = credentials(tmp_path, environ, stored={"openai": {"type": "api_key", "key": "kept"}})
    assert isinstance(key := found.key("openai"), Key)
    assert (key.text, key.found.place) == ("kept", Place.STORED)
    assert "kept" not in repr(key)
    assert "from-env" not in repr(found)


def test_the_first_variable_that_is_set_holds_the_key(tmp_path: Path) -> None:
    environ = {"ANTHROPIC_OAUTH_TOKEN": "", "ANTHROPIC_API_KEY": "second"}
    key = credentials(tmp_path, environ).key("anthropic")
    assert isinstance(key, Key)
    assert key.text == "second"


def test_a_cloud_machine_stands_for_a_key(tmp_path: Path) -> None:
    environ = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    key = credentials(tmp_path, environ).key("amazon-bedrock")
    assert isinstance(key, Key)
    assert key.text == ""
    assert (
        key.found.detail == "the environment variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    )
    assert "amazon-bedrock" not in credentials(tmp_path, {"AWS_ACCESS_KEY_ID": "a"})


def test_no_key_says_every_way_to_get_one(tmp_path: Path) -> None:
    found = credentials(tmp_path)
    none = found.key("groq")
    assert isinstance(none, NoKey)
    assert none.message == (
        "there are no credentials for groq: run `eukhe auth set groq`, or set the environment variable "
        f"GROQ_API_KEY, or name a key for it in {tmp_path / 'models.json'}"
    )
    other = found.key("nobody")
    assert isinstance(other, NoKey)
    assert "environment" not in other.message


def test_asking_whether_there_is_a_key_runs_no_command(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    found = credentials(tmp_path, {"PATH": "/usr/bin:/bin"}, f"!touch {mark}; echo sk-cmd")
    assert "acme" in found
    assert not mark.exists()
    key = found.key("acme")
    assert isinstance(key, Key)
    assert key.text == "sk-cmd"
    assert key.found.detail == f"a command, named in {tmp_path / 'models.json'}"


def test_a_command_that_fails_names_the_file_and_the_provider(tmp_path: Path) -> None:
    none = credentials(tmp_path, {"PATH": "/usr/bin:/bin"}, "!echo locked >&2; exit 1").key("acme")
    assert isinstance(none, NoKey)
    assert none.message == (
        f"{tmp_path / 'models.json'}: providers.acme.apiKey: the command for it ended with 1 and said: locked"
    )


def test_a_broken_auth_json_is_told_and_the_other_places_count(tmp_path: Path) -> None:
    found = credentials(tmp_path, {"GROQ_API_KEY": "k"}, stored="{")
    assert "auth.json" in found.message
    assert "groq" in found
    none = found.key("xai")
    assert isinstance(none, NoKey)
    assert "auth.json" in none.message


def test_a_stored_sign_in_without_a_key_is_no_key(tmp_path: Path) -> None:
    found = credentials(tmp_path, stored={"xai": {"type": "oauth", "key": "sk-other"}})
    none = found.key("xai")
    assert isinstance(none, NoKey)
    assert "no API key; run `eukhe auth set xai`" in none.message


def test_the_access_token_of_a_stored_sign_in_is_the_key(tmp_path: Path) -> None:
    found = credentials(tmp_path, stored={"xai": {"type": "oauth", "access": "t", "refresh": "r"}})
    key = found.key("xai")
    assert isinstance(key, Key)
    assert (key.text, key.found.place) == ("t", Place.STORED)
    assert "'t'" not in repr(found.storage.read())

"""`eukhe model` through the real program: the lists, all that is known of one, the saved default (S6)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from eukhe.models.bundled import FILE, PACKAGE_DIR
from eukhe.models.compiled import compiled
from tests.models.test_bundled import ROW
from tests.models.test_models_json import LOCAL

if TYPE_CHECKING:
    from tests.cli.eukhe_process import Home


def write(home: Home, name: str, document: object) -> None:
    agent = home.root / "home" / ".eukhe"
    agent.mkdir(parents=True, exist_ok=True)
    text = document if isinstance(document, str) else json.dumps(document)
    (agent / name).write_text(text)


def acme(home: Home, **more: object) -> None:
    write(home, "models.json", {"providers": {"acme": {**LOCAL, **more}}})


def test_list_shows_window_prices_levels_tiers_and_credentials(home: Home) -> None:
    home.environ["OPENAI_API_KEY"] = "sk-secret"
    done = home.run("model", "list", "gpt-5.5", "--provider", "openai")
    head, *lines = [line.split() for line in done.stdout.splitlines()]
    assert head[:2] == ["model", "context"]
    assert lines[0] == [
        *("openai/gpt-5.5", "272k", "5/30", "off", "low", "medium", "high", "xhigh"),
        *("auto", "scale", "flex", "priority", "yes"),
    ]
    assert "sk-secret" not in done.stdout + done.stderr


def test_list_searches_provider_id_and_name(home: Home) -> None:
    acme(home)
    done = home.run("model", "list", "acme")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["model", "acme/m"]
    found = json.loads(home.run("model", "list", "opus", "5.5", "bedrock", "--json").stdout)
    assert {one["provider"] for one in found["models"]} == {"amazon-bedrock"}
    assert all("Opus 5.5" in one["name"] for one in found["models"])
    none = home.run("model", "list", "no-such-word")
    assert (none.returncode, none.stdout) == (1, "")
    wrong = home.run("model", "list", "--provider", "acmee")
    assert wrong.returncode == 2
    assert "there is no provider acmee" in wrong.stderr


def test_a_bundle_without_a_compiled_model_still_lists_it(home: Home) -> None:
    """A bundle of all of Anthropic's compiled models but Claude Haiku 5.5, as an older pin has them."""
    package = home.root / "package"
    package.mkdir()
    older = [one for one in compiled("anthropic") if one.id != "claude-haiku-5-5"]
    rows = [
        {
            **ROW,
            "id": one.id,
            "name": f"{one.name} (pinned)",
            "contextWindow": one.context_window,
            "maxTokens": one.max_tokens,
        }
        for one in older
    ]
    document = {"schemaVersion": 1, "models": rows}
    (package / FILE).write_text(json.dumps(document))
    home.environ |= {PACKAGE_DIR: str(package), "ANTHROPIC_API_KEY": "sk-ant-test"}
    done = home.run("model", "list", "--provider", "anthropic", "--json")
    assert done.stderr == ""
    found = {one["id"]: one for one in json.loads(done.stdout)["models"]}
    assert [*found] == [*(one.id for one in older), "claude-haiku-5-5"]
    haiku = found["claude-haiku-5-5"]
    assert (haiku["source"], haiku["credentials"]) == ("the compiled catalog", True)
    assert found["claude-opus-5"]["source"] == "the bundled catalog"
    assert found["claude-opus-5"]["name"].endswith("(pinned)")


def test_a_bad_models_json_is_told_on_stderr_and_in_the_json(home: Home) -> None:
    bad = {**LOCAL, "models": [{"id": 5}]}
    write(home, "models.json", {"providers": {"bad": bad, "good": LOCAL}})
    done = home.run("model", "list", "--provider", "good", "--json")
    found = json.loads(done.stdout)
    assert [one["id"] for one in found["models"]] == ["m"]
    assert "providers.bad.models[0].id: expected a text" in done.stderr
    assert "; providers.bad is not used" in found["modelsJsonErrors"][0]


def test_show_names_where_each_fact_is_from(home: Home) -> None:
    acme(home, apiKey="!exit 1")
    done = home.run("model", "show", "acme/m")
    assert "levels      off  (the default ladder)" in done.stdout
    assert "directive   supports_store = false  (host loopback, rules[" in done.stdout
    assert "key         yes  (a command, named in " in done.stdout
    facts = json.loads(home.run("model", "show", "zai/glm-5.3", "--json").stdout)
    named = {one["fact"]: one for one in facts}
    assert named["levels"]["value"] == "low, high, max"
    assert named["levels"]["from"] == "the compiled catalog"
    assert named["key"]["value"] == "no"


def test_an_ambiguous_name_lists_the_candidates(home: Home) -> None:
    done = home.run("model", "show", "gpt-5.5")
    assert done.returncode == 2
    assert "gpt-5.5 names more than one model, write one of: openai/gpt-5.5, " in done.stderr
    home.environ["OPENAI_API_KEY"] = "k"
    assert "openai/gpt-5.5" in home.run("model", "show", "gpt-5.5").stdout.splitlines()[0]
    done = home.run("model", "show", "openai/gpt-5.55")
    assert "did you mean openai/gpt-5.5" in done.stderr


def test_the_default_is_saved_shown_and_removed(home: Home) -> None:
    acme(home)
    none = home.run("model", "default")
    assert none.returncode == 1
    assert "`eukhe model default ID`, such as acme/m" in none.stderr
    done = home.run("model", "default", "m")
    assert "new sessions start on acme/m" in done.stdout
    assert json.loads((home.root / "home/.eukhe/settings.json").read_text()) == {
        "defaultModel": "m",
        "defaultProvider": "acme",
    }
    assert home.run("model", "default").stdout == "acme/m  (saved)\n"
    assert home.run("model", "default", "--unset").returncode == 0
    assert home.run("model", "default").returncode == 1


def test_a_default_that_cannot_be_used_says_why_and_what_is_in_its_place(home: Home) -> None:
    write(home, "settings.json", {"defaultProvider": "groq", "defaultModel": "gone"})
    done = home.run("model", "default")
    assert done.returncode == 1
    assert "because its provider has no credentials: this session has no model" in done.stderr
    assert "eukhe auth set groq" in done.stderr
    home.environ["GROQ_API_KEY"] = "k"
    done = home.run("model", "default")
    assert done.stdout == "groq/openai/gpt-oss-120b  (the default of its provider)\n"
    assert "because the catalog does not have it" in done.stderr


def test_a_default_cannot_be_saved_into_a_broken_document(home: Home) -> None:
    acme(home)
    write(home, "settings.json", "{")
    done = home.run("model", "default", "acme/m")
    assert done.returncode == 1
    assert "settings.json" in done.stderr.splitlines()[-1]
    assert (home.root / "home/.eukhe/settings.json").read_text() == "{"


def test_auth_list_says_where_each_key_comes_from(home: Home) -> None:
    mark = home.root / "ran"
    acme(home, apiKey=f"!touch {mark}; echo sk-cmd")
    write(home, "auth.json", {"groq": {"type": "api_key", "key": "gsk-12345678"}})
    home.environ |= {"XAI_API_KEY": "xai-secret", "GROQ_API_KEY": "other"}
    done = home.run("auth", "list")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("groq  api_key  ****")
    assert lines[1] == "xai  environment  the environment variable XAI_API_KEY"
    assert lines[2].startswith("acme  models.json  a command, named in ")
    assert len(lines) == 3
    assert "secret" not in done.stdout
    assert not mark.exists()


def test_a_level_behind_the_default_model_is_refused_and_nothing_is_saved(home: Home) -> None:
    done = home.run("model", "default", "anthropic/claude-opus-5:high")
    assert done.returncode == 2
    assert "`eukhe settings set defaultThinkingLevel high`" in done.stderr
    assert "`eukhe model default anthropic/claude-opus-5`" in done.stderr
    assert not (home.root / "home" / ".eukhe" / "settings.json").exists()


def test_processes_that_save_a_default_at_once_leave_one_of_theirs_whole(home: Home) -> None:
    names = ["anthropic/claude-opus-5", "openai/gpt-5.5", "groq/openai/gpt-oss-20b"]
    path = home.root / "home" / ".eukhe" / "settings.json"
    for _ in range(3):
        running = [home.start("model", "default", name) for name in names]
        for process in running:
            with process:
                assert process.wait(60) == 0
        found = json.loads(path.read_text())
        assert f"{found['defaultProvider']}/{found['defaultModel']}" in names

"""`eukhe inspect` through the real program: what the core decides, in words and as JSON, and wrong input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


def _inspect(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    eukhe = Path(sys.executable).with_name("eukhe")
    return subprocess.run(
        [str(eukhe), "inspect", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


def test_strict_marks_the_tools_within_the_cap() -> None:
    tools = json.dumps(["a", {"name": "b", "priority": 2}, "c"])
    done = _inspect("strict", "--cap", "2", "-", stdin=tools)
    assert (done.returncode, done.stdout) == (0, "strict  a\nstrict  b\nloose   c\n")


def test_strict_refuses_a_required_tool_past_the_cap() -> None:
    tools = json.dumps(["a", {"name": "b", "required": True}])
    done = _inspect("strict", "--cap", "1", "--json", "-", stdin=tools)
    assert (done.returncode, json.loads(done.stdout)) == (1, {"cap": 1, "pastCap": ["b"]})


def test_guard_says_where_a_loop_is_cut() -> None:
    text = "start\n" + "one\ntwo\n" * 20
    done = _inspect("guard", "--k", "8", "-", stdin=text)
    assert done.stdout == "cut at chunk 9: a cycle of 2 lines, the last one is 'two'\n"
    done = _inspect("guard", "--k", "8", "--json", "-", stdin="one\ntwo\n")
    assert json.loads(done.stdout) == {"k": 8, "cut": None}


def test_compaction_shows_thresholds_and_the_cut(tmp_path: Path) -> None:
    entries = tmp_path / "entries.json"
    entries.write_text(json.dumps([{"tokens": 90}, {"tokens": 5, "result": True}, {"tokens": 4}]))
    done = _inspect(
        *("compaction", "--window", "100", "--reserve", "10", "--used", "81", "--keep", "9"),
        *("--json", "--entries", str(entries)),
    )
    assert json.loads(done.stdout) == {
        "limit": 90,
        "threshold": 80,
        "keeps": 9,
        "starts": True,
        "waits": False,
        "summarized": 2,
        "kept": 1,
    }


def test_expand_replaces_aliases_from_a_cfg_file(tmp_path: Path) -> None:
    cfg = tmp_path / "config.cfg"
    cfg.write_text(
        'alias calm "set retry.maxRetries 9; loud"\nalias loud "toggle titles.generate"\n'
    )
    done = _inspect("expand", "calm; set a b", "--aliases", str(cfg))
    assert done.stdout == "set retry.maxRetries 9\ntoggle titles.generate\nset a b\n"


def test_expand_says_why_a_line_runs_nothing(tmp_path: Path) -> None:
    cfg = tmp_path / "config.cfg"
    cfg.write_text('alias self "self"\n')
    done = _inspect("expand", "self", "--aliases", str(cfg), "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"] == "Cycle"
    done = _inspect("expand", 'set a "b')
    assert (done.returncode, done.stdout.startswith("runs nothing: column 7")) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "stdin", "says"),
    [
        (("strict", "--cap", "1", "-"), "{", "is not JSON"),
        (("strict", "--cap", "1", "-"), "{}", "the tools are a JSON list"),
        (("strict", "--cap", "1", "-"), "[3]", "-[0]: a tool is a name"),
        (("strict", "--cap", "1", "-"), '[{"name": "a", "priority": true}]', "whole number"),
        (("strict", "--cap", "1", "-"), "[" * 100_000, "nested too deeply"),
        (("strict", "--cap", "-1", "-"), "[]", "--cap"),
        (("guard", "nowhere.txt"), "", "nowhere.txt: No such file"),
        (
            ("compaction", "--window", "9", "--used", "1", "--entries", "-"),
            '[{"tokens": -1}]',
            "[0]",
        ),
        (("expend",), "", "did you mean expand?"),
        ((), "", "needs a command"),
    ],
)
def test_wrong_input_is_one_line_and_exit_2(
    arguments: tuple[str, ...], stdin: str, says: str
) -> None:
    done = _inspect(*arguments, stdin=stdin)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_model_names_the_rule_of_each_directive() -> None:
    done = _inspect(
        *("model", "gpt-5.5", "--provider", "openai", "--api", "openai-responses", "--json"),
        *("--base-url", "https://api.openai.com/v1"),
    )
    found = json.loads(done.stdout)
    assert (found["family"], found["host"], found["capabilityHost"]) == (
        "gpt-priority",
        "openai-api",
        "openai",
    )
    strict = found["directives"]["supports_strict_mode"]
    assert (strict["value"], strict["layer"], strict["target"]) == (True, "host", "openai-api")
    tiers = {"default": 1, "auto": 1, "scale": 1, "flex": 0.5, "priority": 2.5}
    assert found["tiers"] == tiers
    assert found["providerDefault"] == "gpt-5.5"


def test_model_takes_what_is_not_given_from_the_catalog() -> None:
    found = json.loads(_inspect("model", "openai/gpt-5.5", "--json").stdout)
    assert (found["api"], found["host"]) == ("openai-responses", "openai-api")
    assert found["levels"]["off"] == "none"
    assert found["cost"] == [5, 30, 0.5, 0]
    other = _inspect("model", "gpt-5.5", "--provider", "openai", "--base-url", "http://localhost:1")
    assert "host        loopback" in other.stdout
    assert "prices      5 / 30 / 0.5 / 0 dollars per 1M tokens" in other.stdout


def test_model_names_the_families_that_overlap() -> None:
    done = _inspect("model", "claude-opus-5-gemma-4-merge")
    assert "family      none: claude-adaptive and gemma-4 match" in done.stdout
    done = _inspect("model", "Gemini-2.5-Pro", "--plain", "--json")
    found = json.loads(done.stdout)
    assert found["levels"] == {"off": None}
    assert found["directives"]["thinking_budgets"]["value"]["high"] == 32768


def test_model_refuses_a_rulebook_with_faults(tmp_path: Path) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text('{"hosts": [{"id": 1}], "rulez": []}')
    done = _inspect("model", "m", "--rules", str(rules))
    assert (done.returncode, done.stdout) == (2, "")
    assert "rulez: there is no such key; did you mean rules?" in done.stderr
    assert "hosts[0].id: expected a text of 1 to 1024 characters, found 1" in done.stderr

"""`eukhe laws` as people and CI call it: a real process each time."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eukhe_laws.report.command import _baseline

AREA = "tests.engine.till"
ROOT = Path(__file__).parents[2]


class Laws:
    """The command with a cache and a baseline of its own."""

    def __init__(self, home: Path) -> None:
        self.lock = home / "laws.lock"
        self.lock.touch()
        self.environ = {**os.environ, "EUKHE_LAWS_CACHE": str(home / "cache"), "COLUMNS": "100"}

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "eukhe_laws", "--lock", str(self.lock), *arguments]
        return subprocess.Popen(
            command,
            cwd=ROOT,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        with self.start(*arguments) as process:
            out, err = process.communicate(timeout=100)
        return process.returncode, out, err


@pytest.fixture
def laws(tmp_path: Path) -> Iterator[Laws]:
    yield Laws(tmp_path)


def test_a_good_law_ends_with_0_and_the_count_alone_on_the_last_line(laws: Laws) -> None:
    code, out, err = laws(f"{AREA}.till_dearer_is_one", AREA + ".agree_dearer")
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "3 passed, 0 failed, 0 skipped"
    assert re.search(r"till_dearer_is_one +proved +proved +18 ", out)
    assert re.search(r"spec == core +proved +proved +9 ", out)


def test_a_broken_law_ends_with_1_and_its_printed_id_runs_it_again(laws: Laws) -> None:
    code, out, _ = laws(f"{AREA}.till_worth_adds")
    assert code == 1
    assert out.splitlines()[-1] == "1 passed, 1 failed, 0 skipped"
    assert f"{AREA} till_worth_adds [core] is broken: Two tills together" in out
    assert "more=(Slot(coin=Coin.SILVER, count=3),)," in out
    found = re.search(r"eukhe laws --replay '(.+)'", out)
    assert found is not None
    text = found[1]
    again, said, _ = laws("--replay", text)
    assert again == 1
    assert said.splitlines()[-1] == "till_worth_adds [core] fails"
    assert laws("--replay", text.replace("@core", "@spec"))[0] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["efort"], "no area or law is named 'efort'; the nearest are effort"),
        (["effort_clamp_iden"], "the nearest are effort_clamp_idem"),
        (["zzz*"], "no area or law is named 'zzz*'"),
        (["--replay", "what"], "this is no replay id"),
        (["--replay", "effort_clamp_idem@core#00000000:[]"], "is of version 00000000"),
        (["--replay", "what", "effort"], "name no law beside it"),
        (["--jobs", "0"], "--jobs"),
        (["--update-lock", "--deep"], "drop --deep"),
        (["--mutants", "effort", "--junit", "x"], "--mutants makes no report: drop --junit"),
        (["--list", "--github", "--budget", "9"], "makes no report: drop --github, --budget"),
        (["--replay", "what", "--update-lock"], "--replay makes no report: drop --update-lock"),
        (["effort_clamp_*", "--transcripts", "x"], "name an area, or AREA.bridge"),
        (["--budget", "nan"], "nan is no number of seconds"),
        (["effort", "--lock", "/no/such.lock"], "there is no baseline /no/such.lock"),
        (["effort", "--transcripts", "/dev/null/x"], "cannot be written to /dev/null/x: Not a"),
    ],
)
def test_a_wrong_call_ends_with_2_and_one_clear_line(
    laws: Laws, arguments: list[str], said: str
) -> None:
    code, out, err = laws(*arguments)
    assert (code, out) == (2, "")
    assert said in err.splitlines()[-1]
    assert "Traceback" not in err


def test_json_of_two_runs_is_equal_but_for_the_run_itself(laws: Laws) -> None:
    first, second = (
        json.loads(laws(f"{AREA}.till_wo*", f"{AREA}.till_vacuous", "--json", fresh)[1])
        for fresh in ("--fresh", "--jobs=1")
    )
    assert first.pop("run")["cached"] == 0
    assert second.pop("run")["cached"] == 4
    assert first == second
    words = {(one["law"], one["subject"]): one["word"] for one in first["verdicts"]}
    assert words == {
        ("till_worth_adds", "spec"): "confirmed",
        ("till_worth_adds", "core"): "broken",
        ("till_vacuous", "spec"): "unknown",
        ("till_vacuous", "core"): "unknown",
    }
    assert first["verdicts"][0]["file"] == "tests/engine/till.py"
    assert (first["passed"], first["failed"], first["skipped"]) == (1, 3, 0)


def keys(data: Any) -> Iterator[str]:
    """The names of the fields at any depth, without maps whose names are data."""
    if isinstance(data, list):
        for one in data:
            yield from keys(one)
    elif isinstance(data, dict):
        for name, value in data.items():
            yield name
            if name not in ("versions", "digests", "words", "reached", "timings"):
                yield from keys(value)


def test_the_fields_of_the_json_are_those_of_the_documentation(laws: Laws) -> None:
    text = (ROOT / "docs" / "laws.md").read_text("utf-8")
    documented = set(re.findall(r"`(\w+)`", text[text.index("## For machines") :]))
    laws.lock.write_text(f'["{AREA}"]\ntill_vacuous = {{ spec = ["holds", 9, ""] }}\n')
    names = [f"{AREA}.{one}" for one in ("till_worth_adds", "till_vacuous", "till_premise_raises")]
    report = json.loads(laws(*names, "--json")[1])
    assert report["weaker"]
    (broken,) = [one for one in report["verdicts"] if one["counterexample"]]
    again = json.loads(laws("--replay", broken["counterexample"]["replay"], "--json")[1])
    listed = json.loads(laws("--list", "strict", "--json")[1])
    mutants = json.loads(laws("--mutants", "strict", "--json")[1])
    assert set(keys([report, again, listed, mutants])) <= documented


def test_what_a_law_prints_does_not_get_into_the_report(laws: Laws) -> None:
    _, out, err = laws(f"{AREA}.till_prints", "--json")
    assert json.loads(out)["passed"] == 2
    assert "a word of the law's own" in err


def test_the_list_names_laws_and_runs_nothing(laws: Laws) -> None:
    code, out, _ = laws("--list", "effort_clamp_*")
    assert code == 0
    assert "effort_clamp_idem" in out
    assert "effort_cycle_next" not in out
    rows = json.loads(laws("--list", "--json", AREA)[1])
    assert {"till_endless", "till_dies"} < {row["law"] for row in rows}


def test_a_claim_weaker_than_the_baseline_fails(laws: Laws) -> None:
    one = f"{AREA}.till_dearer_is_one"
    code, _, err = laws(one, "--update-lock")
    assert (code, err) == (0, "laws.lock: 2 claims written\n")
    assert laws(one)[0] == 0
    laws.lock.write_text(
        laws.lock.read_text().replace('core = ["proved", 9', 'core = ["proved", 10')
    )
    code, out, _ = laws(one)
    assert code == 1
    assert "till_dearer_is_one [core] is weaker: proved on 9 inputs with the whole domain" in out
    assert out.splitlines()[-1] == "1 passed, 1 failed, 0 skipped"
    laws.lock.write_text("[what")
    code, _, err = laws(one)
    assert code == 2
    assert "laws.lock cannot be read" in err


def test_a_broken_law_is_never_written_into_the_baseline(laws: Laws) -> None:
    code, _, err = laws(f"{AREA}.till_worth_adds", "--update-lock")
    assert code == 1
    assert err == "laws.lock is left as it was: till_worth_adds [core] must hold first\n"
    assert laws.lock.read_text() == ""


def test_a_damaged_baseline_is_written_anew_only_as_a_whole(laws: Laws) -> None:
    laws.lock.write_text("[what")
    code, out, err = laws(f"{AREA}.till_dearer_is_one", "--update-lock")
    assert (code, out) == (2, "")
    assert "`eukhe laws --update-lock`, with no law named, writes it anew" in err
    assert _baseline(laws.lock, named=False, anew=True) is None


def test_after_ctrl_c_what_finished_is_reported_and_the_rest_is_skipped(
    laws: Laws, tmp_path: Path
) -> None:
    began = tmp_path / "began"
    laws.environ["TILL_ENDLESS_BEGAN"] = str(began)
    names = ("till_worth_adds", "till_endless")
    with laws.start("--jobs", "1", *(f"{AREA}.{name}" for name in names)) as process:
        deadline = time.monotonic() + 60
        while not began.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (1, "")
    assert out.splitlines()[-1] == "1 passed, 1 failed, 2 skipped"
    assert "till_endless [spec] is unknown: interrupted before it finished" in out


def test_transcripts_of_a_bridge_are_written_and_are_equal(laws: Laws, tmp_path: Path) -> None:
    code, out, _ = laws("effort.bridge", "--transcripts", str(tmp_path / "out"))
    assert code == 0
    assert re.search(r"bridge +holds +holds", out)
    spec, core = ((tmp_path / "out" / f"effort.{one}.txt").read_bytes() for one in ("spec", "core"))
    assert spec == core
    assert spec.count(b"# scenario") >= 300

"""SARIF: the kind of a result says whether something was proved, searched, left open or refuted."""

import json
from dataclasses import replace
from typing import Any

import eukhe
from eukhe_laws.report.outcome import Report
from eukhe_laws.report.sarif import sarif
from tests.engine.toy import laws
from tests.engine.toy.reports import GOOD, MIXED, REPLAY


def run(report: Report = MIXED) -> dict[str, Any]:
    log = json.loads(sarif(report))
    assert log["version"] == "2.1.0"
    assert log["runs"][0]["tool"]["driver"]["version"] == eukhe.__version__
    (found,) = log["runs"]
    assert isinstance(found, dict)
    return found


def result(name: str) -> dict[str, Any]:
    (found,) = [one for one in run()["results"] if one["ruleId"] == f"toy/{name}"]
    assert isinstance(found, dict)
    return found


def test_each_kind_of_verdict_has_its_kind_of_result_and_only_faults_have_a_level() -> None:
    found = {one["ruleId"]: (one["kind"], one["level"]) for one in run()["results"]}
    assert found == {
        "toy/toy_proved": ("pass", "none"),
        "toy/toy_confirmed": ("pass", "none"),
        "toy/toy_holds": ("informational", "none"),
        "toy/toy_pays": ("fail", "error"),
        "toy/toy_vacuous": ("open", "none"),
        "toy/toy_late": ("open", "none"),
        "toy/toy_stopped": ("open", "none"),
        "toy/toy_weaker": ("fail", "error"),
        "toy/bridge": ("pass", "none"),
        "toy/toy_gone": ("fail", "error"),
    }


def test_a_result_points_to_its_rule_and_a_rule_says_what_the_law_says() -> None:
    found = run()
    rules = found["tool"]["driver"]["rules"]
    assert [rules[one["ruleIndex"]]["id"] for one in found["results"]] == [
        one["ruleId"] for one in found["results"]
    ]
    assert rules[0]["shortDescription"] == {"text": "What toy_proved says."}
    assert rules[0]["properties"] == {"section": "T1", "ours": False}


def test_a_law_on_both_subjects_is_one_rule_and_two_results_with_fingerprints_of_their_own() -> (
    None
):
    one = GOOD.lines[0]
    core = replace(one, verdict=replace(one.verdict, subject="core"))
    found = run(replace(GOOD, lines=(one, core)))
    assert len(found["tool"]["driver"]["rules"]) == 1
    prints = [each["partialFingerprints"]["lawAndSubject/v1"] for each in found["results"]]
    assert prints == ["toy/toy_proved/spec", "toy/toy_proved/core"]


def test_a_result_lies_where_the_law_is_stated_and_a_bridge_nowhere() -> None:
    (place,) = result("toy_pays")["locations"]
    physical = place["physicalLocation"]
    assert physical["artifactLocation"] == {
        "uri": "tests/engine/toy/laws.py",
        "uriBaseId": "%SRCROOT%",
    }
    assert physical["region"] == {"startLine": laws.toy_pays.line}
    assert "locations" not in result("bridge")


def test_a_message_says_what_failed_and_how_to_run_it_again() -> None:
    text = result("toy_pays")["message"]["text"]
    assert text.startswith("toy_pays [core] is broken: counterexample by sample\n")
    assert REPLAY in text


def test_a_failing_engine_is_no_successful_run() -> None:
    assert run()["invocations"] == [{"executionSuccessful": False}]
    assert run(GOOD)["invocations"] == [{"executionSuccessful": True}]


def test_no_wall_time_is_written() -> None:
    slower = replace(
        GOOD,
        seconds=99.0,
        lines=tuple(replace(x, verdict=replace(x.verdict, seconds=9.0)) for x in GOOD.lines),
    )
    assert sarif(slower) == sarif(GOOD)

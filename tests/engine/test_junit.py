"""JUnit: a case a law and subject, with broken laws, failing engines and what was not run told apart."""

from dataclasses import replace
from xml.etree import ElementTree as ET

from eukhe_laws.report.junit import junit
from tests.engine.toy.reports import GOOD, MIXED, REPLAY


def cases() -> dict[str, ET.Element]:
    root = ET.fromstring(junit(MIXED))
    return {case.attrib["name"]: case for case in root.iter("testcase")}


def kinds(case: ET.Element) -> list[str]:
    return [one.tag for one in case if one.tag != "system-out"]


def test_each_kind_of_verdict_has_its_own_element() -> None:
    assert {name: kinds(case) for name, case in cases().items()} == {
        "toy_proved [spec]": [],
        "toy_confirmed [spec]": [],
        "toy_holds [core]": [],
        "toy_pays [core]": ["failure"],
        "toy_vacuous [spec]": ["error"],
        "toy_late [spec]": ["error"],
        "toy_stopped [core]": ["skipped"],
        "toy_weaker [core]": ["failure"],
        "bridge [both]": [],
        "toy_gone [spec]": ["failure"],
    }


def test_the_counts_are_those_of_the_elements_in_the_suite_and_in_all() -> None:
    root = ET.fromstring(junit(MIXED))
    (suite,) = root
    expected = {"tests": "10", "failures": "3", "errors": "2", "skipped": "1"}
    assert expected.items() <= root.attrib.items()
    assert expected.items() <= suite.attrib.items()
    assert suite.attrib["name"] == "toy"


def test_a_failure_says_how_to_run_it_again() -> None:
    failure = cases()["toy_pays [core]"].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "counterexample by sample"
    assert f"run it again: eukhe laws --replay '{REPLAY}'" in (failure.text or "")


def test_text_that_xml_cannot_hold_is_spelled_and_markup_is_kept() -> None:
    failure = cases()["toy_pays [core]"].find("failure")
    assert failure is not None
    assert "assert f(1, '<&>\\u0000')" in (failure.text or "")


def test_the_evidence_is_in_the_output_of_the_case() -> None:
    out = cases()["toy_confirmed [spec]"].findtext("system-out") or ""
    assert "exhaust: ints < 3; 500 inputs, 400 meet the premise" in out
    assert "sample: ints < 5; 2,000 inputs, 1,500 meet the premise; seed 1" in out


def test_a_case_names_its_area_its_file_and_its_time() -> None:
    case = cases()["toy_pays [core]"]
    assert (case.attrib["classname"], case.attrib["time"]) == ("toy", "0.250")
    assert case.attrib["file"].endswith("tests/engine/toy/laws.py")


def test_a_report_without_lines_is_a_file_all_the_same() -> None:
    root = ET.fromstring(junit(replace(GOOD, lines=())))
    assert root.attrib["tests"] == "0"

"""`--sarif`: SARIF 2.1.0, whose kinds of result tell a proof, a search, an open question and a fault apart."""

from __future__ import annotations

import json
from typing import Any

import eukhe
from eukhe_laws.engine.record import write
from eukhe_laws.engine.verdict import Word
from eukhe_laws.report.failing import Kind, Row, body, rows
from eukhe_laws.report.json import relative
from eukhe_laws.report.outcome import Line, Report

__all__ = ["sarif"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def _kind(row: Row) -> str:
    """SARIF's word for a row; every kind but `fail` has the level `none`."""
    match row.kind:
        case Kind.BROKEN | Kind.WEAKER:
            return "fail"
        case Kind.ERROR | Kind.NOT_RUN:
            return "open"
        case Kind.PASS:
            holds = row.line is not None and row.line.verdict.word is Word.HOLDS
            return "informational" if holds else "pass"


def _rule_id(row: Row) -> str:
    return f"{row.area}/{row.law}"


def _rule(row: Row) -> dict[str, Any]:
    rule: dict[str, Any] = {"id": _rule_id(row), "name": row.law}
    if row.line is not None and row.line.says:
        rule["shortDescription"] = {"text": row.line.says}
    if row.line is not None and row.line.section:
        rule["properties"] = {"section": row.line.section, "ours": row.line.ours}
    return rule


def _location(line: Line) -> dict[str, Any]:
    place = {
        "artifactLocation": {"uri": relative(line.file), "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": line.line},
    }
    return {"physicalLocation": place}


def _result(row: Row, places: dict[str, int]) -> dict[str, Any]:
    kind = _kind(row)
    named = f"{row.law} [{row.subject}]"
    word = row.line.verdict.word.value if row.line is not None else "gone"
    state = "weaker than its baseline" if row.kind is Kind.WEAKER else word
    result: dict[str, Any] = {
        "ruleId": _rule_id(row),
        "ruleIndex": places[_rule_id(row)],
        "kind": kind,
        "level": "error" if kind == "fail" else "none",
        "message": {"text": f"{named} is {state}: {row.why}\n{body(row)}".rstrip()},
        "partialFingerprints": {"lawAndSubject/v1": f"{_rule_id(row)}/{row.subject}"},
    }
    if row.line is not None:
        if row.line.file:
            result["locations"] = [_location(row.line)]
        result["properties"] = write(row.line.verdict)
    return result


def sarif(report: Report) -> str:
    """Write the report as SARIF: a rule a law, a result a law and subject. It holds no wall time."""
    every = rows(report)
    rules: dict[str, dict[str, Any]] = {}
    for row in every:
        rules.setdefault(_rule_id(row), _rule(row))
    places = {name: place for place, name in enumerate(rules)}
    versions = dict(report.versions)
    run = {
        "tool": {
            "driver": {
                "name": "eukhe laws",
                "version": eukhe.__version__,
                "rules": list(rules.values()),
                "properties": {"versions": versions},
            }
        },
        "invocations": [{"executionSuccessful": not any(row.kind is Kind.ERROR for row in every)}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(row, places) for row in every],
        "properties": {"profile": report.profile, "seed": report.seed},
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"

"""`--junit`: a test case a law and subject. A broken law is a failure; a failed or vacuous engine is an error."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from eukhe_laws.report.failing import Kind, Row, body, rows
from eukhe_laws.report.json import relative
from eukhe_laws.report.outcome import Report

__all__ = ["junit"]

#: Characters that XML 1.0 cannot hold, not even escaped.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_ELEMENT = {
    Kind.BROKEN: "failure",
    Kind.WEAKER: "failure",
    Kind.ERROR: "error",
    Kind.NOT_RUN: "skipped",
}


def _clean(text: str) -> str:
    return _ILLEGAL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _case(suite: ET.Element, row: Row) -> None:
    case = ET.SubElement(suite, "testcase", name=f"{row.law} [{row.subject}]", classname=row.area)
    seconds = row.line.verdict.seconds if row.line is not None else 0.0
    case.set("time", f"{seconds:.3f}")
    if row.line is not None and row.line.file:
        case.set("file", relative(row.line.file))
        case.set("line", str(row.line.line))
    text = _clean(body(row))
    if row.kind is not Kind.PASS:
        inner = ET.SubElement(case, _ELEMENT[row.kind], message=_clean(row.why))
        if row.kind is not Kind.NOT_RUN:
            inner.set("type", row.kind.value)
            inner.text = text
    out = ET.SubElement(case, "system-out")
    word = row.line.verdict.word.value if row.line is not None else "gone"
    out.text = f"{word}: {_clean(row.why)}\n{text}\n"


def _counted(element: ET.Element, some: Sequence[Row]) -> None:
    element.set("tests", str(len(some)))
    for name, kinds in (
        ("failures", (Kind.BROKEN, Kind.WEAKER)),
        ("errors", (Kind.ERROR,)),
        ("skipped", (Kind.NOT_RUN,)),
    ):
        element.set(name, str(sum(row.kind in kinds for row in some)))


def junit(report: Report) -> str:
    """Write the report as a JUnit file: a suite an area, the evidence in `system-out`."""
    every = rows(report)
    root = ET.Element("testsuites", name="eukhe laws")
    _counted(root, every)
    root.set("time", f"{report.seconds:.3f}")
    for area in dict.fromkeys(row.area for row in every):
        some = [row for row in every if row.area == area]
        suite = ET.SubElement(root, "testsuite", name=area)
        _counted(suite, some)
        for row in some:
            _case(suite, row)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"

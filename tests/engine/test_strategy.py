"""Hypothesis from the same reading of a type, and the engine that runs laws over strings with it."""

import subprocess
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eukhe_laws.engine import hypothesis_run
from eukhe_laws.engine.children import environment
from eukhe_laws.engine.codec import contains
from eukhe_laws.engine.domain import Among, Domain, Range, Scope, Sized
from eukhe_laws.engine.search import breaks
from eukhe_laws.engine.strategy import TEXT, strategy
from eukhe_laws.engine.verdict import Counterexample, EngineError, ErrorKind, Evidence
from tests.engine.toy import faults, laws


class Mode(Enum):
    ON = 1
    OFF = 2


TYPES = [
    int,
    bool,
    None,
    Mode,
    str,
    Mode | None,
    tuple[int, str],
    tuple[Mode, ...],
    faults.Step,
    Annotated[int, Range(-2, 2)],
    Annotated[int, Among((3, 9))],
    Annotated[tuple[bool, ...], Sized(1, 3)],
]


@pytest.mark.parametrize("tp", TYPES, ids=str)
def test_what_is_drawn_is_of_the_type_and_within_its_bounds(tp: object) -> None:
    domain = Domain(tp, Scope(nat=3, size=2))

    @settings(max_examples=40, derandomize=True, database=None, deadline=None)
    @given(strategy(domain))
    def drawn(value: object) -> None:
        assert contains(domain, value)
        assert not isinstance(value, int) or value < 10

    drawn()


def test_strings_are_the_words_of_the_scope_and_any_others() -> None:
    seen: set[str] = set()

    @settings(max_examples=200, derandomize=True, database=None, deadline=None)
    @given(st.lists(strategy(Domain(str, Scope(words=("exit", "quit")))), min_size=5))
    def drawn(values: list[str]) -> None:
        seen.update(values)

    drawn()
    assert {"exit", "quit"} <= seen
    assert any(not value.isascii() for value in seen)
    assert max(map(len, seen)) <= TEXT


def test_a_true_law_has_its_examples_counted() -> None:
    (found,) = hypothesis_run.check(laws.toy_locked, laws.SPEC, "spec", count=40, seconds=30.0)
    assert isinstance(found, Evidence)
    assert found.inputs > found.premise > 10
    assert dict(found.reached)["a bill"] > 0
    assert found.complete is False


def test_a_fault_in_strings_is_found_and_shrunk() -> None:
    law = faults.fault_shout
    evidence, found = hypothesis_run.check(law, faults.SPEC, "core", count=2_000, seconds=60.0)
    assert isinstance(evidence, Evidence)
    assert isinstance(found, Counterexample)
    assert breaks(law, faults.SPEC, found.values) == ""
    assert (len(found.values[0]), found.subject) == (3, "core")


def test_two_runs_see_the_same_inputs() -> None:
    law = faults.fault_shout
    runs = [
        hypothesis_run.check(law, faults.SPEC, "spec", count=500, seconds=60.0) for _ in range(2)
    ]
    assert runs[0] == runs[1]


def test_a_premise_that_raises_is_the_engines_error() -> None:
    (found,) = hypothesis_run.check(
        faults.fault_premise, faults.SPEC, "spec", count=50, seconds=30.0
    )
    assert isinstance(found, EngineError)
    assert found.kind is ErrorKind.PREMISE_RAISED
    assert "fault_premise raised IndexError: string index out of range on ('',)" in found.message


def test_an_unmet_premise_gives_evidence_of_nothing() -> None:
    (found,) = hypothesis_run.check(faults.fault_never, faults.SPEC, "spec", count=50, seconds=30.0)
    assert isinstance(found, Evidence)
    assert found.premise == 0


def test_the_clock_ends_a_slow_run_and_the_evidence_says_so() -> None:
    (found,) = hypothesis_run.check(
        faults.fault_slow, faults.SPEC, "spec", count=9_999, seconds=0.2
    )
    assert isinstance(found, Evidence)
    assert found.note == "stopped by the clock after 0.2 s"
    assert found.inputs < 9_999


def test_nothing_is_written_into_the_users_directory(tmp_path: Path) -> None:
    program = (
        "from eukhe_laws.engine import hypothesis_run\n"
        "from tests.engine.toy import faults\n"
        "law = faults.fault_shout\n"
        "print(hypothesis_run.check(law, faults.SPEC, 'spec', count=50, seconds=30.0)[0].inputs)\n"
    )
    child = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(child.stdout) > 0
    assert list(tmp_path.iterdir()) == []

"""The pool of workers: results as they come, a wall clock, a worker that dies, Ctrl-C."""

import multiprocessing
import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from eukhe_laws.engine.profile import QUICK
from eukhe_laws.engine.runner import run_jobs
from eukhe_laws.engine.verdict import ErrorKind, Verdict, Word
from eukhe_laws.engine.work import Job

AREA = "tests.engine.till"
SHORT = replace(QUICK, seconds=0.1, sample=500)


def job(law: str, subject: str = "spec", inputs: int = 0) -> Job:
    return Job(AREA, law, subject, SHORT, inputs=inputs)


def words(verdicts: list[Verdict]) -> dict[str, Word]:
    return {verdict.law: verdict.word for verdict in verdicts}


def test_jobs_run_in_worker_processes_the_longest_first() -> None:
    jobs = [job("till_dearer_is_one", inputs=1), job("till_worth_adds", inputs=9)]
    found = list(run_jobs(jobs, workers=1))
    assert [verdict.law for verdict in found] == ["till_worth_adds", "till_dearer_is_one"]
    assert {verdict.area for verdict in found} == {AREA}


def test_a_law_that_never_ends_times_out_while_the_others_go_on() -> None:
    others = ["till_dearer_is_one", "till_any_item"]
    found = list(run_jobs([job("till_endless", inputs=9), *map(job, others)], workers=2))
    assert [verdict.law for verdict in found] == [*others, "till_endless"]
    late = found[-1]
    assert (late.word, late.errors[0].kind) == (Word.UNKNOWN, ErrorKind.TIMEOUT)
    assert late.why == "no answer within 1 s of CPU time"


def test_a_law_that_waits_for_ever_costs_its_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILL_ENDLESS_SLEEPS", "1")
    late, other = run_jobs([job("till_endless", inputs=9), job("till_dearer_is_one")], workers=1)
    assert (late.law, late.errors[0].kind) == ("till_endless", ErrorKind.TIMEOUT)
    assert "the worker was killed" in late.why
    assert other.word is Word.PROVED


def test_the_budget_counts_from_when_the_run_began() -> None:
    began = time.monotonic() - 60
    (late,) = run_jobs([job("till_dearer_is_one")], workers=1, seconds=30, began=began)
    assert (late.word, late.not_run) == (Word.UNKNOWN, True)
    assert late.why == "not finished within the budget of 30 s"


def test_a_counterexample_that_holds_in_a_new_process_is_the_fault_of_kept_state() -> None:
    verdicts = {one.law: one for one in run_jobs([job("till_remembers"), job("till_raises")], 1)}
    kept, real = verdicts["till_remembers"], verdicts["till_raises"]
    assert (kept.word, kept.errors[0].kind) == (Word.UNKNOWN, ErrorKind.NOT_REPLAYED)
    assert "keeps state from call to call" in kept.why
    assert kept.counterexample is None
    assert real.word is Word.BROKEN


def test_a_law_that_leaves_by_systemexit_costs_no_worker() -> None:
    (left,) = run_jobs([job("till_leaves")], workers=1)
    assert (left.word, left.errors[0].kind) == (Word.UNKNOWN, ErrorKind.CRASH)
    assert left.why == "engine failed: SystemExit: 0"


def test_files_where_the_user_is_do_not_shadow_what_a_worker_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "enum.py").write_text("raise SystemExit('shadowed')\n")
    monkeypatch.chdir(tmp_path)
    (verdict,) = run_jobs([job("till_dearer_is_one")], workers=1)
    assert verdict.word is Word.PROVED
    assert "PYTHONSAFEPATH" not in os.environ


def test_a_worker_that_dies_costs_its_own_job_only() -> None:
    found = list(run_jobs([job("till_dies", inputs=9), job("till_dearer_is_one")], workers=1))
    dead = found[0]
    assert (dead.law, dead.word, dead.errors[0].kind) == (
        "till_dies",
        Word.UNKNOWN,
        ErrorKind.CRASH,
    )
    assert "exit code 7" in dead.why
    assert found[1].word is Word.PROVED


def test_a_law_that_does_not_exist_is_an_engine_error() -> None:
    (found,) = run_jobs([job("till_nothing")], workers=1)
    assert (found.word, found.errors[0].kind) == (Word.UNKNOWN, ErrorKind.CRASH)


def test_after_ctrl_c_what_finished_stands_and_the_rest_is_unknown() -> None:
    jobs = [job("till_dearer_is_one", inputs=9), job("till_endless"), job("till_any_item")]
    before = signal.getsignal(signal.SIGINT)
    found: list[Verdict] = []
    for verdict in run_jobs(jobs, workers=1):
        if not found:
            os.kill(os.getpid(), signal.SIGINT)
        found.append(verdict)
    assert found[0].law == "till_dearer_is_one"
    assert words(found)["till_dearer_is_one"] is Word.PROVED
    rest = found[1:]
    assert len(rest) == 2
    assert all(one.not_run and one.why == "interrupted before it finished" for one in rest)
    assert signal.getsignal(signal.SIGINT) is before


def test_what_the_budget_does_not_reach_is_unknown() -> None:
    start = time.monotonic()
    found = list(run_jobs([job("till_endless")], workers=1, seconds=1.0))
    assert time.monotonic() - start < 5
    assert found[0].why == "not finished within the budget of 1 s"


def test_the_pool_works_outside_the_main_thread() -> None:
    found: list[Verdict] = []
    thread = threading.Thread(
        target=lambda: found.extend(run_jobs([job("till_dearer_is_one")], workers=1))
    )
    thread.start()
    thread.join()
    assert words(found) == {"till_dearer_is_one": Word.PROVED}


def test_a_run_that_is_given_up_leaves_no_worker_behind() -> None:
    jobs = [job("till_dearer_is_one", inputs=9), job("till_endless")]
    run = run_jobs(jobs, workers=1)
    next(run)
    before = _children()
    run.close()  # type: ignore[attr-defined] # a generator, of which only the iterator is promised
    assert before
    assert not _children() & before


def _children() -> set[str]:
    return {str(child.pid) for child in multiprocessing.active_children()}


def test_what_a_law_started_ends_with_its_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "pid"
    monkeypatch.setenv("TILL_ENDLESS_CHILD", str(told))
    list(run_jobs([job("till_endless")], workers=1, seconds=4.0))
    pid = int(told.read_text())
    deadline = time.monotonic() + 10
    while _alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _alive(pid)


def _alive(pid: int) -> bool:
    """Whether the process still runs; one that only waits to be reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"

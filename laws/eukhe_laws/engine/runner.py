"""The pool: jobs in worker processes, longest first, each under a wall clock, results as they come.

A worker is spawned once and does job after job, so an area is imported once a worker. One that dies or outlasts
the wall clock is replaced, and its job becomes an engine error. Ctrl-C reaches only the parent: it stops the
workers, and what had not finished is reported as such; a second Ctrl-C ends the run at once.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import FrameType

from eukhe_laws.engine.areas import Area
from eukhe_laws.engine.verdict import EngineError, ErrorKind, Verdict, unknown
from eukhe_laws.engine.work import Job, work

__all__ = ["run_jobs"]


def _watch(parent: int) -> None:
    """End this worker, and what it started, once its parent is gone."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os.killpg(os.getpgid(0), signal.SIGKILL)


def _serve(connection: Connection, contracts: bool, parent: int) -> None:
    """Do jobs until the parent closes the connection."""
    os.setsid()  # a group of its own: the parent ends it whole, with the solver processes below it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)  # what code under law prints must not get into a report
    os.environ["EUKHE_CONTRACTS"] = (
        "1" if contracts else "0"
    )  # read when the first spec is imported
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    areas: dict[str, Area] = {}
    while True:
        try:
            job: Job = connection.recv()
        except (EOFError, OSError):
            return
        verdict = work(job, areas)
        if verdict.counterexample is not None:  # the id carries the values, as text
            bare = replace(verdict.counterexample, values=())
            verdict = replace(verdict, counterexample=bare)
        with contextlib.suppress(BrokenPipeError):  # the parent is gone: the next `recv` ends this
            connection.send(verdict)


@contextlib.contextmanager
def _safe_path() -> Iterator[None]:
    """Keep the directory that the user is in off a new worker's path: an `enum.py` in it must not be imported."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


@dataclass
class _Worker:
    """A worker process, and the job that it does."""

    process: SpawnProcess
    connection: Connection
    contracts: bool
    job: Job | None = None
    started: float = 0.0

    @classmethod
    def spawn(cls, contracts: bool) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, contracts, os.getpid()))
        with _safe_path():
            process.start()
        theirs.close()
        return cls(process, ours, contracts)

    def give(self, job: Job) -> None:
        self.job, self.started = job, time.monotonic()
        self.connection.send(job)

    @property
    def left(self) -> float:
        """Seconds until the wall clock of the job strikes."""
        return self.started + (self.job.wall if self.job else 0.0) - time.monotonic()

    def kill(self) -> None:
        """End the worker and what it started, at once."""
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid or 0, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.connection.close()

    def close(self) -> None:
        """Let an idle worker end."""
        self.connection.close()
        self.process.join(5.0)
        if self.process.is_alive():
            self.kill()

    def failed(self, kind: ErrorKind, message: str) -> Verdict:
        """Give the verdict on the job that this worker did not finish."""
        job = self.job
        if job is None:
            raise RuntimeError("an idle worker cannot fail a job")
        seconds = time.monotonic() - self.started
        return unknown(*job.key, EngineError("worker", kind, message), seconds)


def _collect(worker: _Worker) -> Verdict | None:
    """Return what a worker has to say; `None` when it is still at work."""
    if worker.connection.poll():
        try:
            verdict: Verdict = worker.connection.recv()
        except (EOFError, OSError):
            worker.process.join()
            code = worker.process.exitcode
            return worker.failed(ErrorKind.CRASH, f"the worker process died with exit code {code}")
        worker.job = None
        return verdict
    if worker.left <= 0 and worker.job is not None:
        wall = worker.job.wall
        return worker.failed(
            ErrorKind.TIMEOUT, f"no answer within {wall:.0f} s, the worker was killed"
        )
    return None


def run_jobs(
    jobs: Sequence[Job], workers: int, seconds: float | None = None, began: float | None = None
) -> Iterator[Verdict]:
    """Do the jobs and yield their verdicts as they come.

    Args:
        jobs: The jobs; those with more expected inputs begin first, the bridges come last.
        workers: How many worker processes at most.
        seconds: The budget of the whole run; jobs that have not finished by then are `unknown`.
        began: When the run began, by the monotonic clock; now, when it is not said.

    Yields:
        One verdict a job. On Ctrl-C the rest of them are `unknown`.
    """
    queue = sorted(jobs, key=lambda job: (job.contracts, -job.inputs))
    start = time.monotonic() if began is None else began
    deadline = None if seconds is None else start + seconds
    pool: list[_Worker] = []
    ended = ""
    with _ctrl_c() as pressed:
        try:
            while queue or any(worker.job for worker in pool):
                if deadline is not None and time.monotonic() > deadline:
                    ended = f"not finished within the budget of {seconds:g} s"
                    break
                _fill(pool, queue, workers)
                busy = [worker for worker in pool if worker.job is not None]
                nearest = min(worker.left for worker in busy)
                if deadline is not None:
                    nearest = min(nearest, deadline - time.monotonic())
                heard = wait(
                    [pressed, *(one.connection for one in busy)], timeout=max(0.0, nearest)
                )
                if pressed in heard:
                    ended = "interrupted before it finished"
                    break
                yield from _collected(pool, busy)
        finally:
            rest = [worker.job for worker in pool if worker.job is not None]
            for worker in pool:
                if worker.job is None:
                    worker.close()
                else:
                    worker.kill()
        for job in (*rest, *queue):
            yield unknown(*job.key, EngineError("runner", ErrorKind.INTERRUPTED, ended))


@contextlib.contextmanager
def _ctrl_c() -> Iterator[Connection]:
    """Turn the first Ctrl-C (or SIGTERM) into something to read; outside the main thread it is left as it is."""
    heard, told = multiprocessing.Pipe(duplex=False)
    if threading.current_thread() is not threading.main_thread():
        with heard, told:
            yield heard
        return

    def press(_number: int, _frame: FrameType | None) -> None:
        for one, handler in before.items():  # a second one ends the run at once
            signal.signal(one, handler)
        told.send_bytes(b"!")

    before = {one: signal.signal(one, press) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield heard
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        heard.close()
        told.close()


def _collected(pool: list[_Worker], busy: list[_Worker]) -> Iterator[Verdict]:
    """Yield what the workers have to say; one that is dead or stuck leaves the pool."""
    for worker in busy:
        verdict = _collect(worker)
        if verdict is None:
            continue
        if worker.job is not None:
            pool.remove(worker)
            worker.kill()
        yield verdict


def _fill(pool: list[_Worker], queue: list[Job], workers: int) -> None:
    """Give every idle worker a job, and spawn those that are missing."""
    for worker in list(pool):
        if worker.job is None and queue:
            if worker.contracts != queue[0].contracts:
                pool.remove(worker)
                worker.close()
            else:
                worker.give(queue.pop(0))
    while queue and len(pool) < workers:
        worker = _Worker.spawn(queue[0].contracts)
        pool.append(worker)
        worker.give(queue.pop(0))

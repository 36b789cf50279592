"""Run a function on many tasks, each in a forked child of its own, a few at a time."""

from __future__ import annotations

import json
import math
import os
import resource
import selectors
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

__all__ = ["forked"]

T = TypeVar("T")


@dataclass
class _Child:
    pid: int
    pipe: int
    deadline: float
    said: bytearray = field(default_factory=bytearray)


def _start(work: Callable[[], Any], wall: float) -> _Child:
    """Fork a child that runs `work` and writes its result, as JSON, into a pipe."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid:
        os.close(theirs)
        return _Child(pid, ours, time.monotonic() + wall)
    try:  # the child: whatever happens, it must end here and run no handler of the parent's
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.close(ours)
        # The kernel ends a child that loops for ever, also when this process is no more there to do so.
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(wall), math.ceil(wall)))
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        said = json.dumps(work()).encode()
        with os.fdopen(theirs, "wb") as out:
            out.write(said)
        os._exit(0)
    except BaseException:  # a forked child must not return into the parent's code
        os._exit(1)


def _end(child: _Child) -> Any:
    os.close(child.pipe)
    _, status = os.waitpid(child.pid, 0)
    if status or not child.said:
        return None
    return json.loads(child.said.decode())


def forked(
    tasks: Sequence[T], work: Callable[[T], Any], *, jobs: int, wall: float
) -> Iterator[tuple[T, Any]]:
    """Yield each task with its result, as they end; `None` for a child that crashed or outlasted the wall.

    Args:
        tasks: What to do, in this order.
        work: Run in the child; reads the parent's state of the moment; gives what JSON can say, never `None`.
        jobs: How many children run at once.
        wall: Seconds of wall time after which a child is killed.
    """
    waiting = list(reversed(tasks))
    running: dict[int, tuple[T, _Child]] = {}
    with selectors.DefaultSelector() as ready:
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    task = waiting.pop()
                    child = _start(lambda task=task: work(task), wall)  # type: ignore[misc]  # mypy: a default of a lambda
                    running[child.pipe] = (task, child)
                    ready.register(child.pipe, selectors.EVENT_READ)
                for key, _ in ready.select(1.0):
                    task, child = running[key.fd]
                    block = os.read(key.fd, 1 << 16)
                    child.said += block
                    if not block:
                        ready.unregister(key.fd)
                        del running[key.fd]
                        yield task, _end(child)
                now = time.monotonic()
                for _, child in running.values():
                    if now > child.deadline:
                        with suppress(ProcessLookupError):
                            os.kill(child.pid, signal.SIGKILL)
        finally:
            for _, child in running.values():
                with suppress(ProcessLookupError):
                    os.kill(child.pid, signal.SIGKILL)
                _end(child)

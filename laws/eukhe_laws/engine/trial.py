"""One mutant's trial: does a law, or the bridge, notice it?

The inputs are made once, in the parent, from what the unchanged subject's premises admit; each mutant then runs in
a forked child on the same inputs, in stages, so that most die after a few hundred of them.
"""

from __future__ import annotations

import itertools
import math
import resource
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from random import Random
from types import FrameType, FunctionType
from typing import Any

from eukhe_bridge.kit import Bridge
from eukhe_laws.engine.exhaust import bounds
from eukhe_laws.engine.law import Law
from eukhe_laws.engine.sample import draws
from eukhe_laws.engine.search import spelled
from eukhe_laws.engine.touched import Caches, forget, touched

__all__ = [
    "BaselineError",
    "Budget",
    "Kill",
    "Prepared",
    "Script",
    "prepare",
    "script",
    "try_bridge",
    "try_laws",
]

#: Inputs a law after which the next law has its turn: most mutants die in the first stage.
_STAGES = (150, 1_500)


class BaselineError(Exception):
    """A law that fails, or a bridge that differs, without any mutant: there is nothing to measure yet."""


@dataclass(frozen=True)
class Budget:
    """How hard a mutant is tried.

    Attributes:
        exhaust: The most inputs of the law's scope that are enumerated.
        sample: How many inputs of its wide scope are drawn.
        scenarios: How many scenarios of the bridge are run.
        seed: The seed of the draws and of the scenarios.
        patience: How many times slower than the unchanged code a mutant may be, in CPU time, before it counts
            as endless; one second is always allowed.
        wall: Seconds of wall time after which the child is killed; only a net for loops inside C code.
    """

    exhaust: int = 6_000
    sample: int = 2_000
    scenarios: int = 300
    seed: int = 1
    patience: float = 10.0
    wall: float = 120.0


@dataclass(frozen=True)
class Kill:
    """Who noticed a mutant, and how.

    Attributes:
        by: The law's name, or `bridge`.
        how: `false`, `raised`, `endless`, `vacuous`, or `differs` for the bridge.
        said: The exception, the witness that was lost, or empty.
    """

    by: str
    how: str
    said: str = ""


@dataclass(frozen=True)
class Prepared:
    """A law with its inputs, all of which meet the premise on the unchanged subject.

    Attributes:
        law: The law.
        inputs: The inputs, enumerated and drawn ones mixed in a fixed order.
        seconds: The CPU time that the unchanged subject takes for all of them.
        reached: The witnesses that these inputs reach on the unchanged subject.
        touched: The functions under law that these inputs run, by module and qualified name.
    """

    law: Law
    inputs: tuple[tuple[Any, ...], ...]
    seconds: float
    reached: frozenset[str]
    touched: frozenset[str]


@dataclass(frozen=True)
class Script:
    """The bridge's scenarios with the transcripts of the unchanged side, and the CPU time they took."""

    scenarios: tuple[Any, ...]
    transcripts: tuple[str, ...]
    seconds: float


class _EndlessError(BaseException):
    """The alarm went off; no `except Exception` of the code under law may swallow it."""


def _alarm(_number: int, _frame: FrameType | None) -> None:
    raise _EndlessError


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raise `_EndlessError` after so much CPU time, which the load of the machine does not change."""
    before = signal.signal(signal.SIGVTALRM, _alarm)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


def bound_memory(extra: int = 1 << 30) -> None:
    """Let this process grow by `extra` bytes at most, so that an endless list ends as a `MemoryError`."""
    with suppress(OSError, ValueError), open("/proc/self/statm") as file:  # noqa: PTH123 -- no path of a user's
        used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + extra, resource.RLIM_INFINITY))


def _inputs(law: Law, budget: Budget) -> list[tuple[Any, ...]]:
    domains = law.domains(bounds(law, budget.exhaust))
    if math.prod(domain.size() for domain in domains) <= budget.exhaust:
        every = list(itertools.product(*(domain.values() for domain in domains)))
    else:  # a finite domain that is too large to enumerate for every mutant
        every = list(draws(domains, f"{law.name}:scope", budget.exhaust, budget.seed))
    order = Random(f"{budget.seed}:{law.name}:order")
    every += draws(law.domains(law.wide), law.name, budget.sample, budget.seed)
    order.shuffle(every)
    return every


def prepare(
    law: Law,
    subject: Any,
    budget: Budget,
    functions: Mapping[str, FunctionType],
    caches: Caches = (),
) -> Prepared:
    """Make a law's inputs and see that it holds on the unchanged subject.

    Args:
        law: The law.
        subject: The unchanged subject.
        budget: How many inputs.
        functions: The functions under law, of which those that the law runs are noted.
        caches: Emptied first, because a cached answer hides which functions gave it.

    Raises:
        BaselineError: the law is broken, raises, or no input meets its premise.
    """
    forget(caches)
    with touched(functions) as names:
        kept, seconds, reached = _baseline(law, subject, budget)
        return Prepared(law, tuple(kept), seconds, frozenset(reached), names())


def _baseline(
    law: Law, subject: Any, budget: Budget
) -> tuple[list[tuple[Any, ...]], float, set[str]]:
    """Return the inputs that meet the premise, the CPU time that the law takes for them, and what they reach."""
    given, kept = law.given, []
    values: tuple[Any, ...] = ()
    reached: set[str] = set()
    try:
        for values in _inputs(law, budget):
            if given is None or given(subject, *values):
                kept.append(values)  # noqa: PERF401 -- `values` names the input when the premise raises
        start = time.process_time()
        for values in kept:
            if not law.holds(subject, *values):
                raise BaselineError(f"{law.name} is broken without a mutant, on {values!r}")
        seconds = time.process_time() - start
        for name, witness in law.reach:
            for values in kept:
                if witness(subject, *values):
                    reached.add(name)
                    break
    except BaselineError:
        raise
    except Exception as error:
        said = f"{law.name} raises without a mutant, on {values!r}: {spelled(error)}"
        raise BaselineError(said) from error
    if not kept:
        raise BaselineError(f"{law.name} is vacuous without a mutant: no input meets its premise")
    return kept, seconds, reached


def script(bridge: Bridge[Any], side: str, budget: Budget) -> Script:
    """Run the bridge's scenarios through the unchanged code of both sides.

    Raises:
        BaselineError: a side raises, or the transcripts differ without a mutant.
    """
    count = min(budget.scenarios, bridge.count)
    scenarios = tuple(itertools.islice(bridge.scenarios(Random(budget.seed), count), count))
    start, said = time.process_time(), []
    own, other = (bridge.spec, bridge.core) if side == "spec" else (bridge.core, bridge.spec)
    for number, scenario in enumerate(scenarios, start=1):
        try:
            line, same = own(scenario), other(scenario)
        except Exception as error:
            raise BaselineError(
                f"the bridge raises in scenario {number}: {spelled(error)}"
            ) from error
        if line != same:
            raise BaselineError(f"the bridge differs in scenario {number} without a mutant")
        said.append(line)
    return Script(scenarios, tuple(said), time.process_time() - start)


def _slices(
    prepared: Sequence[Prepared], first: frozenset[str]
) -> Iterator[tuple[Prepared, int, int]]:
    """Yield a law and the range of its inputs that is next; laws in `first` begin before the others."""
    head = [one for one in prepared if one.law.name in first]
    for one in head:
        yield one, 0, _STAGES[0]
    lo = 0
    for hi in (*_STAGES, max((len(one.inputs) for one in prepared), default=0)):
        for one in prepared:
            if lo < len(one.inputs) and not (lo == 0 and one in head):
                yield one, lo, hi
        lo = hi


def _run(one: Prepared, subject: Any, lo: int, hi: int) -> tuple[Kill | None, int]:
    """Run a range of a law's inputs; also give how many met the premise."""
    law, met = one.law, 0
    given, holds = law.given, law.holds
    try:
        for values in one.inputs[lo:hi]:
            if given is not None and not given(subject, *values):
                continue
            met += 1
            if not holds(subject, *values):
                return Kill(law.name, "false"), met
    except Exception as error:  # a mutant may raise anything, and that is a kill
        return Kill(law.name, "raised", spelled(error)), met
    return None, met


def _lost(one: Prepared, subject: Any, met: int) -> Kill | None:
    """Say whether the law, which did not fail, became vacuous under the mutant."""
    if met == 0:
        return Kill(one.law.name, "vacuous", "no input meets the premise")
    for name, witness in one.law.reach:
        if name in one.reached and not any(
            (one.law.given is None or one.law.given(subject, *values)) and witness(subject, *values)
            for values in one.inputs
        ):
            return Kill(one.law.name, "vacuous", f"never reached {name!r}")
    return None


def try_laws(
    prepared: Sequence[Prepared],
    subject: Any,
    budget: Budget,
    *,
    first: frozenset[str] = frozenset(),
) -> tuple[Kill, ...]:
    """Run the laws on a mutated subject until one notices.

    Args:
        prepared: The laws with their inputs, likeliest killers first.
        subject: The mutated subject.
        budget: Gives the patience.
        first: Laws not yet known to kill anything: each of these gets its first stage, whoever else notices.

    Returns:
        Those who noticed; empty when none did.
    """
    found: dict[str, Kill] = {}
    met: dict[str, int] = dict.fromkeys((one.law.name for one in prepared), 0)
    for one, lo, hi in _slices(prepared, first):
        name = one.law.name
        if found and not (lo == 0 and name in first):
            break
        try:
            with _within(1.0 + budget.patience * one.seconds):
                kill, count = _run(one, subject, lo, hi)
        except _EndlessError:
            kill, count = Kill(name, "endless"), 1
        met[name] += count
        if kill is not None:
            found[name] = kill
    if found:
        return tuple(found.values())
    for one in prepared:
        try:
            with _within(1.0 + budget.patience * one.seconds):
                lost = _lost(one, subject, met[one.law.name])
        except _EndlessError:
            lost = Kill(one.law.name, "endless")
        except Exception as error:  # a mutant may raise anything, and that is a kill
            lost = Kill(one.law.name, "raised", spelled(error))
        if lost is not None:
            return (lost,)
    return ()


def try_bridge(played: Script, run: Callable[[Any], str], budget: Budget) -> Kill | None:
    """Run the scenarios through the mutated side and compare with the unchanged transcripts.

    Args:
        played: The scenarios and transcripts.
        run: The mutated side of the bridge.
        budget: Gives the patience.
    """
    try:
        with _within(1.0 + budget.patience * played.seconds):
            pairs = zip(played.scenarios, played.transcripts, strict=True)
            for number, (scenario, expected) in enumerate(pairs, start=1):
                if run(scenario) != expected:
                    return Kill("bridge", "differs", f"scenario {number}")
    except _EndlessError:
        return Kill("bridge", "endless")
    except Exception as error:  # a mutant may raise anything, and that is a kill
        return Kill("bridge", "raised", spelled(error))
    return None

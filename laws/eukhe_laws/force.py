"""The laws of a forced tool call (S6.3)."""

from __future__ import annotations

from typing import Protocol

from eukhe_bridge import force as bridge
from eukhe_laws.engine.domain import Scope
from eukhe_laws.engine.law import law
from eukhe_spec import force as spec
from eukhe_spec.force import Called, NotCalled, Run, Turn


class Force(Protocol):
    """The functions under law."""

    def run(self, tool: int, retries: int, world: tuple[Turn, ...]) -> Run: ...


SPEC: Force = spec
CORE: Force = bridge.CORE

_SCOPE = Scope(2, 3, over=(("retries", Scope(4)), ("tool", Scope(2))))


def _world(world: tuple[Turn, ...], number: int) -> Turn:
    """The turn of a request; past its end the world supports nothing and calls nothing."""
    return [*world, *([Turn(False, False, False)] * (number + 1))][number]


def _first_call(world: tuple[Turn, ...]) -> int | None:
    return next((number for number, turn in enumerate(world) if turn.calls), None)


@law(section="S6.3", scope=_SCOPE, control=("retries",))
def force_bounded(S: Force, tool: int, retries: int, world: tuple[Turn, ...]) -> bool:
    """A forced call makes at most `1 + retries` attempts (S6.3)."""
    return len(S.run(tool, retries, world).attempts) <= 1 + retries


@law(
    section="S6.3",
    scope=_SCOPE,
    control=("retries",),
    reach={
        "supported and free": lambda S, tool, retries, world: (
            _world(world, 0).supported and _world(world, 0).free
        ),
        "supported and not free": lambda S, tool, retries, world: (
            _world(world, 0).supported and not _world(world, 0).free
        ),
    },
)
def force_first_flag(S: Force, tool: int, retries: int, world: tuple[Turn, ...]) -> bool:
    """The first attempt sets the native flag only when it is supported and free (S6.3)."""
    first = _world(world, 0)
    flags = [attempt.native for attempt in S.run(tool, retries, world).attempts]
    return flags[:1] != [True] or (first.supported and first.free)


@law(
    section="S6.3",
    scope=_SCOPE,
    control=("retries",),
    given=lambda S, tool, retries, world: retries > 0 and not _world(world, 0).calls,
    reach={"supported": lambda S, tool, retries, world: _world(world, 1).supported},
)
def force_retry_flag(S: Force, tool: int, retries: int, world: tuple[Turn, ...]) -> bool:
    """Every retry sets the native flag when it is supported (S6.3)."""
    attempts = S.run(tool, retries, world).attempts
    return all(
        attempts[number].native or not _world(world, number).supported
        for number in range(1, len(attempts))
    )


@law(
    section="S6.3",
    scope=_SCOPE,
    control=("retries",),
    reach={
        "called": lambda S, tool, retries, world: _first_call(world) == retries,
        "too late": lambda S, tool, retries, world: _first_call(world) == retries + 1,
    },
)
def force_reports(S: Force, tool: int, retries: int, world: tuple[Turn, ...]) -> bool:
    """A forced call reports a call exactly when the model called the tool within its attempts (S6.3)."""
    first = _first_call(world)
    within = first is not None and first <= retries
    return isinstance(S.run(tool, retries, world).report, Called) is within


@law(section="S6.3", scope=_SCOPE, control=("retries",), ours=True)
def force_asks_until_called(S: Force, tool: int, retries: int, world: tuple[Turn, ...]) -> bool:
    """A reply without the call starts a retry while retries remain; one with the call starts none (S6.3)."""
    first = _first_call(world)
    wanted = 1 + retries if first is None else 1 + min(first, retries)
    return len(S.run(tool, retries, world).attempts) == wanted


@law(section="S6.3", scope=_SCOPE, control=("retries",), ours=True)
def force_flag_exact(S: Force, tool: int, retries: int, world: tuple[Turn, ...]) -> bool:
    """An attempt sets the native flag exactly when it is supported, the first one when it is free too (S6.3)."""
    attempts = S.run(tool, retries, world).attempts
    turns = [_world(world, number) for number in range(len(attempts))]
    wanted = [turn.supported for turn in turns]
    if turns:
        wanted[0] = turns[0].supported and turns[0].free
    return [attempt.native for attempt in attempts] == wanted


@law(section="S6.3", scope=_SCOPE, control=("retries",), ours=True)
def force_soft_prompt(S: Force, tool: int, retries: int, world: tuple[Turn, ...]) -> bool:
    """Every request of a forced call ends with the soft prompt that names the tool (S6.3)."""
    return all(attempt.soft for attempt in S.run(tool, retries, world).attempts)


@law(
    section="S6.3",
    scope=_SCOPE,
    control=("retries",),
    given=lambda S, tool, retries, world: not any(turn.calls for turn in world[: 1 + retries]),
    ours=True,
)
def force_not_called_says(S: Force, tool: int, retries: int, world: tuple[Turn, ...]) -> bool:
    """`NotCalled` names the tool and the real number of requests (S6.3)."""
    found = S.run(tool, retries, world)
    return found.report == NotCalled(tool, len(found.attempts))

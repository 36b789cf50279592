"""Laws that fail each in its own way, over a model with seeded bugs: what engines must tell apart."""

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Protocol

from eukhe_laws.engine import Range, Scope, law


class Level(Enum):
    LOW = 0
    MID = 1
    TOP = 2


@dataclass(frozen=True)
class Step:
    level: Level
    count: int


class Model(Protocol):
    def total(self, steps: tuple[Step, ...], /) -> int: ...


class _Buggy:
    """Forgets a TOP step of exactly 7 behind a MID one."""

    @staticmethod
    def total(steps: tuple[Step, ...]) -> int:
        total, before = 0, Level.LOW
        for step in steps:
            if not (step.level is Level.TOP and step.count == 7 and before is Level.MID):
                total = total + step.count
            before = step.level
        return total


SPEC: Model = _Buggy()


@law(section="F1", scope=Scope(size=2))
def fault_total(S: Model, steps: tuple[Step, ...]) -> bool:
    """The total is the sum of the steps, which it is not for MID then TOP 7."""
    return S.total(steps) == sum(step.count for step in steps)


@law(section="F2", control=("loops",), scope=Scope(nat=3))
def fault_endless(S: Model, loops: int, count: int) -> bool:
    """Never ends when it loops twice."""
    while loops == 2:
        count = count + 0
    return count >= 0


@law(section="F3", given=lambda S, one: one < 0)
def fault_never(S: Model, one: int) -> bool:
    """No natural meets the premise."""
    return one == 12


@law(section="F4")
def fault_raises(S: Model, steps: tuple[Step, Step]) -> bool:
    """Raises on a step of 5."""
    return (1, 2, 3)[3 if steps[0].count == 5 else 0] == 1


@law(section="F5")
def fault_bounded(S: Model, one: Annotated[int, Range(2, 5)], level: Level | None) -> bool:
    """Holds within the bounds of its types only."""
    return 2 <= one <= 5


@law(section="F6")
def fault_text(S: Model, text: str) -> bool:
    """Quantifies over strings."""
    return text + "" == text


@law(
    section="F7", given=lambda S, text: len(text) > 2, reach={"long": lambda S, text: len(text) > 5}
)
def fault_shout(S: Model, text: str) -> bool:
    """Upper case keeps the length, which it does not for a sharp s."""
    return len(text.upper()) == len(text)


@law(section="F8", given=lambda S, text: text[0] != "")
def fault_premise(S: Model, text: str) -> bool:
    """Has a premise that raises on the empty string."""
    return True


@law(section="F9")
def fault_slow(S: Model, text: str) -> bool:
    """Takes its time."""
    return sum(len(text) for _ in range(200_000)) >= 0

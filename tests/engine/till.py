"""A toy area for the tests of the engine: a till whose core is wrong, and laws that fail each in its own way."""

import os
import subprocess
import time
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Protocol

from eukhe_laws.engine import Range, Scope, law


class Coin(Enum):
    COPPER = 1
    SILVER = 5
    GOLD = 20


@dataclass(frozen=True)
class Slot:
    coin: Coin
    count: int


@dataclass(frozen=True)
class Note:
    amount: int


Item = Slot | Note | None


class Till(Protocol):
    def worth(self, slots: tuple[Slot, ...], /) -> int: ...
    def dearer(self, a: Coin, b: Coin, /) -> Coin: ...


class _Spec:
    @staticmethod
    def worth(slots: tuple[Slot, ...]) -> int:
        return sum(slot.coin.value * slot.count for slot in slots)

    @staticmethod
    def dearer(a: Coin, b: Coin) -> Coin:
        return a if a.value >= b.value else b


class _Core(_Spec):
    """Loses one coin of a second slot of three silver coins."""

    @staticmethod
    def worth(slots: tuple[Slot, ...]) -> int:
        total = 0
        for place, slot in enumerate(slots):
            lost = 5 if place == 1 and slot == Slot(Coin.SILVER, 3) else 0
            total += slot.coin.value * slot.count - lost
        return total


SPEC: Till = _Spec()
CORE: Till = _Core()


@law(section="T1")
def till_dearer_is_one(S: Till, a: Coin, b: Coin) -> bool:
    """The dearer of two coins is one of them."""
    return S.dearer(a, b) in (a, b)


@law(section="T2", scope=Scope(nat=3, size=2))
def till_worth_adds(S: Till, slots: tuple[Slot, ...], more: tuple[Slot, ...]) -> bool:
    """Two tills together are worth what both are."""
    return S.worth((*slots, *more)) == S.worth(slots) + S.worth(more)


@law(section="T3", given=lambda S, n: n > 1_000)
def till_vacuous(S: Till, n: int) -> bool:
    """No input meets the premise."""
    return n > 0


@law(section="T3", given=lambda S, n: 10 // n < 100)
def till_premise_raises(S: Till, n: int) -> bool:
    """The premise raises on zero."""
    return n >= 0


@law(section="T3", reach={"a huge number": lambda S, n: n > 1_000})
def till_missed(S: Till, n: int) -> bool:
    """The witness is never reached."""
    return n >= 0


@law(section="T3", reach={"a ratio": lambda S, n: 10 // n > 1})
def till_witness_raises(S: Till, n: int) -> bool:
    """The witness raises on zero."""
    return n >= 0


@law(section="T3")
def till_raises(S: Till, slots: tuple[Slot, ...]) -> bool:
    """A law that raises on an empty till is broken."""
    return slots[0].count >= 0


@law(section="T4")
def till_endless(S: Till, n: int) -> bool:
    """Never ends; says that it began, to who wants to know."""
    told = os.environ.get("TILL_ENDLESS_BEGAN")
    if told:
        Path(told).touch()
    while n >= 0:
        if os.environ.get("TILL_ENDLESS_SLEEPS"):
            time.sleep(3600)
        child = os.environ.get("TILL_ENDLESS_CHILD")
        if child:
            with subprocess.Popen(["sleep", "3600"]) as process:
                Path(child).write_text(str(process.pid))
    return True


@law(section="T4")
def till_dies(S: Till, n: int) -> bool:
    """Ends its own process, as a fault in a library would."""
    if n == 2:
        os._exit(7)
    return True


_CALLS: list[int] = []


@law(section="T4", scope=Scope(nat=3))
def till_remembers(S: Till, n: int) -> bool:
    """Fails from its third call on, whatever the input: it keeps state from call to call."""
    _CALLS.append(n)
    return len(_CALLS) < 3


@law(section="T4", scope=Scope(nat=3))
def till_leaves(S: Till, n: int) -> bool:
    """Leaves by an exception that is no error, as a program that ends itself would."""
    if n == 2:
        raise SystemExit(0)
    return True


@law(section="T4", scope=Scope(nat=3))
def till_prints(S: Till, n: int) -> bool:
    """Prints, which no report may show."""
    print("a word of the law's own")
    return n >= 0


@law(section="T5", scope=Scope(nat=2, size=1))
def till_any_item(S: Till, items: tuple[Item, ...], n: Annotated[int, Range(1, 3)]) -> bool:
    """Holds for every kind of item."""
    return len(items) >= 0 and 1 <= n <= 3

"""The toy's laws."""

from typing import Protocol

from eukhe_laws.engine import Scope, law
from tests.engine.toy import bridge, spec
from tests.engine.toy.spec import Purse


class Toy(Protocol):
    def pay(self, purse: Purse, price: int, /) -> Purse: ...

    def fill(self, purse: Purse, gifts: tuple[int, ...], /) -> Purse: ...

    def wait(self, purse: Purse, days: int, /) -> int: ...

    def open_purse(self, purse: Purse, /) -> bool: ...


SPEC: Toy = spec
CORE: Toy = bridge.CORE


@law(
    section="T2",
    given=lambda S, purse, price: purse.locked,
    reach={"a bill": lambda S, purse, price: price > 0},
)
def toy_locked(S: Toy, purse: Purse, price: int) -> bool:
    """A locked purse pays nothing."""
    return S.pay(purse, price) == purse


@law(section="T3")
def toy_capped(S: Toy, purse: Purse, gifts: tuple[int, ...]) -> bool:
    """A purse never holds more than its cap."""
    return S.fill(purse, gifts).coins <= 3


@law(section="T4")
def toy_waits(S: Toy, purse: Purse, days: int) -> bool:
    """Waiting costs nothing."""
    return S.wait(purse, days) == purse.coins


@law(section="T5", given=lambda S, purse: S.open_purse(purse) and not purse.locked)
def toy_open(S: Toy, purse: Purse) -> bool:
    """An open purse is one that is not locked."""
    return S.open_purse(purse)


@law(section="T6")
def toy_idle(S: Toy, coins: int) -> bool:
    """Says nothing about any function, so that no mutant can break it."""
    return coins >= 0


@law(section="T1", scope=Scope(nat=4))
def toy_pays(S: Toy, coins: int, price: int) -> bool:
    """An open purse pays exactly the price when it holds enough, and else nothing."""
    left = S.pay(Purse(coins, False), price).coins
    return left == (coins - price if coins >= price else coins)

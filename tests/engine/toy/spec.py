"""The toy's model: a purse pays a bill when it holds enough; a locked purse pays nothing."""

from dataclasses import dataclass, replace

CAP = 3


@dataclass(frozen=True)
class Purse:
    coins: int
    locked: bool


def pay(purse: Purse, price: int) -> Purse:
    if purse.locked or purse.coins < price:
        return purse
    return replace(purse, coins=purse.coins - price)


def fill(purse: Purse, gifts: tuple[int, ...]) -> Purse:
    total = purse.coins
    for gift in gifts:
        total = total + gift
    return replace(purse, coins=min(total, CAP))


def greet(name: int) -> int:
    return name * 3


def wait(purse: Purse, days: int) -> int:
    left = days
    while left > 0:
        left = left - 1
    return (purse.coins, left)[left]


def open_purse(purse: Purse) -> bool:
    return not purse.locked

"""The toy's bridge."""

from collections.abc import Iterator
from functools import cache
from random import Random

from eukhe_bridge.kit import Bridge
from tests.engine.toy import core, spec
from tests.engine.toy.spec import Purse

Scenario = tuple[int, bool, int]


class _Core:
    @staticmethod
    @cache
    def pay(purse: Purse, price: int) -> Purse:
        """Remember, as an adapter may, what must be forgotten before a mutant is tried."""
        return Purse(core.pay(purse.coins, purse.locked, price), purse.locked)

    @staticmethod
    def fill(purse: Purse, gifts: tuple[int, ...]) -> Purse:
        return Purse(core.fill(purse.coins, gifts), purse.locked)

    @staticmethod
    def greet(name: int) -> int:
        return core.greet(name)

    @staticmethod
    def wait(purse: Purse, _days: int) -> int:
        return purse.coins

    @staticmethod
    def open_purse(purse: Purse) -> bool:
        return not purse.locked


CORE = _Core()


def _scenarios(rng: Random, count: int) -> Iterator[Scenario]:
    for _ in range(count):
        yield rng.randrange(4), rng.random() < 0.5, rng.randrange(4)


def _spec(scenario: Scenario) -> str:
    coins, locked, price = scenario
    return f"{spec.pay(Purse(coins, locked), price).coins} {spec.greet(price)}\n"


def _core(scenario: Scenario) -> str:
    return f"{core.pay(*scenario)} {core.greet(scenario[2])}\n"


def _reached(scenario: Scenario, _said: str) -> frozenset[str]:
    return frozenset({"locked" if scenario[1] else "open"})


BRIDGE = Bridge("toy", ("open", "locked"), _scenarios, _spec, _core, _reached, 60)

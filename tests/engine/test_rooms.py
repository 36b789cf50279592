"""Every area as a whole: each of its files is under law, and what is called its core is the core that ships."""

import inspect
from pathlib import Path
from random import Random
from types import FunctionType, ModuleType
from typing import Any

import pytest

import eukhe_laws
from eukhe_laws.engine.areas import load
from eukhe_laws.engine.bridge_run import bridge_of
from eukhe_laws.engine.mutation import mutants_of
from eukhe_laws.engine.profile import QUICK
from eukhe_laws.engine.rooms import Rooms, modules_of, source_of
from eukhe_laws.engine.sample import draws
from eukhe_laws.engine.sources import Sources
from eukhe_laws.engine.touched import touched

#: Inputs a law, enough to run the functions that it is about.
_INPUTS = 20


def functions(modules: tuple[ModuleType, ...]) -> dict[str, FunctionType]:
    """The plain functions of a room, by their whole name."""
    return {
        f"{module.__name__}.{name}": found
        for module in modules
        for name, found in vars(module).items()
        if inspect.isfunction(found) and found.__module__ == module.__name__
    }


def methods(modules: tuple[ModuleType, ...]) -> dict[str, FunctionType]:
    """The methods of a room's classes, by their whole name."""
    return {
        f"{module.__name__}.{one.__qualname__}.{name}": found
        for module in modules
        for one in vars(module).values()
        if inspect.isclass(one) and one.__module__ == module.__name__
        for name, found in vars(one).items()
        if inspect.isfunction(found) and found.__code__.co_filename == module.__file__
    }


@pytest.mark.parametrize("area", eukhe_laws.AREAS)
def test_every_file_of_spec_and_core_is_mutated_and_digested(area: str) -> None:
    rooms = Rooms.of(area)
    digested = Sources().of(f"eukhe_laws.{area}", f"eukhe_bridge.{area}")
    for room in (rooms.spec, rooms.core, rooms.laws, rooms.bridge):
        modules = modules_of(room)
        home = Path(modules[0].__file__ or "")
        files = (
            set(home.parent.rglob("*.py"))
            if home.name == "__init__.py"
            else {home, *home.parent.glob(f"{area}_*.py"), *home.parent.glob(f"_{area}*.py")}
        )
        assert {Path(module.__file__ or "") for module in modules} >= files
        assert {module.__name__ for module in modules} <= set(digested)
    for room in (rooms.spec, rooms.core):
        sources = [(module.__name__, source_of(module)[0]) for module in modules_of(room)]
        assert sum(len(mutants_of(name, source)) for name, source in sources) > 0


@pytest.mark.parametrize("area", eukhe_laws.AREAS)
def test_the_core_under_law_and_in_the_bridge_is_the_core_that_ships(area: str) -> None:
    modules = modules_of(Rooms.of(area).core)
    watched = functions(modules) | methods(modules)
    found = load(area)
    core: Any = found.module.CORE
    assert core is not found.module.SPEC
    with touched(watched) as names:
        for law in found.laws:
            for values in draws(law.domains(law.scope), law.name, _INPUTS, QUICK.seed):
                if law.given is None or law.given(core, *values):
                    law.holds(core, *values)
        assert names(), f"no law of {area} runs {modules[0].__name__}"
    bridge = bridge_of(area)
    with touched(watched) as names:
        for scenario in bridge.scenarios(Random(QUICK.seed), _INPUTS):
            bridge.core(scenario)
        assert names(), f"the bridge of {area} does not run {modules[0].__name__}"


@pytest.mark.parametrize("area", eukhe_laws.AREAS)
def test_a_bridge_takes_300_scenarios_or_more_and_lists_its_rules(area: str) -> None:
    bridge = bridge_of(area)
    assert bridge.area == area
    assert bridge.count >= 300
    assert len(set(bridge.rules)) == len(bridge.rules) > 0

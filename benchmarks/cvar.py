"""What a setting costs: one read after load, one session set, one reload, and a spec that scans every layer."""

from __future__ import annotations

from functools import partial
from timeit import Timer

from benchmarks.common import Line, at_least, in_turns, show
from eukhe.core import cvar as core
from eukhe_spec import cvar as spec

NAME = "settings"
ROUNDS = 7
CVARS = 120
LAYERS = 5
READS = 200_000


def _rows() -> tuple[core.Cvar, ...]:
    kind = core.Type(core.Kind.BOOL)
    return tuple(
        core.Cvar(f"group.setting{n}", kind, core.Scope.LOCAL, True, True, False)
        for n in range(CVARS)
    )


def _layer(place: core.Place) -> list[core.Entry]:
    return [core.Entry(f"group.setting{n}", n % 2 == 0, place) for n in range(CVARS)]


def _load(registry: core.Registry) -> core.Cvars:
    cvars = core.base(registry)
    for _ in range(LAYERS):
        cvars = core.over(cvars, _layer(core.Place.GLOBAL))
    return cvars


def _nanoseconds(statement: str, names: dict[str, object]) -> float:
    timer = Timer(statement, globals=names)
    return min(timer.repeat(ROUNDS, READS)) / READS * 1e9


def _spec_layers() -> tuple[tuple[spec.Declaration, ...], tuple[spec.Entry, ...]]:
    off = spec.Flag(False)
    table = tuple(
        spec.Declaration(n, spec.Kind.BOOL, False, spec.Scope.LOCAL, True, True, off)
        for n in range(CVARS)
    )
    layer = tuple(
        spec.Entry(spec.Put(n, spec.Flag(n % 2 == 0)), spec.Place.GLOBAL) for n in range(CVARS)
    )
    return table, layer * LAYERS


def run() -> list[Line]:
    """Measure reads, and the whole table on both sides."""
    registry = core.registry(_rows())
    if isinstance(registry, core.RegistryError):
        raise SystemExit(registry.message)
    cvars = _load(registry)
    through = _nanoseconds("cvars.values['group.setting60']", {"cvars": cvars})
    agent = core.agent(cvars, [(f"group.setting{n}", True) for n in range(20)])
    declarations, layers = _spec_layers()

    def of_spec() -> None:
        spec.value(declarations, layers, (), 60)

    def of_core() -> None:
        _load(registry)

    one, whole, assigned = in_turns(
        [of_spec, of_core, partial(core.assign, agent, "group.setting60", core.FLIP)], ROUNDS
    )
    return [
        Line("1 us / a read from an agent", 1000 / through, at_least(1), f"{through:.0f} ns"),
        Line(
            "every cvar: spec / core",
            min(one) * CVARS / min(whole),
            None,
            f"spec {min(one) * 1e3:.1f} ms a cvar, core {min(whole) * 1e3:.2f} ms for all {CVARS}",
        ),
        Line(
            "a load of five layers / a session set",
            min(whole) / min(assigned),
            None,
            f"set {min(assigned) * 1e3:.2f} ms",
        ),
    ]


if __name__ == "__main__":
    show(NAME, run())

"""A process that sets many settings: `python -m tests.settings.setter ROOT FILE FIRST COUNT`.

FILE is `settings`, `cfg` or `both`: then they take turns. The settings are `k0`, `k1`, ...; each gets its number.
With a COUNT of 0 it sets `k0` to 1, 2, 3, ... until it is killed. It prints a line when it starts.
"""

from __future__ import annotations

import sys
from itertools import count, cycle
from pathlib import Path

from eukhe.core.cvar import Cvar, Kind, Registry, Scope, Type, Word
from eukhe.settings.load import load_config
from eukhe.settings.places import Files
from eukhe.settings.setter import save_global, save_setting
from eukhe.settings.table import load_registry

KEYS = 1600


def table() -> Registry:
    """A table with as many cvars as the test sets."""
    kind = Type(Kind.NAT)
    return load_registry(Cvar(f"k{n}", kind, Scope.LOCAL, False, False, 0) for n in range(KEYS))


def main(root: str, file: str, first: int, number: int) -> None:
    registry = table()
    config = load_config(registry, Files(Path(root), None))
    kinds = {
        "cfg": (save_global,),
        "settings": (save_setting,),
        "both": (save_setting, save_global),
    }
    save = cycle(kinds[file])
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sets = ((n, n) for n in range(first, first + number)) if number else ((0, n) for n in count(1))
    for n, value in sets:
        next(save)(registry, config, f"k{n}", Word(str(value)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))

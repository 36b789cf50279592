"""The functions that the laws of `director` are about."""

from __future__ import annotations

from typing import Protocol

from eukhe_bridge import director as bridge
from eukhe_spec import director as spec
from eukhe_spec.director import (
    Applied,
    Decision,
    End,
    Held,
    Layer,
    Loop,
    Record,
    Rewind,
    Says,
    Tree,
)

__all__ = ["CORE", "SPEC", "Director"]


class Director(Protocol):
    """The functions under law."""

    def decide(self, stack: tuple[Layer, ...], says: Says, cap: int) -> Decision: ...
    def start(self, stack: tuple[Layer, ...], steps: int) -> Loop: ...
    def tick(self, loop: Loop, says: Says, cap: int) -> Loop: ...
    def run(self, loop: Loop, steps: tuple[Says, ...], cap: int) -> Loop: ...
    def sound(self, tree: Tree) -> bool: ...
    def apply(self, tree: Tree, record: Record) -> Applied: ...
    def rewind(self, live: Tree, snapshot: Tree) -> Rewind: ...
    def encode(self, tree: Tree, conversation: int, stack: tuple[Layer, ...]) -> Tree: ...
    def decode(self, tree: Tree, conversation: int) -> Held: ...
    def replay(self, journal: tuple[Record, ...]) -> Tree: ...
    def resume(self, journal: tuple[Record, ...], conversation: int) -> Held: ...
    def failed(self, end: End) -> bool: ...


SPEC: Director = spec
CORE: Director = bridge.CORE

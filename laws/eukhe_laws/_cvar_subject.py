"""What the law files of `cvar` share: the functions under law, and the bounds that several laws take."""

from __future__ import annotations

from typing import Annotated, Protocol

from eukhe_laws._cvar import (
    Row,
    table,
)
from eukhe_laws.engine.domain import Range, Scope, Sized
from eukhe_spec import cvar as spec
from eukhe_spec.cvar import (
    Alias,
    Bind,
    Broken,
    Command,
    Commands,
    CvarError,
    Declaration,
    Entry,
    Failure,
    Flip,
    Keys,
    Kind,
    Lex,
    Loaded,
    Member,
    ParseError,
    Place,
    Plain,
    Pressed,
    Put,
    Ran,
    Registry,
    RegistryError,
    Say,
    Sign,
    Step,
    Term,
    Understood,
    Value,
)

__all__ = ["BROKEN", "DEEP", "LAST", "LAYERED", "SMALL", "Cvars", "Id", "Words", "with_bool"]

Words = Annotated[tuple[Lex, ...], Sized(1, 4)]


class Cvars(Protocol):
    """The functions under law."""

    def has_type(self, kind: Kind, value: Value) -> bool: ...
    def read_word(self, kind: Kind, term: Term) -> Value | None: ...
    def registry(self, declarations: tuple[Declaration, ...]) -> Registry | RegistryError: ...
    def value(
        self,
        declarations: tuple[Declaration, ...],
        config: tuple[Entry, ...],
        family: tuple[Member, ...],
        cvar: int,
    ) -> Value | None: ...
    def refused(
        self,
        declarations: tuple[Declaration, ...],
        config: tuple[Entry, ...],
        family: tuple[Member, ...],
    ) -> tuple[CvarError, ...]: ...
    def explain(
        self,
        declarations: tuple[Declaration, ...],
        config: tuple[Entry, ...],
        family: tuple[Member, ...],
        cvar: int,
    ) -> tuple[Step, ...]: ...
    def toggle(
        self,
        declarations: tuple[Declaration, ...],
        config: tuple[Entry, ...],
        family: tuple[Member, ...],
        cvar: int,
    ) -> Put | CvarError: ...
    def toggle_global(
        self, declarations: tuple[Declaration, ...], config: tuple[Entry, ...], cvar: int
    ) -> Put | CvarError: ...
    def run(
        self,
        declarations: tuple[Declaration, ...],
        config: tuple[Entry, ...],
        family: tuple[Member, ...],
        agent: Member,
        line: tuple[Say | Flip, ...],
    ) -> Ran: ...
    def written(
        self, declarations: tuple[Declaration, ...], family: tuple[Member, ...]
    ) -> tuple[Put, ...]: ...
    def replicated(
        self,
        declarations: tuple[Declaration, ...],
        config: tuple[Entry, ...],
        family: tuple[Member, ...],
    ) -> tuple[Put, ...]: ...
    def split(self, line: tuple[Sign, ...], cfg: bool) -> Commands | ParseError: ...
    def read_command(self, words: Words) -> Understood | ParseError: ...
    def expand(
        self, aliases: tuple[Alias, ...], commands: tuple[Command, ...]
    ) -> Plain | Failure: ...
    def expand_within(
        self, aliases: tuple[Alias, ...], commands: tuple[Command, ...], most: int
    ) -> Plain | Failure: ...
    def load(
        self,
        aliases: tuple[Alias, ...],
        lines: tuple[tuple[Command | Broken, ...], ...],
        place: Place,
    ) -> Loaded: ...
    def press(
        self, aliases: tuple[Alias, ...], binds: tuple[Bind, ...], key: int
    ) -> Pressed | Failure: ...
    def default_binds(self, defaults: tuple[Keys, ...]) -> tuple[Bind, ...]: ...
    def import_binds(
        self, defaults: tuple[Keys, ...], chosen: tuple[Keys, ...]
    ) -> tuple[Bind, ...]: ...
    def chord(self, mods: tuple[spec.Mod, ...], base: spec.Base) -> spec.Chord | None: ...


SMALL = Scope(nat=2, size=1)
BROKEN = spec.Oddity.BROKEN
#: Cvar 0 or 1: in a table of one row the second is undeclared.
Id = Annotated[int, Range(0, 1)]
#: One cvar, one entry in the config, one agent with a profile; and more of everything for the sampler.
LAYERED = Scope(
    size=1,
    over=(("rest", Scope(size=0)), ("family", Scope(size=1, over=(("sets", Scope(size=0)),)))),
)
DEEP = Scope(size=3, over=(("rest", Scope(size=2)),))
#: The same where the last agent is another parameter.
LAST = Scope(size=1, over=(("rest", Scope(size=0)), ("family", Scope(size=0))))


def with_bool(rest: tuple[Row, ...]) -> tuple[Declaration, ...]:
    """Return the table with a Local Bool as its first row."""
    return table((Row(Kind.BOOL, spec.Scope.LOCAL, True), *rest))

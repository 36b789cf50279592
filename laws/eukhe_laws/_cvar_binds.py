"""The laws of key binds (S4.5)."""

from __future__ import annotations

from typing import Annotated

from eukhe_laws._cvar import (
    AnyBody,
    Plainly,
    actions,
    aliases,
    binds,
    merged,
)
from eukhe_laws._cvar_subject import Cvars, Id
from eukhe_laws.engine.domain import Range, Scope
from eukhe_laws.engine.law import law
from eukhe_spec import cvar as spec
from eukhe_spec.cvar import (
    Act,
    Bind,
    Do,
    ExpandError,
    Failure,
    Keys,
    Pressed,
)

AREA = "cvar"


AnyBinds = tuple[tuple[Id, AnyBody], ...]
Key = Annotated[int, Range(0, 2)]


@law(
    section="S4",
    scope=Scope(size=2, over=(("pairs", Scope(size=1)), ("bodies", Scope(size=1)))),
    wide=Scope(size=3),
)
def bind_press_plain(S: Cvars, bodies: tuple[AnyBody, ...], pairs: AnyBinds, key: Key) -> bool:
    """A key press runs only plain commands (S4.5)."""
    match S.press(aliases(bodies), binds(pairs), key):
        case Pressed(session, client):
            return all(isinstance(one, Do) for one in (*session, *client))
        case Failure(why, _):
            return why in (ExpandError.CYCLE, ExpandError.UNKNOWN)


@law(
    section="S4",
    scope=Scope(size=2, over=(("pairs", Scope(size=1)), ("bodies", Scope(size=1)))),
    wide=Scope(size=3),
)
def bind_unbound_runs_nothing(S: Cvars, bodies: tuple[AnyBody, ...], pairs: AnyBinds) -> bool:
    """A key with no bind runs nothing (S4.5)."""
    return S.press(aliases(bodies), binds(pairs), 2) == Pressed((), ())


@law(
    section="S4",
    scope=Scope(size=2, over=(("bodies", Scope(size=1)), ("rest", Scope(size=1)))),
    wide=Scope(size=3),
    reach={"an empty first bind": lambda S, bodies, first, rest: not first and bool(rest)},
)
def bind_first_wins(
    S: Cvars,
    bodies: tuple[AnyBody, ...],
    first: AnyBody,
    rest: tuple[AnyBody, ...],
) -> bool:
    """A key press runs the commands of the first bind of the key (S4.5)."""
    known = aliases(bodies)
    pairs = binds(((1, (Do(Act.SET, 3),)), (0, first), *((0, one) for one in rest)))
    pressed, done = S.press(known, pairs, 0), S.expand(known, first)
    if isinstance(pressed, Failure) or isinstance(done, Failure):
        return pressed == done
    return len(pressed.session) + len(pressed.client) == len(done) and set(done) == {
        *pressed.session,
        *pressed.client,
    }


@law(section="S4.5", scope=Scope(size=4), wide=Scope(size=6), ours=True)
def bind_press_sends(S: Cvars, body: tuple[Plainly, ...]) -> bool:
    """A key press sends sets, toggles and aliases to the session and the rest to the client, in order (S4.5)."""
    sent = (Act.SET, Act.TOGGLE, Act.ALIAS)
    session = tuple(one for one in body if one.act in sent)
    client = tuple(one for one in body if one.act not in sent)
    return S.press((), (Bind(0, body),), 0) == Pressed(session, client)


def _shown(pairs: tuple[Bind, ...], key: int) -> tuple[int, ...]:
    """Return the actions of the first bind of a key."""
    found = next((one.commands for one in pairs if one.key == key), ())
    return tuple(one.n for one in found if isinstance(one, Do) and one.act is Act.ACTION)


_KEYED = Scope(nat=2, size=2)


@law(section="S4.5", scope=_KEYED, wide=Scope(nat=3, size=4), ours=True)
def bind_defaults_share(S: Cvars, rows: tuple[Keys, ...]) -> bool:
    """The default actions that share a key share one bind, and each key that an action has is bound (S4.5)."""
    found = S.default_binds(rows)
    keys = {key for own in merged(rows).values() for key in own}
    once = sorted(one.key for one in found) == sorted(keys)
    return once and all(_shown(found, key) == actions(merged(rows), key) for key in keys)


@law(
    section="S4.5",
    scope=Scope(nat=2, size=2, over=(("chosen", Scope(nat=2, size=1)),)),
    wide=Scope(nat=3, size=3),
    ours=True,
)
def bind_import_keeps(S: Cvars, rows: tuple[Keys, ...], chosen: tuple[Keys, ...]) -> bool:
    """The imported binds give each key the actions that `keybindings.json` gave it, and change no other (S4.5)."""
    made, shared = S.import_binds(rows, chosen), S.default_binds(rows)
    before, after = merged(rows), merged((*rows, *chosen))
    every = {key for one in (*rows, *chosen) for key in one.keys}
    right = all(_shown((*made, *shared), key) == actions(after, key) for key in every)
    needed = all(actions(before, one.key) != actions(after, one.key) for one in made)
    return right and needed and len({one.key for one in made}) == len(made)


@law(section="S4.5", scope=Scope(size=3), wide=Scope(size=5), ours=True)
def bind_key_one_form(S: Cvars, mods: tuple[spec.Mod, ...], base: spec.Base) -> bool:
    """A key has one form, whatever the order and case of its text; a text that names no key has none (S4.5)."""
    same = {spec.Base.CAPITAL: spec.Base.LETTER, spec.Base.ESC: spec.Base.ESCAPE}
    found = S.chord(mods, base)
    if base in (spec.Base.NONE, spec.Base.BLANK, spec.Base.BELL, spec.Base.EMPTY):
        return found is None
    held = tuple(
        one in mods for one in (spec.Mod.CTRL, spec.Mod.SHIFT, spec.Mod.ALT, spec.Mod.SUPER)
    )
    return (
        found is not None
        and (found.ctrl, found.shift, found.alt, found.super) == held
        and found.base is same.get(base, base)
    )

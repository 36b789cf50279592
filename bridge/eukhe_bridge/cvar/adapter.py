"""The core of `cvar` under the spec's signatures: spec values in and out, the core's own strings and JSON inside.

Where the product writes text and reads it again, the adapter does so too: what an agent writes, a script and the
words of a command go through the text of a cfg file. So the laws speak about quoting and parsing as well.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Final

from eukhe.core import cvar as core
from eukhe_spec import cvar as spec
from eukhe_spec.cvar import Act, Base, Do, Lex, Mod, Sign, Term

__all__ = ["CORE"]

#: A text with everything that quoting must keep.
_NASTY: Final = 'two words "q" \\n \\ ; // \r\n\u2028 é'
_TEXTS: Final = {
    **{term: term.value for term in Term},
    Term.PLAIN: _NASTY,
    Term.LISTED: json.dumps([_NASTY]),
}
_TERMS: Final = {text: term for term, text in _TEXTS.items()}
_ODD: Final = {
    spec.Oddity.NULL: None,
    spec.Oddity.NEGATIVE: -1,
    spec.Oddity.FRACTION: 1.5,
    spec.Oddity.HUGE: 10**15,
    spec.Oddity.BROKEN: "half \ud800",
}
_CHOICES: Final = (_TEXTS[Term.OFF], _TEXTS[Term.PLAIN])
_PLACES: Final = {
    spec.Place.GLOBAL: core.Place.GLOBAL,
    spec.Place.PROJECT: core.Place.PROJECT,
    spec.Place.WITHHELD: core.Place.WITHHELD,
    spec.Place.AGENT: core.Place.PROFILE,
}
_PLACED: Final = {
    **{native: place for place, native in _PLACES.items()},
    core.Place.SETS: spec.Place.AGENT,
}
_BODIES: Final[dict[tuple[core.Command, ...], Lex]] = {
    (): Lex.EMPTY,
    (core.Run("x"),): Lex.NAME,
    (core.Set("x", "y//z"), core.Run("x")): Lex.BODY,
}
_BASES: Final = {
    "k": Base.LETTER,
    "escape": Base.ESCAPE,
    "pageup": Base.PAGE,
    "f12": Base.F12,
    "+": Base.PLUS,
}


def _id(cvar: int) -> str:
    return f"group.cvar{cvar}"


def _number(name: str) -> int:
    """Return the number at the end of a name."""
    return int("".join(one for one in name if one.isdigit()))


def _key(key: int) -> str:
    return chr(0x4E00 + key)


def _native(value: spec.Value) -> object:
    match value:
        case spec.Flag(on):
            return on
        case spec.Number(n):
            return n
        case spec.Word(term):
            return _TEXTS[term]
        case spec.Odd(oddity):
            return _ODD[oddity]
        case spec.Listing(items):
            return [_native(one) for one in items]
        case spec.Table(items):
            return {str(place): _native(one) for place, one in enumerate(items)}


def _scalar(value: object) -> spec.Scalar:
    match value:
        case bool():
            return spec.Flag(value)
        case int():
            return spec.Number(value)
        case _:
            return spec.Word(_TERMS[str(value)])


def _back(value: object) -> spec.Value:
    match value:
        case None:
            return spec.Odd(spec.Oddity.NULL)
        case list():
            return spec.Listing(tuple(_scalar(one) for one in value))
        case dict():
            return spec.Table(tuple(_scalar(one) for one in value.values()))
        case _:
            return _scalar(value)


def _any(value: object) -> spec.Value:
    """Return a stored value, also one of no type."""
    odd = [one for one, found in _ODD.items() if found == value and type(found) is type(value)]
    return spec.Odd(odd[0]) if odd else _back(value)


@cache
def _type(kind: spec.Kind, unset: bool = False) -> core.Type:
    choices = _CHOICES if kind is spec.Kind.ENUM else ()
    of = core.Kind.NAT if kind is spec.Kind.MAP else core.Kind.TEXT
    return core.Type(core.Kind[kind.name], choices, of, unset)


def _cvar(one: spec.Declaration) -> core.Cvar:
    scope, default = core.Scope[one.scope.name], _native(one.default)
    type_ = _type(one.kind, one.unset)
    return core.Cvar(_id(one.id), type_, scope, one.persist, one.replicate, default)


def _declaration(cvar: core.Cvar) -> spec.Declaration:
    kind, scope = spec.Kind[cvar.type.kind.name], spec.Scope[cvar.scope.name]
    number, unset, default = _number(cvar.id), cvar.type.unset, _back(cvar.default)
    return spec.Declaration(number, kind, unset, scope, cvar.persist, cvar.replicate, default)


def _sound(declarations: tuple[spec.Declaration, ...]) -> core.Registry:
    found = core.registry([_cvar(one) for one in declarations])
    return {} if isinstance(found, core.RegistryError) else found


def _entry(change: spec.Change, place: core.Place) -> core.Entry:
    match change:
        case spec.Put(cvar, value):
            return core.Entry(_id(cvar), _native(value), place)
        case spec.Flip(cvar):
            return core.Entry(_id(cvar), core.FLIP, place)


def _config(config: tuple[spec.Entry, ...]) -> list[core.Entry]:
    return [_entry(one.change, _PLACES[one.place]) for one in config]


def _agent(
    declarations: tuple[spec.Declaration, ...],
    config: tuple[spec.Entry, ...],
    family: tuple[spec.Member, ...],
) -> core.Agent:
    """Return the last agent of a family, each built on its parent's layers."""
    found = core.agent(core.over(core.base(_sound(declarations)), _config(config)), ())
    for member in family:
        profile = [_entry(change, core.Place.PROFILE) for change in member.profile]
        sets = [(_id(one.id), _native(one.value)) for one in member.sets]
        found = core.agent(core.over(found.cvars, profile), sets)
    return found


def _error(error: core.CvarError) -> spec.CvarError:
    return spec.CvarError(spec.ErrorKind[error.kind.name], _number(error.id))


def _command(command: spec.Command) -> core.Command:
    match command:
        case spec.Run(name):
            return core.Run(f"alias{name}")
        case Do(Act.SET, n):
            return core.Set(_id(n), _NASTY)
        case Do(Act.TOGGLE, n):
            return core.Toggle(_id(n))
        case Do(Act.ALIAS, n):
            return core.Alias(f"alias{n}", ())
        case Do(Act.BIND, n):
            return core.Bind(_key(n), ())
        case Do(_, n):
            return core.Action(f"app.action{n}")


def _commands(commands: tuple[spec.Command, ...]) -> tuple[core.Command, ...]:
    return tuple(_command(one) for one in commands)


def _command_back(command: core.Command) -> spec.Command:
    match command:
        case core.Run(name):
            return spec.Run(_number(name))
        case core.Set(name, word):
            return Do(Act.SET, _number(name) if word == _NASTY else -1)
        case core.Toggle(name):
            return Do(Act.TOGGLE, _number(name))
        case core.Alias(name, _):
            return Do(Act.ALIAS, _number(name))
        case core.Bind(key, _):
            return Do(Act.BIND, ord(key) - ord(_key(0)))
        case core.Action(name):
            return Do(Act.ACTION, _number(name))


def _line(line: tuple[spec.Command | spec.Broken, ...]) -> str:
    """Return a line of a cfg file, with a comment that must not count."""
    texts = (
        'set "x' if isinstance(one, spec.Broken) else core.text_of((_command(one),)) for one in line
    )
    return "; ".join(texts) + " // set; x"


def _plain(commands: tuple[core.Plain, ...]) -> tuple[Do, ...]:
    found = (_command_back(one) for one in commands)
    return tuple(one for one in found if isinstance(one, Do))


def _failure(failure: core.Failure) -> spec.Failure:
    known = failure.error is core.ExpandError.UNKNOWN
    name = _number(failure.name) if known else None
    return spec.Failure(spec.ExpandError[failure.error.name], name)


def _aliases(aliases: tuple[spec.Alias, ...]) -> core.Aliases:
    return {f"alias{one.name}": _commands(one.body) for one in aliases}


def _keyboard(rows: tuple[spec.Keys, ...]) -> dict[str, list[str]]:
    return {f"app.action{one.action}": [_key(key) for key in one.keys] for one in rows}


def _binds(binds: tuple[core.Bind, ...]) -> tuple[spec.Bind, ...]:
    return tuple(
        spec.Bind(ord(one.key) - ord(_key(0)), tuple(_command_back(each) for each in one.body))
        for one in binds
    )


class _Values:
    """The registry, the layers and the sets."""

    def has_type(self, kind: spec.Kind, value: spec.Value) -> bool:
        return core.holds(_type(kind), _native(value))

    def read_word(self, kind: spec.Kind, term: Term) -> spec.Value | None:
        found = core.accept(_type(kind), core.Word(_TEXTS[term]))
        return None if found is core.BAD else _back(found)

    def registry(
        self, declarations: tuple[spec.Declaration, ...]
    ) -> spec.Registry | spec.RegistryError:
        found = core.registry([_cvar(one) for one in declarations])
        if isinstance(found, core.RegistryError):
            return spec.RegistryError(spec.BadDeclaration[found.kind.name], _number(found.id))
        return spec.Registry(tuple(_declaration(one) for one in found.values()))

    def value(
        self,
        declarations: tuple[spec.Declaration, ...],
        config: tuple[spec.Entry, ...],
        family: tuple[spec.Member, ...],
        cvar: int,
    ) -> spec.Value | None:
        values = _agent(declarations, config, family).cvars.values
        return _back(values[_id(cvar)]) if _id(cvar) in values else None

    def refused(
        self,
        declarations: tuple[spec.Declaration, ...],
        config: tuple[spec.Entry, ...],
        family: tuple[spec.Member, ...],
    ) -> tuple[spec.CvarError, ...]:
        found = _agent(declarations, config, family).cvars.refused
        return tuple(_error(one.error) for one in found)

    def explain(
        self,
        declarations: tuple[spec.Declaration, ...],
        config: tuple[spec.Entry, ...],
        family: tuple[spec.Member, ...],
        cvar: int,
    ) -> tuple[spec.Step, ...]:
        return tuple(
            spec.Step(
                None if one.entry is None else _PLACED[one.entry.place],
                spec.Fate[one.fate.name],
                _back(one.value) if one.fate in (core.Fate.WINS, core.Fate.SHADOWED) else None,
            )
            for one in core.explain(_agent(declarations, config, family).cvars, _id(cvar))
        )

    def toggle(
        self,
        declarations: tuple[spec.Declaration, ...],
        config: tuple[spec.Entry, ...],
        family: tuple[spec.Member, ...],
        cvar: int,
    ) -> spec.Put | spec.CvarError:
        agent = _agent(declarations, config, family)
        done = core.execute(agent, {}, (core.Toggle(_id(cvar)),))
        for error in done.refused:
            return _error(error)
        return spec.Put(cvar, _back(done.agent.sets[_id(cvar)]))

    def toggle_global(
        self,
        declarations: tuple[spec.Declaration, ...],
        config: tuple[spec.Entry, ...],
        cvar: int,
    ) -> spec.Put | spec.CvarError:
        registry = _sound(declarations)
        found = core.global_change(registry, _config(config), _id(cvar), core.FLIP)
        if isinstance(found, core.CvarError):
            return _error(found)
        return spec.Put(cvar, _back(found))

    def run(
        self,
        declarations: tuple[spec.Declaration, ...],
        config: tuple[spec.Entry, ...],
        family: tuple[spec.Member, ...],
        agent: spec.Member,
        line: tuple[spec.Say | spec.Flip, ...],
    ) -> spec.Ran:
        commands = tuple(
            core.Toggle(_id(one.id))
            if isinstance(one, spec.Flip)
            else core.Set(_id(one.id), _TEXTS[one.term])
            for one in line
        )
        done = core.execute(_agent(declarations, config, (*family, agent)), {}, commands)
        sets = tuple(spec.Put(_number(name), _any(value)) for name, value in done.agent.stored)
        return spec.Ran(sets, tuple(_error(one) for one in done.refused))

    def written(
        self, declarations: tuple[spec.Declaration, ...], family: tuple[spec.Member, ...]
    ) -> tuple[spec.Put, ...]:
        agent, base = _agent(declarations, (), family), core.base(_sound(declarations))
        text = core.cfg_text(core.written(agent))
        read = core.load({}, core.parse_script(text).lines, core.Place.PROFILE, "cfg").entries
        values = core.over(base, read).values
        return tuple(spec.Put(_number(one.id), _back(values[one.id])) for one in read)

    def replicated(
        self,
        declarations: tuple[spec.Declaration, ...],
        config: tuple[spec.Entry, ...],
        family: tuple[spec.Member, ...],
    ) -> tuple[spec.Put, ...]:
        found = core.replicated(_agent(declarations, config, family).cvars)
        return tuple(spec.Put(_number(name), _back(value)) for name, value in found.items())


class _Core(_Values):
    """And the command language, aliases and binds."""

    def split(self, line: tuple[Sign, ...], cfg: bool) -> spec.Commands | spec.ParseError:
        found = core.split("".join([one.value for one in line]), cfg)
        if isinstance(found, core.ParseError):
            return spec.ParseError(spec.Fault[found.fault.name], found.column)
        return tuple(
            tuple(tuple(Sign(letter) for letter in word) for _, word in words) for words in found
        )

    def read_command(self, words: tuple[Lex, ...]) -> spec.Understood | spec.ParseError:
        texts = [core.quote(one.value) for one in words]
        found = core.parse_list(" ".join(texts))
        if isinstance(found, core.ParseError):
            starts = [
                1 + sum(len(text) + 1 for text in texts[:place]) for place in range(len(texts))
            ]
            return spec.ParseError(spec.Fault[found.fault.name], starts.index(found.column) + 1)
        (command,) = found
        match command:
            case core.Set(name, word):
                return spec.Understood(Lex.SET, (Lex(name), Lex(word)))
            case core.Toggle(name):
                return spec.Understood(Lex.TOGGLE, (Lex(name),))
            case core.Action(name):
                return spec.Understood(Lex.ACTION, (Lex(name),))
            case core.Alias(name, body):
                return spec.Understood(Lex.ALIAS, (Lex(name), _BODIES[body]))
            case core.Bind(name, body):
                return spec.Understood(Lex.BIND, (Lex(name), _BODIES[body]))
            case core.Run(name):
                return spec.Understood(Lex.NAME, (Lex(name),))

    def expand(
        self, aliases: tuple[spec.Alias, ...], commands: tuple[spec.Command, ...]
    ) -> tuple[Do, ...] | spec.Failure:
        return self.expand_within(aliases, commands, core.MOST)

    def expand_within(
        self, aliases: tuple[spec.Alias, ...], commands: tuple[spec.Command, ...], most: int
    ) -> tuple[Do, ...] | spec.Failure:
        found = core.expand(_aliases(aliases), _commands(commands), most)
        return _failure(found) if isinstance(found, core.Failure) else _plain(found)

    def load(
        self,
        aliases: tuple[spec.Alias, ...],
        lines: tuple[tuple[spec.Command | spec.Broken, ...], ...],
        place: spec.Place,
    ) -> spec.Loaded:
        script = core.parse_script("\n".join(_line(one) for one in lines))
        found = core.load(_aliases(aliases), script.lines, _PLACES[place], "cfg")
        entries = tuple(
            spec.Entry(
                spec.Flip(_number(one.id))
                if one.given is core.FLIP
                else spec.Put(_number(one.id), self._said(one.given)),
                _PLACED[one.place],
            )
            for one in found.entries
        )
        known = tuple(
            spec.Alias(_number(name), tuple(_command_back(one) for one in body))
            for name, body in found.aliases.items()
        )
        failed = tuple(spec.Failed(one.line, _failure(one.failure)) for one in found.failed)
        faulty = tuple(one.line for one in script.errors)
        return spec.Loaded(entries, known, failed, faulty, _plain(found.left))

    def _said(self, given: object) -> spec.Value:
        return _back(given.text if isinstance(given, core.Word) else given)

    def press(
        self, aliases: tuple[spec.Alias, ...], binds: tuple[spec.Bind, ...], key: int
    ) -> spec.Pressed | spec.Failure:
        table = core.bind_table(core.Bind(_key(one.key), _commands(one.commands)) for one in binds)
        found = core.press(_aliases(aliases), table, _key(key))
        if isinstance(found, core.Failure):
            return _failure(found)
        return spec.Pressed(_plain(found.session), _plain(found.client))

    def default_binds(self, defaults: tuple[spec.Keys, ...]) -> tuple[spec.Bind, ...]:
        return _binds(core.default_binds(_keyboard(defaults)))

    def import_binds(
        self, defaults: tuple[spec.Keys, ...], chosen: tuple[spec.Keys, ...]
    ) -> tuple[spec.Bind, ...]:
        return _binds(core.import_binds(_keyboard(defaults), _keyboard(chosen)))

    def chord(self, mods: tuple[Mod, ...], base: Base) -> spec.Chord | None:
        held = [one.value.upper() if place else one.value for place, one in enumerate(mods)]
        name = core.key_name("+".join([*held, base.value]))
        if name is None:
            return None
        found: dict[Mod, bool] = {}
        for mod in Mod:
            rest = name.removeprefix(f"{mod.value}+")
            found[mod], name = rest != name, rest
        return spec.Chord(
            found[Mod.CTRL], found[Mod.SHIFT], found[Mod.ALT], found[Mod.SUPER], _BASES[name]
        )


CORE = _Core()

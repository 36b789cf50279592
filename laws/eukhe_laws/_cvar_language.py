"""The laws of the command language (S4)."""

from __future__ import annotations

from typing import Annotated

from eukhe_laws._cvar import (
    SHAPES,
    Unquoted,
    quoted,
)
from eukhe_laws._cvar_subject import Cvars, Words
from eukhe_laws.engine.domain import Among, Scope, Sized
from eukhe_laws.engine.law import law
from eukhe_spec.cvar import (
    Fault,
    Lex,
    ParseError,
    Sign,
    Text,
    Understood,
)

AREA = "cvar"


@law(section="S4", scope=Scope(size=4), wide=Scope(size=10), ours=True)
def line_splits(S: Cvars, line: tuple[Unquoted, ...], cfg: bool) -> bool:
    """A line without quotes is cut at `;` into commands and at spaces into words; in a cfg file `//` ends it."""
    text = "".join(one.value for one in line)
    kept = text.partition("//")[0] if cfg else text
    commands = [one.split() for one in kept.split(";")]
    read = tuple(tuple(tuple(map(Sign, word)) for word in one) for one in commands if one)
    return S.split(line, cfg) == read


@law(
    section="S4",
    scope=Scope(size=2, over=(("rest", Scope(size=1)),)),
    wide=Scope(size=4),
    ours=True,
)
def line_quotes_keep(S: Cvars, word: Text, rest: tuple[Text, ...], tight: bool, cfg: bool) -> bool:
    """A word in quotes keeps its spaces and its `;`, and an escaped quote, backslash or line end is itself."""
    end = (Sign.SEMICOLON,) if tight else (Sign.SPACE, Sign.SEMICOLON, Sign.BREAK)
    spaced = [sign for one in (word, *rest) for sign in (*quoted(one), Sign.SPACE)][:-1]
    return S.split((*spaced, *end, *spaced), cfg) == ((word, *rest), (word, *rest))


@law(section="S4", scope=Scope(size=2), wide=Scope(size=5), ours=True)
def line_escape_kept(S: Cvars, before: tuple[Unquoted, ...], sign: Unquoted, cfg: bool) -> bool:
    """In quotes a backslash before any other character stays, with the character."""
    kept = [one for one in before if one is not Sign.BACKSLASH]
    given = (Sign.BACKSLASH, sign)
    meant = {Sign.EN: (Sign.BREAK,), Sign.BACKSLASH: (Sign.BACKSLASH,)}.get(sign, given)
    return S.split((Sign.QUOTE, *kept, *given, Sign.QUOTE), cfg) == (((*kept, *meant),),)


@law(section="S4", scope=Scope(size=2), wide=Scope(size=4), ours=True)
def line_faults_placed(
    S: Cvars,
    lead: Annotated[tuple[Annotated[Sign, Among((Sign.SPACE, Sign.SEMICOLON))], ...], Sized(0, 2)],
    word: tuple[Sign, ...],
    fault: Fault,
    cfg: bool,
) -> bool:
    """A quote that never closes, a quote inside a word and a word behind a quote are named with their place."""
    inner = quoted(word)
    match fault:
        case Fault.OPEN_QUOTE:
            line, place = (*lead, *inner[:-1]), len(lead)
        case Fault.QUOTE_IN_WORD:
            line, place = (*lead, Sign.LETTER, *inner), len(lead) + 1
        case _:
            line, place = (*lead, *inner, Sign.LETTER), len(lead) + len(inner)
    kind = Fault.OPEN_QUOTE if fault is Fault.OPEN_QUOTE else Fault.QUOTE_IN_WORD
    return S.split(line, cfg) == ParseError(kind, place + 1)


@law(section="S4", ours=True)
def command_reads(S: Cvars, words: Words) -> bool:
    """A command has its number of words, an alias a free name, a bind a key, and both a list that reads."""
    verb, size = words[0], len(words) - 1
    bad = (*SHAPES, Lex.BROKEN)
    if verb not in SHAPES:
        lone = Understood(Lex.NAME, (verb,))
        return S.read_command(words) == (ParseError(Fault.ARGUMENTS, 1) if size else lone)
    if size != SHAPES[verb]:
        return S.read_command(words) == ParseError(Fault.ARGUMENTS, 1)
    if verb is Lex.ALIAS and (words[1] in SHAPES or words[1] is Lex.EMPTY):
        return S.read_command(words) == ParseError(Fault.NAME, 2)
    if verb is Lex.BIND and words[1] is not Lex.NAME:
        return S.read_command(words) == ParseError(Fault.KEY, 2)
    if verb in (Lex.ALIAS, Lex.BIND) and words[2] in bad:
        return S.read_command(words) == ParseError(Fault.ARGUMENTS, 3)
    return S.read_command(words) == Understood(verb, words[1:])

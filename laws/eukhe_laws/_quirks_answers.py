"""The laws of `quirks` about what a query answers (S6.1, S6.2, S6.7)."""

from __future__ import annotations

from typing import Annotated

from eukhe_laws._quirks import (
    DECLARED,
    MODEL,
    Ask,
    Bit,
    Flagged,
    Line,
    applies,
    book_of,
    clash_free,
    flags,
    for_capabilities,
    good,
    named,
    one_rule,
    targets_of,
    text,
    value_of,
)
from eukhe_laws._quirks_subject import CORE, SPEC, Quirks
from eukhe_laws.engine.domain import Among, Range, Scope
from eukhe_laws.engine.law import law
from eukhe_spec import quirks_types as s

__all__ = ["AREA", "CORE", "SPEC"]

AREA = "quirks"

_PAIRS = Scope(nat=2, size=2)
_FEW = Scope(nat=2, size=4)
#: Two rules with nothing before or between them; the sampler puts some there.
_TWO = Scope(nat=2, size=2, over=(("before", Scope(size=0)), ("between", Scope(size=0))))


def _asked(S: Quirks, lines: tuple[Line, ...], ask: Ask) -> s.Answer:
    return S.lookup(book_of(lines), targets_of(ask), s.Directive.SUPPORTS_STORE)


def _value(answer: s.Answer) -> s.Plain | None:
    return answer.value if isinstance(answer, s.Known) else None


@law(
    section="S6",
    scope=_PAIRS,
    wide=_FEW,
    given=lambda S, lines, ask: not any(applies(one, ask) for one in lines) and clash_free(lines),
)
def quirk_unknown_when_none(S: Quirks, lines: tuple[Line, ...], ask: Ask) -> bool:
    """With no rule that applies, the answer is Unknown (S6.1)."""
    return _asked(S, lines, ask) == s.Unknown()


@law(
    section="S6",
    scope=_PAIRS,
    wide=_FEW,
    given=lambda S, lines, ask: any(applies(one, ask) for one in lines) and clash_free(lines),
)
def quirk_known_when_some(S: Quirks, lines: tuple[Line, ...], ask: Ask) -> bool:
    """A rule that applies always gives an answer (S6.1)."""
    return isinstance(_asked(S, lines, ask), s.Known)


@law(
    section="S6",
    scope=_PAIRS,
    wide=_FEW,
    given=lambda S, lines, ask: any(applies(one, ask) for one in lines) and clash_free(lines),
    reach={
        "two layers": lambda S, lines, ask: (
            len({one.layer for one in lines if applies(one, ask)}) == 2
        )
    },
)
def quirk_highest_wins(S: Quirks, lines: tuple[Line, ...], ask: Ask) -> bool:
    """In a rulebook that compiles, the rule of the highest layer that applies gives the answer (S6.1)."""
    highest = max([one for one in lines if applies(one, ask)], key=lambda one: one.layer)
    return _value(_asked(S, lines, ask)) == value_of(highest)


@law(
    section="S6",
    scope=_TWO,
    wide=Scope(nat=2, size=2),
    given=lambda S, one, two, before, between, ask: clash_free(
        flags((*before, one, *between, two))
    ),
    reach={
        "both apply": lambda S, one, two, before, between, ask: all(
            applies(each, ask) for each in flags((one, two))
        )
    },
)
def quirk_order_free(
    S: Quirks,
    one: Flagged,
    two: Flagged,
    before: tuple[Flagged, ...],
    between: tuple[Flagged, ...],
    ask: Ask,
) -> bool:
    """In a rulebook that compiles, the order of two rules changes no answer (S6.1)."""
    given = _asked(S, flags((*before, one, *between, two)), ask)
    return _value(given) == _value(_asked(S, flags((*before, two, *between, one)), ask))


@law(
    section="S6.1",
    scope=_PAIRS,
    wide=_FEW,
    given=lambda S, lines, ask: any(applies(one, ask) for one in lines) and clash_free(lines),
    ours=True,
)
def quirk_answer_names_rule(S: Quirks, lines: tuple[Line, ...], ask: Ask) -> bool:
    """An answer names its layer and the first rule of that layer that gave it (S6.1)."""
    layer = max(one.layer for one in lines if applies(one, ask))
    first = next(n for n, one in enumerate(lines) if one.layer == layer and applies(one, ask))
    return _asked(S, lines, ask) == s.Known(value_of(lines[first]), layer, first)


@law(section="S6.7", ours=True)
def quirk_capabilities_from_their_host(
    S: Quirks,
    directive: Annotated[int, Range(0, 45)],
    holder: Bit,
    host: Bit | None,
    capability_host: Bit | None,
) -> bool:
    """The operations and `prompt_progress` come from the capability host, all else from the host (S6.7)."""
    if directive == len(s.Directive):
        book = DECLARED
    else:
        book = one_rule(s.Layer.HOST, named(holder), directive, good(directive))
    ids = [None if one is None else named(one) for one in (host, capability_host)]
    at = s.Targets(None, MODEL.id, ids[0], ids[1], ())
    asked = capability_host if for_capabilities(directive) else host
    given = book.rules != () and asked == holder
    answer = s.Known(good(directive), s.Layer.HOST, 0) if given else s.Unknown()
    return S.lookup(book, at, directive) == answer


@law(section="S6.2", scope=_PAIRS, wide=Scope(nat=2, size=3), ours=True)
def quirk_value_by_id(
    S: Quirks,
    ids: tuple[Annotated[str, Among(("", "a", "ab", "b"))], ...],
    model: Annotated[str, Among(("", "a", "ab", "abc", "b", "ca"))],
    layer: s.Layer,
) -> bool:
    """A value by model id is the first one exactly for the ids that start with one of its prefixes (S6.2)."""
    value = s.Split(tuple([text(one) for one in ids]), s.Count(1), s.Count(2))
    target = text(model) if layer is s.Layer.MODEL else named(0)
    book = one_rule(layer, target, s.Directive.STRICT_CAP, value)
    answer = S.lookup(
        book, s.Targets(named(0), text(model), named(0), None, ()), s.Directive.STRICT_CAP
    )
    return _value(answer) == s.Count(1 if model.startswith(tuple(ids)) else 2)


_VALUES = (s.Null(), s.Flag(False), s.Flag(True), s.Count(0), s.Word(1))


@law(section="S6.1", ours=True)
def quirk_explicit_wins(
    S: Quirks,
    explicit: Annotated[s.Value | None, Among((None, *_VALUES))],
    value: Annotated[s.Plain | None, Among((None, *_VALUES[1:]))],
    default: Annotated[s.Value, Among(_VALUES)],
) -> bool:
    """An explicit `compat` wins over the rulebook, and the rulebook over the wire API's own default (S6.1)."""
    answer = s.Unknown() if value is None else s.Known(value, s.Layer.HOST, 0)
    wanted = [one for one in (explicit, value, default) if one is not None]
    return S.setting(explicit, answer, default) == wanted[0]

"""The same reading of a type as a Hypothesis strategy."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from eukhe_laws.engine.domain import Domain, One, Prod, Seq, Sum

__all__ = ["TEXT", "strategy"]

#: The longest string that is drawn.
TEXT = 40


def _scalar(node: One) -> SearchStrategy[Any]:
    if node.kind == "str":
        # Any character, lone surrogates too: a string of a JSON document may hold them.
        free = st.text(st.characters(), max_size=TEXT)
        return st.one_of(st.sampled_from(node.values), free) if node.values else free
    return st.sampled_from(node.values)


def strategy(domain: Domain) -> SearchStrategy[Any]:
    """Return the strategy of a domain: ints and lengths within its scope, strings of any content.

    Args:
        domain: The type, read within a scope.
    """
    match domain.node:
        case One() as node:
            return _scalar(node)
        case Sum(parts=parts):
            return st.one_of(*(strategy(part) for part in parts))
        case Prod(make=make, parts=parts):
            return st.tuples(*(strategy(part) for part in parts)).map(lambda items: make(*items))
        case Seq(part=part, lo=lo, hi=hi):
            return st.lists(strategy(part), min_size=lo, max_size=hi).map(tuple)

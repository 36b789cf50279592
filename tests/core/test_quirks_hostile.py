"""Hostile values for the quirks rulebook: none raises, none hangs."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from eukhe.core import quirks_directives as directives
from eukhe.core.quirks import (
    cache_write_1h_multiplier,
    capability,
    provider_default,
    query,
    service_tier_multiplier,
    service_tiers,
    targets,
    thinking_budget,
)
from eukhe.core.quirks_compile import compile_rulebook
from eukhe.core.quirks_directives import Budgets, Capability
from eukhe.core.quirks_targets import in_range, range_of, revision_of
from eukhe.core.quirks_types import (
    UNKNOWN,
    Book,
    CacheWritePrice,
    Family,
    Host,
    Layer,
    ModelKey,
    Refused,
    Rule,
    Scope,
    ServiceTier,
    ServiceTierPrice,
    Unsupported,
)

_WORDS = st.one_of(
    st.text(max_size=6),
    st.sampled_from(
        [
            "",
            "\ud800",
            "\u2028",
            "\u0130",
            "é" * 300,
            "qwen3.8-27b",
            "[[a]",
            "(?i)x",
            "x(?i)",
            "\\",
            "0" * 5000,
        ]
    ),
)
_NAMES = st.one_of(_WORDS, st.sampled_from(sorted(directives.DIRECTIVES)))
_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), _WORDS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(_WORDS, inner, max_size=3),
        st.fixed_dictionaries({"ids": inner, "then": inner, "else": inner}),
        st.fixed_dictionaries({"minimal": inner, "low": inner, "medium": inner, "high": inner}),
    ),
    max_leaves=6,
)
_TEXTS = st.lists(_WORDS, max_size=3).map(tuple)
_BOOKS = st.builds(
    Book,
    st.lists(
        st.builds(Family, _WORDS, _WORDS, st.booleans(), st.none() | _WORDS, _WORDS, _WORDS),
        max_size=3,
    ).map(tuple),
    st.lists(
        st.builds(Host, _WORDS, st.sampled_from(Scope), _TEXTS, _TEXTS, _TEXTS), max_size=3
    ).map(tuple),
    st.lists(
        st.builds(Rule, st.sampled_from(Layer), _WORDS, st.dictionaries(_NAMES, _JSON, max_size=3)),
        max_size=3,
    ).map(tuple),
    st.lists(st.builds(ServiceTier, _WORDS, _WORDS, _TEXTS, st.none() | _WORDS), max_size=2).map(
        tuple
    ),
    st.lists(
        st.builds(ServiceTierPrice, _WORDS, _WORDS, _TEXTS, st.floats(), st.none() | _WORDS),
        max_size=2,
    ).map(tuple),
    st.lists(st.builds(CacheWritePrice, _WORDS, st.floats()), max_size=2).map(tuple),
    st.dictionaries(_WORDS, _WORDS, max_size=2),
)
_KEYS = st.builds(ModelKey, _WORDS, _WORDS, _WORDS, _WORDS, _WORDS)


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(_BOOKS, _KEYS, _NAMES)
@example(Book(families=(Family("a", "(" * 5000),)), ModelKey(""), "")
@example(Book(families=(Family("a", "[[x]"),)), ModelKey("a"), "")
def test_any_rulebook_compiles_or_is_refused_and_any_model_can_be_asked(
    book: Book, model: ModelKey, name: str
) -> None:
    compiled = compile_rulebook(book, {"embed": ("", "\ud800")})
    if isinstance(compiled, Refused):
        assert compiled.refusals
        return
    at = targets(compiled, model)
    assert (at.family is None) or not at.overlap
    known = compiled.facts(model).answers
    for directive in directives.DIRECTIVES.values():
        assert query(compiled, model, directive) == known.get(directive.name, UNKNOWN)
    for operation in Capability:
        assert isinstance(capability(compiled, model, operation), str | Unsupported)
    assert service_tiers(compiled, model)[0] == "default"
    assert service_tier_multiplier(compiled, model, name) >= 0
    cache_write_1h_multiplier(compiled, model.id)
    provider_default(compiled, model.provider)


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(_WORDS, _WORDS, _WORDS)
def test_any_text_gives_a_revision_and_a_range_or_none(prefix: str, name: str, text: str) -> None:
    revision = revision_of(prefix, name + text)
    assert all(0 <= number < 256 for number in revision)
    bounds = range_of(text)
    assert bounds is None or in_range(bounds, revision) in (True, False)


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(
    st.one_of(st.sampled_from(directives.LEVELS), _WORDS),
    st.dictionaries(_NAMES | st.sampled_from(directives.LEVELS), st.integers(), max_size=4),
    st.none() | st.builds(Budgets, *[st.integers()] * 4),
)
def test_any_budgets_give_tokens_or_none(
    level: str, user: dict[str, int], rule: Budgets | None
) -> None:
    found = thinking_budget(level, user, rule, None)
    assert found is None or isinstance(found, int)
    assert (found is None) == (level not in directives.LEVELS[1:])

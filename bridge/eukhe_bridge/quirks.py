"""The bridge of the quirks rulebook: the core under the spec's signatures, and generated rulebooks through both.

The scenarios are in `quirks_scenarios`, the rules that they reach in `quirks_rules`, the words of the two sides in
`quirks_words`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from eukhe.core import quirks as core
from eukhe.core import quirks_compile, quirks_targets
from eukhe.core import quirks_directives as directives
from eukhe.core import quirks_types as words
from eukhe_bridge.kit import Bridge
from eukhe_bridge.quirks_rules import RULES, reached
from eukhe_bridge.quirks_scenarios import OPERATIONS, Budget, Scenario, scenarios
from eukhe_bridge.quirks_words import (
    back_directive,
    back_refusal,
    back_text,
    back_value,
    back_word,
    book_of,
    budgets_of,
    dialects_of,
    directive_name,
    key_of,
    level_name,
    maybe_text,
    range_text,
    targets_of,
    text_of,
    tier_name,
    user_of,
    value_of,
    word_name,
)
from eukhe_spec import quirks as spec
from eukhe_spec import quirks_types as s

__all__ = ["BRIDGE", "CORE"]


def _compiled(book: s.Book) -> core.Rulebook | words.Refused:
    return quirks_compile.compile_rulebook(book_of(book), dialects_of(book.dialects))


class _Core:
    """The core under the spec's signatures; a rulebook is compiled for every call."""

    def _rulebook(self, book: s.Book) -> core.Rulebook | None:
        """Return the compiled rulebook; there is none to ask when it is refused."""
        compiled = _compiled(book)
        return None if isinstance(compiled, words.Refused) else compiled

    def refusals(self, book: s.Book) -> tuple[s.Refusal, ...]:
        compiled = _compiled(book)
        if not isinstance(compiled, words.Refused):
            return ()
        return tuple(map(back_refusal, compiled.refusals))

    def revision(self, prefix: s.Text, name: s.Text) -> s.Revision:
        return quirks_targets.revision_of(text_of(prefix), text_of(name))

    def in_range(self, bounds: tuple[s.Bound, ...], given: s.Revision) -> bool:
        found = quirks_targets.range_of(range_text(bounds))
        return found is not None and quirks_targets.in_range(found, given)

    def targets(self, book: s.Book, model: s.Model) -> s.Targets:
        rulebook = self._rulebook(book)
        if rulebook is None:
            return s.Targets(None, model.id, None, None, ())
        at = core.targets(rulebook, key_of(model))
        overlap = tuple(tuple(map(ord, one)) for one in at.overlap)
        hosts = (back_text(at.host), back_text(at.capability_host))
        return s.Targets(back_text(at.family), tuple(map(ord, at.model)), *hosts, overlap)

    def lookup(self, book: s.Book, at: s.Targets, directive: int) -> s.Answer:
        rulebook = self._rulebook(book)
        known = core.answers(rulebook.rules, targets_of(at)) if rulebook is not None else {}
        answer = known.get(directive_name(directive))
        if answer is None:
            return s.Unknown()
        return s.Known(back_value(directive, answer.value), s.Layer(answer.layer), answer.rule)

    def setting(self, explicit: s.Value | None, answer: s.Answer, default: s.Value) -> s.Value:
        native: words.Known[str] | words.Unknown = words.UNKNOWN
        if isinstance(answer, s.Known):
            native = words.Known("the answer", words.Layer(answer.layer), "", answer.rule)
        given = core.setting(explicit, native, default)
        if isinstance(given, str):
            return answer.value if isinstance(answer, s.Known) else s.Null()
        return given

    def capability(
        self, book: s.Book, model: s.Model, directive: int
    ) -> s.Supported | s.Unsupported:
        rulebook = self._rulebook(book)
        name = directive_name(directive)
        if rulebook is None or name not in set(directives.Capability):
            return s.Unsupported(directive, model.provider)
        match core.capability(rulebook, key_of(model), directives.Capability(name)):
            case words.Unsupported(capability=capability, provider=provider):
                number = int(provider.rpartition("-")[2])
                return s.Unsupported(back_directive(capability), number)
            case dialect:
                return s.Supported(back_word(directive, dialect))

    def service_tiers(self, book: s.Book, model: s.Model) -> s.Tiers:
        rulebook = self._rulebook(book)
        names = (
            core.service_tiers(rulebook, key_of(model)) if rulebook is not None else ("default",)
        )
        return s.Tiers(
            tuple(0 if one == "default" else int(one.rpartition("-")[2]) for one in names)
        )

    def tier_multiplier(self, book: s.Book, model: s.Model, tier: int) -> int:
        rulebook = self._rulebook(book)
        if rulebook is None:
            return 1
        return int(core.service_tier_multiplier(rulebook, key_of(model), tier_name(tier)))

    def cache_write_1h(self, book: s.Book, model: s.Text) -> int | None:
        rulebook = self._rulebook(book)
        if rulebook is None:
            return None
        found = core.cache_write_1h_multiplier(rulebook, text_of(model))
        return None if found is None else int(found)

    def provider_default(self, book: s.Book, provider: int) -> s.Text | None:
        rulebook = self._rulebook(book)
        if rulebook is None:
            return None
        return back_text(core.provider_default(rulebook, f"provider-{provider}"))

    def thinking_budget(
        self,
        level: int,
        user: s.UserBudgets,
        rule: s.Budgets | None,
        otherwise: s.Budgets | None,
    ) -> int | None:
        return core.thinking_budget(
            level_name(level), user_of(user), budgets_of(rule), budgets_of(otherwise)
        )


CORE = _Core()


# Transcripts: the core's words, printed alike on both sides.


def _shown(value: object) -> str:
    plain = dict(value) if isinstance(value, Mapping) else value
    if isinstance(plain, directives.Budgets):
        plain = plain._asdict()
    return json.dumps(plain, sort_keys=True)


def _spec_book(book: s.Book, scenario: Scenario) -> Iterator[str]:
    faults = spec.refusals(book)
    for fault in faults:
        layer = "-" if fault.layer is None else fault.layer.name
        directive = "-" if fault.directive is None else directive_name(fault.directive)
        row = f"{fault.table.name} {fault.row} {layer}"
        yield f"refused {fault.why.name} {row} {text_of(fault.target)!r} {directive}"
    if faults:
        return
    for model in scenario.models:
        at = spec.targets(book, model)
        yield f"model {key_of(model)}"
        yield f"targets {targets_of(at)}"
        for number in scenario.asked:
            answer = spec.lookup(book, at, number)
            yield f"  {directive_name(number)} {_spec_answer(book, number, answer)}"
        for number in OPERATIONS:
            match spec.capability(book, model, number):
                case s.Supported(word=word):
                    yield f"  {directive_name(number)} speaks {word_name(number, word)}"
                case s.Unsupported(capability=capability, provider=provider):
                    yield f"  {directive_name(capability)} unsupported by provider-{provider}"
        yield f"  tiers {[tier_name(one) for one in spec.service_tiers(book, model).tiers]}"
        costs = [spec.tier_multiplier(book, model, tier) for tier in range(4)]
        yield f"  multipliers {[float(one) for one in costs]}"
        write = spec.cache_write_1h(book, model.id)
        yield f"  1h cache writes {None if write is None else float(write)}"
        yield f"  default {maybe_text(spec.provider_default(book, model.provider))}"
    for at in scenario.queries:
        yield f"query {targets_of(at)}"
        for number in scenario.asked:
            yield f"  {directive_name(number)} {_spec_answer(book, number, spec.lookup(book, at, number))}"


def _spec_answer(book: s.Book, directive: int, answer: s.Answer) -> str:
    if isinstance(answer, s.Unknown):
        return "Unknown"
    target = text_of(book.rules[answer.rule].target)
    return f"{_shown(value_of(directive, answer.value))} by {answer.layer.name} {target!r} rule {answer.rule}"


def _core_answer(answer: words.Known[directives.Value] | None) -> str:
    if answer is None:
        return "Unknown"
    by = f"{answer.layer.name} {answer.target!r} rule {answer.rule}"
    return f"{_shown(answer.value)} by {by}"


def _core_query(rulebook: core.Rulebook, key: words.ModelKey, name: str) -> str:
    directive = directives.DIRECTIVES.get(name)
    answer = words.UNKNOWN if directive is None else core.query(rulebook, key, directive)
    return _core_answer(None if answer is words.UNKNOWN else answer)


def _core_book(book: s.Book, scenario: Scenario) -> Iterator[str]:
    rulebook = _compiled(book)
    if isinstance(rulebook, words.Refused):
        for fault in rulebook.refusals:
            layer = "-" if fault.layer is None else fault.layer.name
            row = f"{fault.table.name} {fault.row} {layer}"
            yield f"refused {fault.why.name} {row} {fault.target!r} {fault.directive or '-'}"
        return
    for model in scenario.models:
        key = key_of(model)
        yield f"model {key}"
        yield f"targets {core.targets(rulebook, key)}"
        for number in scenario.asked:
            yield f"  {directive_name(number)} {_core_query(rulebook, key, directive_name(number))}"
        for number in OPERATIONS:
            operation = directives.Capability(directive_name(number))
            match core.capability(rulebook, key, operation):
                case words.Unsupported(capability=capability, provider=provider):
                    yield f"  {capability} unsupported by {provider}"
                case dialect:
                    yield f"  {operation} speaks {dialect}"
        yield f"  tiers {list(core.service_tiers(rulebook, key))}"
        costs = [core.service_tier_multiplier(rulebook, key, tier_name(tier)) for tier in range(4)]
        yield f"  multipliers {[float(one) for one in costs]}"
        yield f"  1h cache writes {core.cache_write_1h_multiplier(rulebook, key.id)}"
        yield f"  default {core.provider_default(rulebook, key.provider)}"
    for query in scenario.queries:
        known = core.answers(rulebook.rules, targets_of(query))
        yield f"query {targets_of(query)}"
        for number in scenario.asked:
            yield f"  {directive_name(number)} {_core_answer(known.get(directive_name(number)))}"


def _spec_budget(one: Budget) -> str:
    return str(spec.thinking_budget(one.level, one.user, one.rule, one.otherwise))


def _core_budget(one: Budget) -> str:
    return str(CORE.thinking_budget(one.level, one.user, one.rule, one.otherwise))


def _run_spec(scenario: Scenario) -> str:
    lines = [*_spec_book(scenario.book, scenario), "swapped", *_spec_book(scenario.other, scenario)]
    for prefix, name in scenario.names:
        lines.append(f"revision {text_of(name)!r} {spec.revision(prefix, name)}")
    for bounds, given in scenario.ranges:
        lines.append(f"range {range_text(bounds)} {given} {spec.in_range(bounds, given)}")
    lines += [f"budget {one} {_spec_budget(one)}" for one in scenario.budgets]
    return "\n".join(lines) + "\n"


def _run_core(scenario: Scenario) -> str:
    lines = [*_core_book(scenario.book, scenario), "swapped", *_core_book(scenario.other, scenario)]
    for prefix, name in scenario.names:
        found = quirks_targets.revision_of(text_of(prefix), text_of(name))
        lines.append(f"revision {text_of(name)!r} {found}")
    for bounds, given in scenario.ranges:
        lines.append(f"range {range_text(bounds)} {given} {CORE.in_range(bounds, given)}")
    lines += [f"budget {one} {_core_budget(one)}" for one in scenario.budgets]
    return "\n".join(lines) + "\n"


BRIDGE = Bridge("quirks", RULES, scenarios, _run_spec, _run_core, reached)

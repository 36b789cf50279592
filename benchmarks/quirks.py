"""What the quirks rulebook costs: a query after compilation, and compiling 300 rules, each against its bar."""

from __future__ import annotations

import re
import time

from benchmarks.common import Line, at_most, in_turns, show
from eukhe.core import quirks_directives as directives
from eukhe.core.quirks import Rulebook, query, targets
from eukhe.core.quirks_compile import compile_rulebook
from eukhe.core.quirks_types import Book, Family, Host, Layer, ModelKey, Rule

NAME = "quirks rulebook"
ROUNDS = 7
QUERIES = 100_000
RULES = 300
QUERY_BAR = 2e-6
COMPILE_BAR = 50e-3


def _book() -> Book:
    """Twenty families, thirty hosts and 300 rules with three directives each."""
    families = tuple(
        Family(f"family-{n}", rf"(?:^|/)line{n}(?:-|\.|$)", prefix=f"line{n}", revision=">=0")
        for n in range(20)
    )
    hosts = tuple(
        Host(f"host-{n}", providers=(f"provider-{n}",), fragments=(f"host{n}.example",))
        for n in range(30)
    )
    owners = [(Layer.FAMILY, one.id) for one in families] + [(Layer.HOST, one.id) for one in hosts]
    owners += [(Layer.MODEL, f"model-{n}") for n in range(RULES - len(owners))]
    three: dict[str, object] = {
        "supports_store": False,
        "strict_cap": 20,
        "thinking_ladder": {"off": "none", "minimal": None},
    }
    return Book(families, hosts, tuple(Rule(*owner, three) for owner in owners))


def _rulebook(book: Book) -> Rulebook:
    compiled = compile_rulebook(book, {})
    if not isinstance(compiled, Rulebook):
        raise TypeError(f"the benchmark's rulebook does not compile: {compiled}")
    return compiled


def run() -> list[Line]:
    book = _book()
    rulebook = _rulebook(book)
    models = [
        ModelKey(f"line{n}-{n}.5", "", "openai-completions", f"provider-{n}", "https://a.example")
        for n in range(20)
    ]

    def ask() -> None:
        for model in models * (QUERIES // len(models)):
            query(rulebook, model, directives.STRICT_CAP)

    def cold() -> None:
        re.purge()
        _rulebook(book)

    asked, compiled = in_turns([ask, cold], ROUNDS)
    each, whole = min(asked) / QUERIES, min(compiled)
    start = time.perf_counter()
    for number in range(1000):
        targets(rulebook, ModelKey(f"line3-{number}", base_url="https://host7.example"))
    first = (time.perf_counter() - start) / 1000
    return [
        Line(
            "a query after compilation / 2 µs",
            each / QUERY_BAR,
            at_most(1),
            f"{each * 1e6:.2f} µs; {first * 1e6:.0f} µs for the first query of a model",
        ),
        Line(
            "compilation of 300 rules / 50 ms",
            whole / COMPILE_BAR,
            at_most(1),
            f"{whole * 1e3:.1f} ms with the patterns compiled anew",
        ),
    ]


if __name__ == "__main__":
    show(NAME, run())

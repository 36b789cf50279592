"""Mutants: what is edited, how it is swapped in, and who notices."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from eukhe_laws.engine.children import command, environment
from eukhe_laws.engine.mutants import MutantsError, measure
from eukhe_laws.engine.mutation import Mutant, Place, mutants_of
from eukhe_laws.engine.rooms import Rooms
from eukhe_laws.engine.teeth import Fate, Teeth
from eukhe_laws.report.teeth import data, rate, summary, text

TOY = "tests.engine.toy"
ROOMS = Rooms.of(f"{TOY}.laws")


def changes(source: str) -> list[str]:
    return [one.change for one in mutants_of("m", source)]


def edited(source: str, change: str) -> str:
    (found,) = [one for one in mutants_of("m", source) if one.change == change]
    return found.apply(source)


@pytest.mark.parametrize(
    ("body", "change", "expected"),
    [
        ("return a < b", "< becomes <=", "return a <= b"),
        ("return a < b", "< becomes >=", "return a >= b"),
        ("return a == b", "== becomes !=", "return a != b"),
        ("return a in b", "in becomes not in", "return a not in b"),
        ("return a in (1, b)", "1 dropped", "return a in (b,)"),
        ("return a + 1", "1 becomes 2", "return a + 2"),
        ("return a + b", "+ becomes -", "return a - b"),
        ("return a - b", "- b dropped", "return a"),
        ("return (a or b) and c", "clause c dropped", "return (a or b)"),
        ("return a and b", "and becomes or", "return (a or b)"),
        ("return not a", "not dropped", "return a"),
        ("return f(a, b)", "arguments 1 and 2 of f swapped", "return f(b, a)"),
        ("return f(x=a, y=b)", "arguments x and y of f swapped", "return f(x=b, y=a)"),
        ("return replace(a, x=1)", "x of replace dropped", "return replace(a)"),
        ("return min(a, b)", "min becomes max", "return max(a, b)"),
        ("return any(a)", "any becomes all", "return all(a)"),
        ("return range(a)", "range one longer", "return range(a + 1)"),
        ("return a[b:]", "slice bound one higher", "return a[b + 1:]"),
        ("return a if b else c", "if b becomes False", "return a if False else c"),
        ("if a: return b", "if a becomes True", "if True: return b"),
        ("return [x for x in a if b]", "filter b becomes True", "return [x for x in a if True]"),
        ("a.append(b)", "a.append(b) dropped", "pass"),
        ("a += b", "+= becomes -=", "a -= b"),
        ("return 'word'", "'word' becomes 'word~'", "return 'word~'"),
        ("return a is True", "True becomes False", "return a is False"),
    ],
)
def test_an_edit_changes_exactly_what_it_says(body: str, change: str, expected: str) -> None:
    head = "def g(a, b, c):\n    "
    assert edited(head + body, change) == head + expected


def test_a_case_and_its_guard_can_be_lost() -> None:
    source = (
        "def g(a):\n  match a:\n    case 1 if a:\n      return 2\n    case _:\n      return 3\n"
    )
    assert "case _ if False:" in edited(source, "case _ dropped")
    assert "case 1 if True:" in edited(source, "the guard of case 1 becomes True")


def test_a_case_that_does_nothing_is_not_dropped_and_no_swap_is_made_that_a_type_checker_refuses() -> (
    None
):
    source = (
        "def f(a: int, b: str, *, c: int = x, d: int = x): ...\n"
        "class P:\n    a: int\n    b: str\n    c: str\n"
        "def g(a, b):\n    match a:\n        case A():\n            pass\n"
        "    return f(a, b, c=a, d=b), P(a, b, c), P(b=a, a=b), q(a, b)\n"
    )
    assert [one for one in changes(source) if "swapped" in one or "case" in one] == [
        "arguments c and d of f swapped",
        "arguments 2 and 3 of P swapped",
        "arguments 1 and 2 of q swapped",
    ]


def test_tables_and_defaults_are_edited_but_types_and_words_for_people_are_not() -> None:
    source = (
        "CAP = 3\nORDER = (A, B)\nEither = A | B | None\nMany = tuple[int, 3]\n"
        'Name = NewType("Name", int)\n__all__ = ["CAP"]\n'
        'def g(a: int = 4) -> "str | None":\n    """Says 5."""\n    b: tuple[int, 3] = a\n'
        '    raise ValueError("no 7", 8)\n    return "a sentence for people"\n'
    )
    assert changes(source) == ["3 becomes 4", "A dropped", "B dropped", "4 becomes 5"]
    places = [one.place for one in mutants_of("m", source)]
    assert places == [Place.TABLE, Place.TABLE, Place.TABLE, Place.DEFAULTS]


def test_an_edit_behind_letters_of_several_bytes_lands_where_it_should() -> None:
    assert edited("def g(a):\n    return 'äöü€', a < 1", "< becomes <=").endswith("'äöü€', a <= 1")


def test_a_diff_names_the_file_and_the_two_lines() -> None:
    mutant = Mutant("m", "g", Place.BODY, 1, "1 becomes 2", 4, 5, "2")
    assert mutant.diff("a = 1\n", "m.py").splitlines() == [
        "--- m.py",
        "+++ m.py",
        "@@ -1 +1 @@",
        "-a = 1",
        "+a = 2",
    ]


SWAPS = """
import sys
from dataclasses import dataclass
from functools import cached_property, lru_cache, wraps
import swapped
from swapped import CAP, double, table
from eukhe_laws.engine.mutation import mutants_of
from eukhe_laws.engine.swap import swap
from eukhe_laws.engine.touched import caches_of, forget
source = open(swapped.__file__).read()
calls = swapped.calls(swapped, CAP)
for one in mutants_of("swapped", source):
    if one.change in sys.argv[1:]:
        swap(one, source)
forget(caches_of(frozenset({"swapped"})))
box = swapped.Box(1)
print([double(1), table["double"](1), box.more, box.cached, swapped.Box.fixed(1)]
    + [swapped.kept(1), swapped.late(), swapped.CAP, CAP, swapped.TWICE])
"""

SWAPPED = """
from dataclasses import dataclass
from functools import cached_property, lru_cache, wraps
CAP = 10
TWICE = CAP * 1
def traced(f):
    @wraps(f)
    def inner(a):
        return f(a)
    return inner
def double(a):
    return a + 100
table = {"double": double}
@traced
def kept(a):
    return a + 600
@lru_cache
def late(a=700):
    return a
@dataclass
class Box:
    a: int
    @property
    def more(self):
        return self.a + 200
    @cached_property
    def cached(self):
        return self.a + 300
    @staticmethod
    def fixed(a):
        return a + 400
def calls(*_):
    return late()
"""


def test_a_mutant_is_seen_through_every_alias_wrapper_property_and_cache(tmp_path: Path) -> None:
    (tmp_path / "swapped.py").write_text(SWAPPED)
    words = [f"{n} becomes {n + 1}" for n in (10, 100, 200, 300, 400, 600, 700)]

    def run(*given: str) -> list[int]:
        child = subprocess.run(
            [sys.executable, "-c", SWAPS, *given],
            env={**environment(), "PYTHONPATH": f"{tmp_path}:{environment()['PYTHONPATH']}"},
            capture_output=True,
            text=True,
            check=True,
        )
        return [int(one) for one in json.loads(child.stdout)]

    assert run() == [101, 101, 201, 301, 401, 601, 700, 10, 10, 10]
    assert run(*words) == [102, 102, 202, 302, 402, 602, 701, 11, 11, 11]


@pytest.fixture(scope="module")
def teeth() -> Teeth:
    seen: list[tuple[int, int]] = []
    found = measure(ROOMS, jobs=2, progress=lambda done, every: seen.append((done, every)))
    assert seen[-1] == (found.made(), found.made())
    return found


def test_the_laws_notice_the_mutants_of_the_rules_they_pin(teeth: Teeth) -> None:
    pay = [one for one in teeth.fates if one.function == "pay"]
    assert len(pay) > 15
    assert all(one.by.startswith("toy_") and one.how == "false" for one in pay)


def test_a_rule_that_no_law_and_no_scenario_pins_leaves_survivors_with_their_diff(
    teeth: Teeth,
) -> None:
    assert {(one.side, one.function) for one in teeth.survivors} == {
        ("spec", "fill"),
        ("core", "fill"),
    }
    (one,) = [one for one in teeth.survivors if one.change == "+ gift dropped"]
    assert (one.file, one.line) == ("tests/engine/toy/spec.py", 23)
    assert "-        total = total + gift\n+        total = total\n" in one.diff
    assert "      +        total = total\n" in text(teeth)


def test_what_only_the_bridge_notices_is_told_apart(teeth: Teeth) -> None:
    assert {one.function for one in teeth.bridge_only} == {"greet"}
    assert teeth.killed() > teeth.killed_by_laws()


def test_endless_raising_and_vacuous_mutants_are_kills_of_their_own_kind(teeth: Teeth) -> None:
    hows = {(one.function, one.how) for one in teeth.fates}
    assert {("wait", "endless"), ("wait", "raised"), ("open_purse", "vacuous")} <= hows


def test_a_law_that_notices_nothing_is_named(teeth: Teeth) -> None:
    assert teeth.toothless == ("toy_idle",)
    assert not teeth.ok
    assert "Laws that killed no mutant: toy_idle" in text(teeth)


def test_the_two_sides_add_up_and_the_report_says_both_rates(teeth: Teeth) -> None:
    assert teeth.made() == teeth.made("spec") + teeth.made("core")
    assert summary(teeth).startswith(
        f"{TOY}.laws: {teeth.made()} mutants, {teeth.killed_by_laws()} killed"
    )
    found = data(teeth)
    assert found["killed"] == found["spec"]["killed"] + found["core"]["killed"]
    assert len(found["survivors"]) == found["made"] - found["killed"]


def test_what_mutants_showed_survives_json(teeth: Teeth) -> None:
    assert Teeth.decoded(json.loads(json.dumps(teeth.encoded()))) == teeth


def test_no_file_is_edited(teeth: Teeth) -> None:
    source = Path(__file__).with_name("toy").joinpath("spec.py").read_text()
    assert "total = total + gift" in source


def test_a_law_that_fails_without_a_mutant_is_said_before_any_is_made() -> None:
    faulty = Rooms("faulty", ROOMS.spec, ROOMS.core, f"{TOY}.false_law", ROOMS.bridge)
    with pytest.raises(MutantsError, match="were not tried: toy_false is broken without a mutant"):
        measure(faulty)


def test_an_area_without_its_rooms_is_one_line() -> None:
    with pytest.raises(MutantsError, match=r"No module named 'eukhe_laws\.nowhere'"):
        measure(Rooms.of("nowhere"))


def test_the_module_runs_from_the_command_line() -> None:
    arguments = ["toy", "--function", "pay", "--side", "core", "--all", "--rooms"]
    rooms = [ROOMS.spec, ROOMS.core, ROOMS.laws, ROOMS.bridge]
    start = command("eukhe_laws.engine.mutants", *arguments, *rooms)
    child = subprocess.run(start, env=environment(), capture_output=True, text=True, check=False)
    assert child.returncode == 1  # toy_idle and the laws on `fill` notice nothing of `pay`
    assert "<= becomes < [toy_pays: false]" in child.stdout


def laws(*arguments: str) -> "subprocess.CompletedProcess[str]":
    start = command("eukhe_laws", *arguments)
    return subprocess.run(start, env=environment(), capture_output=True, text=True, check=False)


def test_the_command_shows_the_teeth_of_an_area_as_one_json_document() -> None:
    child = laws(f"{TOY}.laws", "--mutants", "--json")
    assert child.returncode == 1
    said = json.loads(child.stdout)
    (area,) = said["mutants"]["areas"]
    assert (area["area"], area["ok"], said["mutants"]["ok"]) == (f"{TOY}.laws", False, False)
    assert area["laws"]["idle"] == ["toy_idle"]


def test_the_command_says_in_one_line_why_an_area_cannot_be_measured() -> None:
    child = laws(f"{TOY}.false_law", "--mutants")
    assert child.returncode == 1
    assert child.stderr.startswith(
        f"the mutants of {TOY}.false_law were not tried: toy_false is broken"
    )
    assert len(child.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("part", "whole", "said"), [(199, 200, "99%"), (200, 200, "100%"), (0, 0, "none")]
)
def test_a_rate_is_rounded_down(part: int, whole: int, said: str) -> None:
    assert rate(part, whole) == said


def test_the_bars_count_laws_and_bridge_apart() -> None:
    def fates(laws: int, bridge: int, none: int) -> tuple[Fate, ...]:
        by = ["a_law"] * laws + ["bridge"] * bridge + [""] * none
        return tuple(Fate("core", "f.py", "f", 1, "c", "d", one) for one in by)

    def ok(*counts: int) -> bool:
        return Teeth("toy", fates(*counts), (("a_law", 1),), "", 1).ok

    assert ok(90, 5, 5)
    assert not ok(89, 11, 0)
    assert not ok(94, 0, 6)

"""The table of laws and the laws of the code are the same."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

import eukhe_laws
from eukhe_laws.engine.areas import area_names, load
from eukhe_laws.engine.law import Law, laws_of
from eukhe_laws.engine.registry import RegistryError, Row, check, read_table, restated, table_file
from eukhe_laws.engine.rooms import modules_of, source_of
from tests.engine import till

LAW = replace(till.till_dearer_is_one, area="till")
ROW = Row("till", "till_dearer_is_one", "T1", "The dearer of two coins is one of them.", False)


def test_the_table_lists_exactly_the_laws_of_the_code() -> None:
    rows = read_table(table_file().read_text("utf-8"))
    laws = [law for area in eukhe_laws.AREAS for law in load(area).laws]
    wrong = check(rows, laws)
    assert not wrong, "\n".join(wrong)


def test_every_area_is_in_the_report_and_agreement_can_be_stated_for_it() -> None:
    assert set(area_names()) == set(eukhe_laws.AREAS)
    assert [(area, load(area).trouble) for area in eukhe_laws.AREAS if load(area).trouble] == []


def test_no_file_states_a_law_twice() -> None:
    modules = [one for area in eukhe_laws.AREAS for one in modules_of(f"eukhe_laws.{area}")]
    assert [restated(source_of(one)[0]) for one in modules] == [()] * len(modules)
    once = '@law(section="T1")\ndef till_opens(S, n: int) -> bool:\n    return True\n'
    assert restated(once) == ()
    assert restated(once + "def till_opens(): ...\n" + once) == ("till_opens",)


def test_the_laws_of_an_area_come_in_the_order_of_its_parts_and_then_of_its_own() -> None:
    early, late = replace(LAW, name="early", line=1), replace(LAW, name="late", line=9)
    parts = (
        SimpleNamespace(late=late, early=early),
        SimpleNamespace(also=early, twin=replace(late)),
    )
    own = SimpleNamespace(PARTS=parts, own=replace(LAW, name="own", line=0))
    assert [one.name for one in laws_of(own)] == ["early", "late", "late", "own"]


def test_laws_that_are_imported_by_name_stay_together_by_file() -> None:
    there = replace(LAW, name="there", file="there.py", line=5)
    more = replace(LAW, name="more", file="there.py", line=7)
    here = replace(LAW, name="here", file="here.py", line=6)
    module = SimpleNamespace(more=more, here=here, there=there)
    assert [one.name for one in laws_of(module)] == ["there", "more", "here"]


def test_the_same_law_in_table_and_code_is_right() -> None:
    assert check([ROW], [LAW]) == ()


@pytest.mark.parametrize(
    ("rows", "laws", "said"),
    [
        ([ROW, ROW], [LAW], "till_dearer_is_one is listed 2 times in the table"),
        ([ROW], [LAW, LAW], "till_dearer_is_one is stated 2 times in the code"),
        ([ROW], [], "is in the table, but till does not state it"),
        ([], [LAW], "till_dearer_is_one is stated in "),
        ([ROW], [replace(LAW, name="till_dearer_is_1")], "was it renamed to till_dearer_is_1?"),
        ([ROW], [replace(LAW, says="Other.")], "the meaning is 'The dearer of"),
        ([ROW], [replace(LAW, section="T9")], "the section is 'T1' in the table and 'T9' in the"),
        ([ROW], [replace(LAW, area="bank")], "the area is 'till' in the table and 'bank'"),
        ([ROW], [replace(LAW, ours=True)], "the ours is False in the table and True"),
    ],
)
def test_a_difference_is_said_in_one_line(rows: list[Row], laws: list[Law], said: str) -> None:
    assert any(said in line for line in check(rows, laws)), check(rows, laws)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[law", "is no TOML"),
        ('[[law]]\nname = "x"', "law x in the table needs area, a str"),
        (
            '[[law]]\narea="a"\nname="x"\nsection="S"\nsays="."\nours=false\nmore=1',
            "has the unknown field more",
        ),
        ('[[law]]\narea="a"\nname="x"\nsection="S"\nsays="."\nours=1', "needs ours, a bool"),
    ],
)
def test_a_table_with_a_fault_is_refused(text: str, said: str) -> None:
    with pytest.raises(RegistryError, match=said):
        read_table(text)

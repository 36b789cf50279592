"""Fork and rewind inside a session, and earlier trees of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eukhe.session import Session
from eukhe.session.branch import draft_fork, plan_rewind_of
from eukhe.session.errors import NoSuchEntryError
from eukhe.session.history import point_at, point_now, point_of_start, snapshot
from eukhe.session.nodes import Conversation, Entry, Fork, from_json
from eukhe.session.tree import Del, Node, Put, same_node

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.session.tree import Json


class Story:
    """A conversation in which each row comes with a document that counts the rows."""

    def __init__(self, session: Session) -> None:
        self.session = session
        draft = session.draft()
        self.main = draft.conversation()
        draft.document("eukhe.agent", {"model": "m0"}, self.main)
        draft.document("eukhe.session", {"main": self.main})
        session.commit(*draft.records)

    def say(self, text: str, conversation: int | None = None, **documents: object) -> int:
        where = conversation or self.main
        draft = self.session.draft()
        row = draft.entry(where, "user", {"text": text})
        draft.document("eukhe.count", {"rows": len(self.session.entries(where)) + 1}, where)
        for name, body in documents.items():
            draft.document(name, {"value": body}, where)  # type: ignore[dict-item]
        self.session.commit(*draft.records)
        return row

    def texts(self, conversation: int | None = None) -> list[object]:
        rows = self.session.entries(conversation or self.main)
        return [row.body["text"] for _, row in rows]

    def rewind(self, entry: int) -> None:
        self.session.commit(plan_rewind_of(self.session, point_at(self.session, entry)).record())

    def fork(self, entry: int) -> int:
        draft = self.session.draft()
        fork = draft_fork(draft, point_at(self.session, entry))
        self.session.commit(*draft.records)
        return fork


@pytest.fixture(params=["on disk", "in memory"])
def story(request: pytest.FixtureRequest, tmp_path: Path) -> Story:
    if request.param == "in memory":
        return Story(Session.in_memory("m"))
    session = Session.create(tmp_path / "s")
    request.addfinalizer(session.close)
    return Story(session)


def test_a_rewind_restores_rows_and_every_document_of_the_conversation(story: Story) -> None:
    first = story.say("a", goal="win")
    story.say("b", goal="lose", layers=[1])
    story.rewind(first)
    session = story.session
    assert story.texts() == ["a"]
    assert session.document("eukhe.count", story.main) == {"rows": 1}
    assert session.document("goal", story.main) == {"value": "win"}
    assert session.document("layers", story.main) is None
    assert session.document("eukhe.session") == {"main": story.main}


def test_a_rewind_can_be_taken_back_and_ids_are_never_used_again(story: Story) -> None:
    first = story.say("a")
    second = story.say("b", goal="lose")
    story.rewind(first)
    third = story.say("c")
    assert third > second
    story.rewind(second)
    assert story.texts() == ["a", "b"]
    assert story.session.document("goal", story.main) == {"value": "lose"}
    story.rewind(third)
    assert story.texts() == ["a", "c"]
    assert story.session.document("goal", story.main) is None


def test_true_comes_back_where_one_is_now(story: Story) -> None:
    first = story.say("a", flag=True)
    story.say("b", flag=1)
    story.rewind(first)
    document = story.session.document("flag", story.main)
    assert document is not None
    assert document["value"] is True


def test_values_as_deep_as_a_journal_reads_are_compared(story: Story) -> None:
    deep: object = True
    for _ in range(700):
        deep = [deep, {"x": 1.0}]
    first = story.say("a", deep=deep)
    story.rewind(first)
    document = story.session.document("deep", story.main)
    assert document is not None
    assert same_node(Node(9, 1, document), Node(9, 1, {"value": document["value"]}))
    other: object = 1
    for _ in range(700):
        other = [other, {"x": 1.0}]
    assert not same_node(Node(9, 1, document), Node(9, 1, {"value": other}))  # type: ignore[dict-item]


def test_a_fork_has_rows_of_its_own_and_the_documents_of_its_row(story: Story) -> None:
    first = story.say("a", goal="win")
    second = story.say("b", goal="lose")
    fork = story.fork(first)
    story.say("x", fork)
    story.rewind(first)
    session = story.session
    assert story.texts(fork) == ["a", "x"]
    assert story.texts() == ["a"]
    assert session.document("goal", fork) == {"value": "win"}
    assert session.document("eukhe.agent", fork) == {"model": "m0"}
    node = session.tree.node(fork)
    assert node is not None
    assert node.parent == story.main
    assert from_json(node.value) == Conversation(Fork(first, 1))
    assert second not in session.tree


def test_a_copied_row_as_a_point_has_the_documents_of_the_row_it_is_a_copy_of(
    story: Story,
) -> None:
    first = story.say("a", goal="win")
    story.say("b", goal="lose", late=1)
    third = story.say("c", goal="draw")
    fork = story.fork(third)
    second_fork = story.fork(story.session.entries(fork)[-1][0])
    for conversation in (fork, second_fork):
        copy = story.session.entries(conversation)[0][0]
        assert copy != first
        story.rewind(copy)
        assert story.texts(conversation) == ["a"]
        assert story.session.document("goal", conversation) == {"value": "win"}
        assert story.session.document("late", conversation) is None
    assert story.texts() == ["a", "b", "c"]
    assert story.session.document("goal", story.main) == {"value": "draw"}


def test_a_rewind_leaves_the_forks_below_it(story: Story) -> None:
    first = story.say("a")
    fork = story.fork(story.say("b"))
    story.rewind(first)
    assert story.texts(fork) == ["a", "b"]
    assert story.session.conversations() == (story.main, fork)


def test_the_start_keeps_only_the_documents_that_are_named(story: Story) -> None:
    story.say("a", goal="win")
    point = point_of_start(story.session, story.main, "eukhe.agent")
    story.session.commit(plan_rewind_of(story.session, point).record())
    assert story.texts() == []
    assert story.session.document("eukhe.agent", story.main) == {"model": "m0"}
    assert story.session.document("goal", story.main) is None


def test_a_rewind_to_now_changes_nothing(story: Story) -> None:
    story.say("a")
    point = point_now(story.session, story.main)
    assert plan_rewind_of(story.session, point).record().changes == ()


def test_only_a_row_is_a_point(story: Story) -> None:
    story.say("a")
    for bad in (0, story.main, 999, -1):
        with pytest.raises(NoSuchEntryError, match=str(bad)):
            point_at(story.session, bad)


def test_a_prefix_of_the_commits_is_a_snapshot(story: Story) -> None:
    row = story.say("a")
    story.say("b")
    assert len(snapshot(story.session, 0)) == 0
    assert row in snapshot(story.session, 2)
    assert row not in snapshot(story.session, 1)
    assert snapshot(story.session, story.session.cursor) == story.session.tree


def test_what_a_fork_and_a_rewind_made_reads_back(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s") as session:
        story = Story(session)
        first = story.say("a", goal="win")
        story.say("b", goal="lose")
        fork = story.fork(first)
        story.rewind(first)
    again = Session.open_to_read(tmp_path / "s")
    assert again.tree == session.tree
    assert again.document("goal", fork) == {"value": "win"}
    assert again.document("goal", story.main) == {"value": "win"}
    assert [type(row) for _, row in again.entries(fork)] == [Entry]


def test_of_two_documents_of_one_name_the_same_one_counts_always(tmp_path: Path) -> None:
    told: dict[str, Json] = {"type": "document", "name": "twin", "body": {"value": 1}}
    with Session.create(tmp_path / "s") as session:
        story = Story(session)
        first = story.say("a")
        one, two = session.tree.next_id, session.tree.next_id + 1
        later: dict[str, Json] = {**told, "body": {"value": 2}}
        session.commit(Put(two, story.main, later), Put(one, story.main, told))
        assert session.document("twin", story.main) == {"value": 2}
        assert Session.open_to_read(tmp_path / "s").document("twin", story.main) == {"value": 2}
        session.commit(Del(two))
        assert session.document("twin", story.main) == {"value": 1}
        session.commit(Put(two, story.main, later))
        story.rewind(first)
        assert session.document("twin", story.main) is None
        assert one not in session.tree
        assert two not in session.tree

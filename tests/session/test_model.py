"""A state machine over the store: put, del, rewind, fork, crash, reopen, against a plain model of the tree."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import hypothesis.strategies as st
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from eukhe.session import Del, Put, Rewind, Session, UnsoundRecordError
from eukhe.session.branch import draft_fork, plan_rewind_of
from eukhe.session.fork import fork_session
from eukhe.session.history import point_at, snapshot

if TYPE_CHECKING:
    from eukhe.session.store import Draft
    from eukhe.session.tree import Change, Json, Record

Model: TypeAlias = "dict[int, tuple[int, Json]]"
"""The plain model: the nodes by id, each with its parent and value."""

VALUES: st.SearchStrategy[Json] = st.sampled_from(
    [1, True, 1.0, "ü\u2028\ud83d", None, [], {"type": "hologram"}, {"type": "document"}]
)
WORDS = st.sampled_from(["a", "b", "true", '","crc":"'])


def _exact(model: Model) -> str:
    """The model as text in which 1, 1.0 and true differ."""
    return json.dumps(sorted(model.items()), sort_keys=True)


def _of(session: Session) -> Model:
    return {node.id: (node.parent, node.value) for node in session.tree.nodes()}


class Store(RuleBasedStateMachine):
    """A session on the disk beside the models of every commit that it made."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="eukhe-store-"))
        self.path = self.root / "s"
        self.forks = 0

    @initialize()
    def create(self) -> None:
        self.session = Session.create(self.path, clock=lambda: 1)
        self.models: list[Model] = [{}]
        self.greatest = [0]
        """The greatest id that any record named up to each commit: no id comes back as another node."""
        self.torn = False
        self._commit([Put(1, 0, {"type": "conversation"})])
        for number in range(3):
            self._row(1, "first", number)

    def teardown(self) -> None:
        if hasattr(self, "session"):
            self.session.close()
        shutil.rmtree(self.root)

    @property
    def model(self) -> Model:
        return self.models[-1]

    @property
    def conversations(self) -> list[int]:
        return [
            node_id
            for node_id, (_, value) in self.model.items()
            if isinstance(value, dict) and value.get("type") == "conversation"
        ]

    def _entries(self, model: Model | None = None) -> list[int]:
        nodes = self.model if model is None else model
        # By id: a rewind can put a row back that is older than what the model holds already.
        return sorted(
            i for i, (_, v) in nodes.items() if isinstance(v, dict) and v.get("type") == "entry"
        )

    def _committed(self, model: Model, records: list[Record]) -> None:
        self.models.append(model)
        puts = [
            one.id
            for record in records
            for one in (record.changes if isinstance(record, Rewind) else (record,))
            if isinstance(one, Put)
        ]
        self.greatest.append(max(self.greatest[-1], *puts, 0))
        self.torn = False

    # What the model says of a commit: the tree after it, or None where it is refused.

    def _expected(self, records: list[Record]) -> Model | None:
        model = dict(self.model)
        for record in records:
            match record:
                case Put(id=node_id, parent=parent, value=value):
                    if parent != 0 and not self._is_conversation(model, parent):
                        return None
                    if node_id <= parent:
                        return None
                    if self._is_conversation(model, node_id) and not _says_conversation(value):
                        return None
                    model[node_id] = (parent, value)
                case Del(id=node_id):
                    if node_id == 0 or self._is_conversation(model, node_id):
                        return None
                    model.pop(node_id, None)
                case Rewind(changes=changes):
                    for change in changes:
                        if isinstance(change, Put):
                            model[change.id] = (change.parent, change.value)
                        else:
                            model.pop(change.id, None)
                    named = {change.id for change in changes}
                    if 0 in named or any(
                        parent != 0 and (parent not in model or parent >= i)
                        for i, (parent, _) in model.items()
                    ):
                        return None
        return model

    @staticmethod
    def _is_conversation(model: Model, node_id: int) -> bool:
        return node_id in model and _says_conversation(model[node_id][1])

    def _commit(self, records: list[Record]) -> None:
        expected = self._expected(records)
        size = self.path.joinpath("main.jsonl").stat().st_size
        try:
            self.session.commit(*records)
        except UnsoundRecordError:
            assert expected is None
            assert self.path.joinpath("main.jsonl").stat().st_size == size
        else:
            assert expected is not None
            self._committed(expected, records)

    @rule(data=st.data())
    def put_and_delete(self, data: st.DataObject) -> None:
        records: list[Record] = []
        free = self.session.tree.next_id
        for _ in range(data.draw(st.integers(1, 3))):
            node_id = data.draw(
                st.sampled_from([free, free, *sorted(self.model)[-6:], 0, free + 1])
            )
            if data.draw(st.integers(0, 4)) == 0:
                records.append(Del(node_id))
                continue
            parent = data.draw(
                st.sampled_from([0, *self.conversations[-4:], *sorted(self.model)[-2:]])
            )
            records.append(Put(node_id, parent, data.draw(VALUES)))
            free += 1
        self._commit(records)

    @rule(parent=st.integers(0, 3))
    def new_conversation(self, parent: int) -> None:
        above = [0, *self.conversations][: parent + 1][-1]
        value: Json = {"type": "conversation"}
        self._commit([Put(self.session.tree.next_id, above, value)])

    @precondition(lambda self: self.conversations)
    @rule(word=WORDS, number=VALUES, place=st.integers(0, 9))
    def row_with_a_document(self, word: str, number: Json, place: int) -> None:
        self._row(self.conversations[place % len(self.conversations)], word, number)

    def _row(self, conversation: int, word: str, number: Json) -> None:
        draft = self.session.draft()
        draft.entry(conversation, "user", {"text": word})
        draft.document("eukhe.state", {"value": number}, conversation)
        if isinstance(number, bool):
            draft.document("eukhe.late", {}, conversation)
        self._commit(list(draft.records))

    @rule(data=st.data())
    def any_rewind(self, data: st.DataObject) -> None:
        """Changes that lead to an earlier tree, or nearly."""
        then = self.models[data.draw(st.integers(0, len(self.models) - 1))]
        changes: list[Change] = [Del(i) for i in self.model if i not in then]
        changes += [Put(i, p, v) for i, (p, v) in then.items() if self.model.get(i) != (p, v)]
        nearly: bool = data.draw(st.booleans())
        if changes and nearly:
            changes.pop(data.draw(st.integers(0, len(changes) - 1)))
        self._commit([Rewind(tuple(changes))])

    @precondition(lambda self: self._entries())
    @rule(data=st.data())
    def rewind_to_a_row(self, data: st.DataObject) -> None:
        entry = data.draw(st.sampled_from(self._entries()))
        first = next(model for model in self.models if entry in model)
        conversation = first[entry][0]
        if not self._is_conversation(self.model, conversation):
            return
        point = point_at(self.session, entry)
        record = plan_rewind_of(self.session, point).record()
        before = dict(self.model)
        self._commit([record])
        assert self.session.tree.node(entry) is not None
        rows = [i for i, _ in self.session.entries(conversation)]
        assert rows == [
            i for i in self._entries(first) if first[i][0] == conversation and i <= entry
        ]
        origin = _origin(first[entry][1]) or entry
        source = next(model for model in self.models if origin in model)
        home = source[origin][0]
        assert self._documents(self.model, conversation) == self._documents(source, home)
        # A node of the conversation that was moved away since comes back from there.
        named = {node.id for node in (*point.rows, *point.documents.values())}
        others = {
            i: node for i, node in before.items() if node[0] != conversation and i not in named
        }
        assert {i: self.model[i] for i in others} == others, "all else is as it was"

    def _documents(self, model: Model, conversation: int) -> str:
        found = {
            value["name"]: value["body"]
            for parent, value in model.values()
            if parent == conversation
            and isinstance(value, dict)
            and value.get("type") == "document"
            and "name" in value
        }
        return json.dumps(found, sort_keys=True)

    @precondition(lambda self: self._entries())
    @rule(data=st.data())
    def fork_at_a_row(self, data: st.DataObject) -> None:
        entry = data.draw(st.sampled_from(self._entries()))
        point = point_at(self.session, entry)
        if not self._is_conversation(self.model, point.conversation):
            return
        draft = self.session.draft()
        fork = draft_fork(draft, point)
        self._commit(list(draft.records))
        texts = [row.body for _, row in self.session.entries(fork)]
        assert texts == [node.value["body"] for node in point.rows]  # type: ignore[index,call-overload]

    @precondition(lambda self: self._entries() and self.forks < 4)
    @rule(data=st.data())
    def fork_to_a_session(self, data: st.DataObject) -> None:
        entry = data.draw(st.sampled_from(self._entries()))
        point = point_at(self.session, entry)
        self.forks += 1
        target = self.root / f"f{self.forks}"
        fork_session(self.session, point, target, _leave_as_it_is)
        fork = Session.open_to_read(target)
        rows = [i for i, _ in fork.entries(point.conversation)]
        assert rows == [node.id for node in point.rows]
        first = next(model for model in self.models if entry in model)
        elsewhere = {i: node for i, node in first.items() if node[0] not in (0, point.conversation)}
        assert elsewhere.items() <= _of(fork).items()
        shutil.rmtree(target)

    @rule(lost=st.integers(1, 400))
    def crash_by_truncation(self, lost: int) -> None:
        """A power cut: the end of the file is gone, and with it each commit whose line is not whole."""
        self.session.close()
        journal = self.path / "main.jsonl"
        data = journal.read_bytes()
        data = data[: max(0, len(data) - lost)]
        journal.write_bytes(data)
        del self.models[data.count(b"\n") + 1 :]
        del self.greatest[len(self.models) :]
        self.torn = bool(data) and not data.endswith(b"\n")
        self._reopen()

    @rule()
    def reopen(self) -> None:
        self._reopen()

    def _reopen(self) -> None:
        self.session.close()
        self.session = Session.open_to_write(self.path, clock=lambda: 1)
        assert bool(self.session.warnings) is self.torn

    @invariant()
    def the_tree_is_the_model(self) -> None:
        if not hasattr(self, "session"):
            return
        assert _exact(_of(self.session)) == _exact(self.model)
        assert self.session.cursor == len(self.models) - 1
        assert list(self.session.conversations()) == sorted(self.conversations)
        assert self.session.tree.next_id == self.greatest[-1] + 1
        for parent, name in {(p, _name(v)) for p, v in self.model.values() if _name(v)}:
            stored = self.session.document(str(name), parent)
            bodies = [v["body"] for p, v in self.model.values() if (p, _name(v)) == (parent, name)]  # type: ignore[index,call-overload]
            assert json.dumps(stored) in [json.dumps(body) for body in bodies]

    @precondition(lambda self: len(self.models) > 1)
    @rule(data=st.data())
    def a_prefix_is_a_snapshot(self, data: st.DataObject) -> None:
        cursor = data.draw(st.integers(0, len(self.models) - 1))
        tree = snapshot(self.session, cursor)
        found: Model = {node.id: (node.parent, node.value) for node in tree.nodes()}
        assert _exact(found) == _exact(self.models[cursor])


def _leave_as_it_is(_: Draft, __: int) -> None:
    """What a fork ends with is its own."""


def _says_conversation(value: Json) -> bool:
    return isinstance(value, dict) and value.get("type") == "conversation"


def _origin(value: Json) -> int:
    of = value.get("of") if isinstance(value, dict) else None
    return of if isinstance(of, int) else 0


def _name(value: Json) -> Json:
    if isinstance(value, dict) and value.get("type") == "document" and "body" in value:
        return value.get("name")
    return None


SETTINGS = settings(
    max_examples=40,
    phases=[Phase.generate],  # a smaller failure takes longer to find than a test may last
    report_multiple_bugs=False,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def test_a_session_follows_the_plain_model() -> None:
    run_state_machine_as_test(Store, settings=SETTINGS)

"""The sum that a list shows, and its side cache."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from eukhe.agent.rows.naming import draft_name
from eukhe.agent.rows.record import AgentDocument, open_main
from eukhe.agent.stored import branches
from eukhe.agent.stored.side_cache import FILE, digest_of
from eukhe.agent.stored.summary import Summary, remember, summarize
from eukhe.session import Session, journal

if TYPE_CHECKING:
    from pathlib import Path

AGENT = AgentDocument("m", "http://127.0.0.1:9/v1", "/w", ())


def _turn(session: Session, prompt: str, *, agent: AgentDocument = AGENT, cost: float = 0.5) -> int:
    draft = session.draft()
    main = open_main(draft, session, agent)
    draft.entry(main, "user", {"content": [{"type": "text", "text": prompt}]})
    usage = {"input": 10, "output": 3, "cacheRead": 2, "cacheWrite": 1, "cost": cost}
    reply = draft.entry(main, "assistant", {"content": [], "stop": "stop", "usage": usage})
    session.commit(*draft.records)
    return reply


def _plain(directory: Path) -> Summary:
    """The summary by a reading of the whole journal."""
    (directory / FILE).unlink(missing_ok=True)
    return summarize(directory)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    session = Session.create(tmp_path / "s")
    _turn(session, "first " + "long " * 4000)
    return session


def _where(session: Session) -> Path:
    assert session.directory is not None
    return session.directory


def test_a_summary_counts_each_reply_once_also_one_that_was_taken_back(session: Session) -> None:
    first = _turn(session, "second")
    _turn(session, "third", agent=AgentDocument("other", "http://127.0.0.1:9/v1", "/w", ()))
    branches.fork(session, first)
    branches.rewind(session, None)
    summary = summarize(_where(session))
    assert (summary.tokens, summary.cost) == (48, 1.5)
    assert (summary.prompts, summary.model) == (1, "m")
    assert summary.title.startswith("first long")
    session.close()


def test_the_cache_gives_what_a_whole_reading_gives_after_every_kind_of_commit(
    session: Session,
) -> None:
    directory = _where(session)
    first = summarize(directory)
    assert (directory / FILE).exists()
    assert summarize(directory) == first
    for step in (
        lambda: _turn(session, "more"),
        lambda: branches.fork(session, None),
        lambda: _turn(session, "in the fork"),
        lambda: branches.rewind(session, None),
        lambda: branches.go_to(session, 1),
        lambda: branches.rewind(session, 0),
        lambda: _turn(session, "a new start"),
    ):
        step()
        cached = summarize(directory)
        assert cached == _plain(directory)
        summarize(directory)
    draft = session.draft()
    draft_name(draft, "a name")
    session.commit(*draft.records)
    assert summarize(directory).title == "a name"
    session.close()


def test_only_what_is_new_is_read(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = _where(session)
    summarize(directory)
    _turn(session, "more")
    session.close()
    begun = []
    read = journal.read_commits

    def counted(path: Path, tail: journal.Tail) -> object:
        begun.append(tail.end)
        return read(path, tail)

    monkeypatch.setattr(journal, "read_commits", counted)
    summarize(directory)
    summarize(directory)
    assert len(begun) == 1
    assert begun[0] > 10_000


@pytest.mark.parametrize(
    "spoil",
    [
        lambda _: b"",
        lambda text: text[: len(text) // 2],
        lambda text: text.replace(b'"prompts": 1', b'"prompts": 9'),
        lambda _: b"00000000\n{}",
    ],
)
def test_a_cache_that_is_damaged_is_not_used(session: Session, spoil: object) -> None:
    directory = _where(session)
    session.close()
    right = summarize(directory)
    path = directory / FILE
    assert callable(spoil)
    path.write_bytes(spoil(path.read_bytes()))
    assert summarize(directory) == right


def test_another_journal_under_the_same_name_is_read_anew(session: Session, tmp_path: Path) -> None:
    directory = _where(session)
    session.close()
    summarize(directory)
    with Session.create(tmp_path / "other") as other:
        _turn(other, "quite another " * 3000)
    (tmp_path / "other" / "main.jsonl").replace(directory / "main.jsonl")
    assert summarize(directory).title.startswith("quite another")


def test_damage_behind_the_cache_is_told(session: Session) -> None:
    directory = _where(session)
    summarize(directory)
    _turn(session, "more")
    session.close()
    path = directory / "main.jsonl"
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"more"', b'"MORE"'))
    damage = summarize(directory).damage
    assert damage is not None
    assert "line 2 " in damage


def test_a_long_session_is_summed_up_after_its_run(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s") as session:
        _turn(session, "short")
        remember(session)
        assert not (tmp_path / "s" / FILE).exists()
        _turn(session, "long " * 60_000)
        remember(session)
    stored = (tmp_path / "s" / FILE).read_bytes().partition(b"\n")[2]
    assert json.loads(stored)["digest"]["talks"]["1"]["prompts"] == 2
    assert digest_of(tmp_path / "s").talk.prompts == 2

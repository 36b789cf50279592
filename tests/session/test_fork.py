"""Fork to a new session and delete: whole or absent, whatever happens in between."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from eukhe.session import CommitFailedError, Session, SessionBusyError
from eukhe.session.directories import find_session, session_directories
from eukhe.session.errors import SessionNotFoundError
from eukhe.session.fork import fork_session, origin_of
from eukhe.session.history import point_at, point_now, point_of_start
from eukhe.session.staging import ForeignFilesError, delete, staged, sweep
from tests.session.test_branch import Story

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.session.history import Point
    from eukhe.session.store import Draft


def _finish(draft: Draft, conversation: int) -> None:
    draft.document("eukhe.session", {"main": conversation})


def _fork(source: Session, point: Point, target: Path) -> Session:
    fork_session(source, point, target, _finish)
    return Session.open_to_read(target)


def _names(directory: Path) -> list[str]:
    return sorted(child.name for child in directory.iterdir())


def _texts(session: Session) -> list[object]:
    document = session.document("eukhe.session")
    assert document is not None
    main = document["main"]
    assert isinstance(main, int)
    return [row.body["text"] for _, row in session.entries(main)]


def test_a_fork_starts_as_of_its_row_and_the_source_stays_as_it_is(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s") as source:
        story = Story(source)
        story.say("a", goal="win")
        middle = story.say("b", goal="lose")
        story.say("c", late=1)
        before = (tmp_path / "s" / "main.jsonl").read_bytes()
        fork = _fork(source, point_at(source, middle), tmp_path / "f")
        assert (tmp_path / "s" / "main.jsonl").read_bytes() == before
    assert _texts(fork) == ["a", "b"]
    assert fork.document("goal", story.main) == {"value": "lose"}
    assert fork.document("late", story.main) is None
    assert origin_of(fork) == ("s", middle)
    assert origin_of(Session.open_to_read(tmp_path / "s")) is None
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "f" / "main.jsonl").stat().st_mode & 0o777 == 0o600
    assert [d.name for d in session_directories(tmp_path)] == ["f", "s"]


def test_a_fork_inside_a_commit_of_several_rows_ends_at_its_row(tmp_path: Path) -> None:
    with Session.create(tmp_path / "s") as source:
        story = Story(source)
        draft = source.draft()
        first = draft.entry(story.main, "tool_result", {"text": "one"})
        draft.entry(story.main, "tool_result", {"text": "two"})
        source.commit(*draft.records)
        fork = _fork(source, point_at(source, first), tmp_path / "f")
    assert _texts(fork) == ["one"]


def test_a_fork_of_a_session_in_memory_is_stored(tmp_path: Path) -> None:
    source = Session.in_memory("m")
    story = Story(source)
    story.say("a")
    fork = _fork(source, point_now(source, story.main), tmp_path / "f")
    assert _texts(fork) == ["a"]
    assert (tmp_path / "f" / "main.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_fork_at_the_start_keeps_the_agent_alone(tmp_path: Path) -> None:
    source = Session.in_memory("m")
    story = Story(source)
    story.say("a", goal="win")
    fork = _fork(source, point_of_start(source, story.main, "eukhe.agent"), tmp_path / "f")
    assert _texts(fork) == []
    (main,) = fork.conversations()
    assert fork.document("eukhe.agent", main) == {"model": "m0"}
    assert fork.document("goal", main) is None


def test_a_target_that_exists_is_refused(tmp_path: Path) -> None:
    source = Session.in_memory("m")
    story = Story(source)
    story.say("a")
    (tmp_path / "f").mkdir()
    with pytest.raises(CommitFailedError, match="exists"):
        _fork(source, point_now(source, story.main), tmp_path / "f")
    assert _names(tmp_path) == ["f"]


def test_a_fork_that_fails_leaves_nothing(tmp_path: Path) -> None:
    source = Session.in_memory("m")
    story = Story(source)
    story.say("a")

    def fail(draft: Draft, conversation: int) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(CommitFailedError, match="No space"):
        fork_session(source, point_now(source, story.main), tmp_path / "f", fail)
    assert _names(tmp_path) == []


def test_delete_is_refused_while_someone_writes_and_then_removes_all(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "s")
    Story(session)
    (tmp_path / "s" / "outputs").mkdir()
    (tmp_path / "s" / "outputs" / "x").write_text("full")
    with pytest.raises(SessionBusyError, match=f"process {os.getpid()}"):
        delete(tmp_path / "s")
    assert (tmp_path / "s" / "main.jsonl").exists()
    session.close()
    delete(tmp_path / "s")
    assert _names(tmp_path) == []


def test_delete_takes_no_file_that_is_not_of_a_session(tmp_path: Path) -> None:
    Session.create(tmp_path / "s").close()
    (tmp_path / "s" / "thesis.txt").write_text("mine")
    with pytest.raises(ForeignFilesError, match=r"thesis\.txt"):
        delete(tmp_path / "s")
    assert (tmp_path / "s" / "thesis.txt").read_text() == "mine"


def test_what_a_crash_left_is_swept_and_what_is_being_built_is_not(tmp_path: Path) -> None:
    for name in (".deleted-a", ".new-old", ".new-fresh", ".new-held"):
        (tmp_path / name).mkdir()
    held = Session.open_to_write(tmp_path / ".new-held")
    for name in (".new-old", ".new-held"):
        os.utime(tmp_path / name, (time.time() - 7200,) * 2)
    sweep(tmp_path)
    assert _names(tmp_path) == [".new-fresh", ".new-held"]
    held.close()


def test_hidden_directories_are_no_sessions(tmp_path: Path) -> None:
    with staged(tmp_path / "s") as hidden:
        with Session.open_to_write(hidden) as session:
            Story(session)
        assert session_directories(tmp_path) == ()
        with pytest.raises(SessionNotFoundError):
            find_session(tmp_path, hidden.name)
    assert [d.name for d in session_directories(tmp_path)] == ["s"]


_FORK_FOR_EVER = """
import sys
from pathlib import Path
from eukhe.session import Session
from eukhe.session.fork import fork_session
from eukhe.session.history import point_now
from eukhe.session.staging import delete
root = Path(sys.argv[1])
source = Session.open_to_read(root / "source")
(main,) = source.conversations()
number = 0
while True:
    number += 1
    target = root / f"f{number}"
    fork_session(source, point_now(source, main), target,
                 lambda draft, main: draft.document("eukhe.session", {"main": main}))
    print(number, flush=True)
    if number % 3 == 0:
        delete(root / f"f{number - 1}")
"""


def test_a_kill_inside_fork_or_delete_leaves_each_session_whole_or_absent(tmp_path: Path) -> None:
    with Session.create(tmp_path / "source") as source:
        story = Story(source)
        for number in range(40):
            story.say(f"row {number} " * 400)
    for attempt in range(6):
        with subprocess.Popen(
            [sys.executable, "-c", _FORK_FOR_EVER, str(tmp_path)], stdout=subprocess.PIPE
        ) as child:
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(0.013 * attempt)
            child.send_signal(signal.SIGKILL)
        found = session_directories(tmp_path)
        assert len(found) >= 2
        for directory in found:
            session = Session.open_to_read(directory)
            assert session.warnings == ()
            assert len(_texts(session)) == 40
            if directory.name != "source":
                assert origin_of(session) is not None
                delete(directory)
        assert [d.name for d in session_directories(tmp_path)] == ["source"]
        assert not list(tmp_path.glob(".deleted-*")), "the next delete removes what was left"

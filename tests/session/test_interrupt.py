"""A Ctrl-C at any moment of a commit, and what is committed after it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from eukhe.session import CommitFailedError, Session
from eukhe.session import store as place

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType

_ROOM = place.__file__.rpartition("/")[0]


def _commit(session: Session, text: str) -> None:
    draft = session.draft()
    draft.document("said", {"text": text})
    session.commit(*draft.records)


def _interrupted_at(session: Session, moment: int) -> bool:
    """Commit, with a Ctrl-C at the nth line that runs; False when there are fewer."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> object:
        nonlocal count
        if not frame.f_code.co_filename.startswith(_ROOM):
            return None
        if event in ("line", "return"):
            count += 1
            if count == moment:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]  # a trace function that returns itself
    try:
        _commit(session, "interrupted")
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def test_a_journal_stays_sound_whenever_a_commit_is_interrupted(tmp_path: Path) -> None:
    later = {"stored": 0, "refused": 0}
    for moment in range(1, 1000):
        with Session.create(tmp_path / str(moment)) as session:
            _commit(session, "first")
            if not _interrupted_at(session, moment):
                break
            try:
                _commit(session, "last")
                expected = ["last"]
                later["stored"] += 1
            except CommitFailedError:
                expected = ["first", "interrupted"]
                later["refused"] += 1
        with Session.open_to_write(tmp_path / str(moment)) as session:
            said = session.document("said")
            assert said is not None
            assert said["text"] in expected, moment
            assert session.warnings == ()
    assert later["stored"] > 50, later
    assert later["refused"] > 10, later

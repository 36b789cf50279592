"""The journal and the store over real files."""

from __future__ import annotations

import json
import os
import random
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from eukhe.session import (
    CommitFailedError,
    Conversation,
    Del,
    JournalDamagedError,
    Put,
    Session,
    SessionBusyError,
    SessionError,
    SessionNotFoundError,
    SessionUnreadableError,
    UnsoundRecordError,
)
from eukhe.session.directories import find_session, new_session_id, places, session_directories
from eukhe.session.journal import Commit, Tail, decode_commit, encode_commit, read_commits
from eukhe.session.nodes import from_json, to_json
from eukhe.session.tree import Rewind


def _filled(directory: Path, commits: int = 4) -> Path:
    with Session.create(directory) as session:
        draft = session.draft()
        conversation = draft.conversation()
        draft.document("eukhe.session", {"main": conversation})
        session.commit(*draft.records)
        for number in range(1, commits):
            draft = session.draft()
            draft.entry(conversation, "user", {"text": f"line {number} \n \u2028 é"})
            session.commit(*draft.records)
    return directory / "main.jsonl"


def test_what_was_committed_reads_back(tmp_path: Path) -> None:
    path = _filled(tmp_path / "s" / "one")
    session = Session.open_to_read(path.parent)
    (conversation,) = session.conversations()
    assert session.document("eukhe.session") == {"main": conversation}
    texts = [entry.body["text"] for _, entry in session.entries(conversation)]
    assert texts == [f"line {n} \n \u2028 é" for n in (1, 2, 3)]
    assert session.warnings == ()
    assert len(path.read_bytes().splitlines()) == 4


def test_a_prefix_of_the_journal_is_a_snapshot_of_the_tree(tmp_path: Path) -> None:
    path = _filled(tmp_path / "one")
    lines = path.read_bytes().splitlines(keepends=True)
    sizes = []
    for count in range(len(lines) + 1):
        path.write_bytes(b"".join(lines[:count]))
        sizes.append(len(Session.open_to_read(path.parent).tree))
    assert sizes == [0, 2, 3, 4, 5]


def test_a_line_says_version_number_and_records(tmp_path: Path) -> None:
    line = json.loads(_filled(tmp_path / "one").read_bytes().splitlines()[1])
    assert list(line) == ["v", "seq", "at", "records", "crc"]
    assert (line["v"], line["seq"], line["records"][0]["op"]) == (1, 2, "put")


def test_every_record_and_odd_text_survive_the_line() -> None:
    records = (
        Put(1, 0, {"lone surrogate": "\ud83d", "nul": "\0", "quote": '","crc":"'}),
        Del(1),
        Rewind((Put(1, 0, [None, 1.5, True]), Del(2))),
    )
    line = encode_commit(Commit(3, 17, records))
    assert line.count(b"\n") == 1
    assert decode_commit(line[:-1], 3) == Commit(3, 17, records)


def test_every_cut_of_the_last_line_is_dropped_with_a_warning(tmp_path: Path) -> None:
    path = _filled(tmp_path / "one")
    whole = path.read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    for end in range(start + 1, len(whole)):
        path.write_bytes(whole[:end])
        session = Session.open_to_read(path.parent)
        assert len(session.tree) == 4
        assert len(session.warnings) == 1
        assert f"{end - start} bytes after byte {start}" in session.warnings[0]
        assert path.read_bytes() == whole[:end], "reading changes nothing"


def test_the_commit_after_a_torn_line_puts_its_bytes_aside(tmp_path: Path) -> None:
    path = _filled(tmp_path / "one")
    whole = path.read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    path.write_bytes(whole[:-5])
    with Session.open_to_write(path.parent) as session:
        assert path.read_bytes() == whole[:-5], "opening changes nothing"
        session.commit(Put(session.tree.next_id, 0, to_json(Conversation())))
        session.commit(Put(session.tree.next_id, 0, to_json(Conversation())))
    assert path.read_bytes().startswith(whole[:start])
    assert (path.parent / f"main.torn-{start}").read_bytes() == whole[start:-5]
    again = Session.open_to_read(path.parent)
    assert again.warnings == ()
    assert len(again.conversations()) == 3


@pytest.mark.parametrize(
    ("line", "damage", "why"),
    [
        (2, lambda b: b.replace(b"line 1", b"LINE 1"), "checksum"),
        (2, lambda _: b"", "no commit"),
        (2, lambda b: b[: len(b) // 2], "no commit"),
        (3, lambda b: b"\0" * len(b), "no commit"),
        (4, lambda b: b[:-1] + b" ", "no commit"),
        (4, lambda b: b.replace(b"line 3", b"line 4"), "checksum"),
    ],
)
def test_other_damage_is_refused_with_line_and_offset(
    tmp_path: Path, line: int, damage: object, why: str
) -> None:
    path = _filled(tmp_path / "one")
    lines = path.read_bytes().splitlines(keepends=True)
    assert callable(damage)
    lines[line - 1] = damage(lines[line - 1][:-1]) + b"\n"
    damaged = b"".join(lines)
    path.write_bytes(damaged)
    for opener in (Session.open_to_read, Session.open_to_write):
        with pytest.raises(JournalDamagedError, match=why) as caught:
            opener(path.parent)
        assert caught.value.line == line
        assert caught.value.offset == sum(map(len, lines[: line - 1]))
        assert str(path) in str(caught.value)
    assert path.read_bytes() == damaged, "a damaged file is never rewritten"
    # The lock was given back: the next opener is told of the damage, not of a writer.


@pytest.mark.parametrize("order", [[0, 2, 1, 3], [0, 1, 1, 2, 3], [1, 2, 3]])
def test_lines_out_of_order_are_damage(tmp_path: Path, order: list[int]) -> None:
    path = _filled(tmp_path / "one")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[i] for i in order))
    with pytest.raises(JournalDamagedError, match="stands where commit"):
        Session.open_to_read(path.parent)


def test_random_edits_are_dropped_as_torn_or_refused_and_never_read_as_something_else(
    tmp_path: Path,
) -> None:
    path = _filled(tmp_path / "one")
    whole = path.read_bytes()
    snapshots = []
    for count in range(5):
        lines = whole.splitlines(keepends=True)[:count]
        path.write_bytes(b"".join(lines))
        snapshots.append(Session.open_to_read(path.parent).tree)
    rng = random.Random(5)
    refused = 0
    for _ in range(500):
        edited = bytearray(whole)
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(edited))
            match rng.randrange(4):
                case 0:
                    edited[at] = rng.randrange(256)
                case 1:
                    del edited[at : at + rng.randint(1, 40)]
                case 2:
                    edited[at:at] = rng.randbytes(rng.randint(1, 9))
                case _:
                    del edited[at:]
            edited = edited or bytearray(b"x")
        path.write_bytes(edited)
        try:
            session = Session.open_to_read(path.parent)
        except JournalDamagedError as error:
            refused += 1
            assert edited[: error.offset] == whole[: error.offset]
        else:
            assert session.tree in snapshots
            assert bool(session.warnings) == (not edited.endswith(b"\n"))
        assert path.read_bytes() == edited
    assert 100 < refused < 500


def test_an_unsound_record_in_the_file_is_damage(tmp_path: Path) -> None:
    path = _filled(tmp_path / "one", commits=1)
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(encode_commit(Commit(2, 0, (Put(9, 8, None),))))
    with pytest.raises(JournalDamagedError, match="neither the root nor a node") as caught:
        Session.open_to_read(path.parent)
    assert (caught.value.line, caught.value.offset) == (2, size)


def test_a_newer_format_is_refused_by_its_number(tmp_path: Path) -> None:
    path = _filled(tmp_path / "one", commits=1)
    import zlib

    body = b'{"v":2,"seq":2,"at":0,"records":[]'
    with path.open("ab") as file:
        file.write(body + b',"crc":"%08x"}\n' % zlib.crc32(body))
    with pytest.raises(JournalDamagedError, match="version 2 is newer"):
        list(read_commits(path, Tail()))


def test_an_unsound_commit_writes_nothing(tmp_path: Path) -> None:
    path = _filled(tmp_path / "one")
    before = path.read_bytes()
    with Session.open_to_write(path.parent) as session:
        with pytest.raises(UnsoundRecordError):
            session.commit(Put(50, 40, None))
        assert path.read_bytes() == before
        assert session.commit() == 5


def test_the_lock_of_a_process_that_is_gone_is_waited_for(tmp_path: Path) -> None:
    """A child has the lock of a killed writer as well, from the fork to the exec."""
    Session.create(tmp_path / "one").close()
    code = (
        "import sys, time, filelock; lock = filelock.FileLock(sys.argv[1]); lock.acquire(); "
        "print('held', flush=True); time.sleep(0.5)"
    )
    with subprocess.Popen([sys.executable, "-c", ""]) as writer:
        pass
    note = {"pid": writer.pid, "host": socket.gethostname()}
    (tmp_path / "one" / "main.owner").write_text(json.dumps(note))
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "one" / "main.lock")],
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        Session.open_to_write(tmp_path / "one").close()


def test_only_the_owner_can_read_a_session(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        path = _filled(tmp_path / "sessions" / "one")
        with Session.open_to_write(path.parent):
            modes = {
                p.name: stat.S_IMODE(p.stat().st_mode)
                for p in [path.parent, *path.parent.iterdir()]
            }
    finally:
        os.umask(old)
    assert modes == {"one": 0o700, "main.jsonl": 0o600, "main.lock": 0o600, "main.owner": 0o600}
    assert stat.S_IMODE((tmp_path / "sessions").stat().st_mode) == 0o700


def test_a_second_writer_is_told_who_holds_the_session(tmp_path: Path) -> None:
    path = _filled(tmp_path / "one")
    code = (
        "import sys, pathlib; from eukhe.session import Session\n"
        "s = Session.open_to_write(pathlib.Path(sys.argv[1])); print('open', flush=True)\n"
        "sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path.parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "open\n"
        with pytest.raises(SessionBusyError, match=f"process {owner.pid} on ") as caught:
            Session.open_to_write(path.parent)
        assert caught.value.pid == owner.pid
        assert len(Session.open_to_read(path.parent).tree) == 5, "a reader needs no lock"
        owner.kill()
    with Session.open_to_write(path.parent) as session:
        session.commit()


def test_an_odd_note_of_the_owner_holds_nobody_up(tmp_path: Path) -> None:
    path = _filled(tmp_path / "one")
    note = path.with_name("main.owner")
    with Session.open_to_write(path.parent):
        for make in (os.mkfifo, os.mkdir, lambda at: at.symlink_to("/dev/zero")):
            note.unlink()
            make(note)
            with pytest.raises(SessionBusyError) as caught:
                Session.open_to_write(path.parent)
            assert caught.value.pid is None
            if note.is_dir():
                note.rmdir()
                note.touch()


def test_a_session_opened_to_read_refuses_commits(tmp_path: Path) -> None:
    path = _filled(tmp_path / "one")
    with pytest.raises(SessionError, match="opened to read"):
        Session.open_to_read(path.parent).commit()


def test_a_commit_that_fails_leaves_tree_and_journal_as_they_were(tmp_path: Path) -> None:
    """A real limit on the file's size, as a full disk would be, in a process of its own."""
    code = """
import pathlib, resource, signal, sys
from eukhe.session import CommitFailedError, Put, Session
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path = pathlib.Path(sys.argv[1])
session = Session.open_to_write(path)
size = session.path.stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 40, resource.RLIM_INFINITY))
before = list(session.tree.nodes())
for _ in range(2):
    try:
        session.commit(Put(session.tree.next_id, 0, "x" * 500))
    except CommitFailedError as error:
        print(error)
    assert list(session.tree.nodes()) == before
    assert session.path.stat().st_size == size
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(session.commit(Put(session.tree.next_id, 0, "room again")))
"""
    path = _filled(tmp_path / "one")
    done = subprocess.run(
        [sys.executable, "-c", code, str(path.parent)], capture_output=True, text=True, check=True
    )
    assert done.stdout.count("could not be stored in") == 2
    assert done.stdout.splitlines()[-1] == "5"
    assert len(Session.open_to_read(path.parent).tree) == 6


def test_a_journal_that_another_program_changed_is_not_written_to(tmp_path: Path) -> None:
    path = _filled(tmp_path / "one")
    with Session.open_to_write(path.parent) as session:
        with path.open("ab") as file:
            file.write(b"note to self\n")
        before = path.read_bytes()
        for _ in range(2):
            with pytest.raises(CommitFailedError):
                session.commit(Put(session.tree.next_id, 0, None))
        assert path.read_bytes() == before


@pytest.mark.parametrize("how", ["delete", "replace"])
def test_a_journal_that_is_gone_is_not_said_to_be_stored(tmp_path: Path, how: str) -> None:
    path = _filled(tmp_path / "one")
    with Session.open_to_write(path.parent) as session:
        if how == "replace":
            (tmp_path / "copy").write_bytes(path.read_bytes())
            (tmp_path / "copy").replace(path)
        else:
            path.unlink()
        for _ in range(2):
            with pytest.raises(CommitFailedError):
                session.commit(Put(session.tree.next_id, 0, None))


@pytest.mark.parametrize("kind", ["pipe", "directory", "device"])
def test_a_journal_that_is_no_file_is_refused_and_holds_nobody_up(
    tmp_path: Path, kind: str
) -> None:
    journal = tmp_path / "one" / "main.jsonl"
    journal.parent.mkdir()
    match kind:
        case "pipe":
            os.mkfifo(journal)
        case "directory":
            journal.mkdir()
        case _:
            journal.symlink_to("/dev/zero")
    for opened in (Session.open_to_read, Session.open_to_write):
        with pytest.raises((JournalDamagedError, SessionUnreadableError), match=r"main\.jsonl"):
            opened(journal.parent)


def test_an_odd_entry_beside_the_sessions_hides_none_of_them(tmp_path: Path) -> None:
    good = _filled(tmp_path / "20260101T000000000-aaaaaa").parent
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "ring").mkdir()
    (tmp_path / "ring" / "main.jsonl").symlink_to("main.jsonl")
    assert session_directories(tmp_path)[0] == good
    assert find_session(tmp_path, "2026") == good
    with pytest.raises(SessionUnreadableError, match="cannot be read"):
        Session.open_to_read(tmp_path / "ring")
    with pytest.raises(SessionNotFoundError):
        find_session(tmp_path, "x" * 5000)


def test_every_parent_is_a_conversation_and_only_a_rewind_takes_one_away() -> None:
    session = Session.in_memory("m")
    draft = session.draft()
    conversation = draft.conversation()
    row = draft.entry(conversation, "user", {})
    session.commit(*draft.records)
    before = list(session.tree.nodes())
    free = session.tree.next_id
    for bad in (
        Put(free, row, None),
        Put(free, 77, None),
        Put(conversation, 0, None),
        Del(conversation),
    ):
        with pytest.raises(UnsoundRecordError):
            session.commit(Put(free + 1, conversation, None), bad)
        assert list(session.tree.nodes()) == before
    session.commit(Rewind((Del(row), Del(conversation))))
    assert len(session.tree) == 0
    back = Rewind((Put(conversation, 0, to_json(Conversation())),))
    session.commit(back, Put(session.tree.next_id, conversation, None))
    assert session.conversations() == (conversation,)


def test_an_existing_directory_is_never_taken_for_a_new_session(tmp_path: Path) -> None:
    path = _filled(tmp_path / "one")
    before = path.read_bytes()
    with pytest.raises(CommitFailedError, match="exists"):
        Session.create(path.parent)
    assert path.read_bytes() == before


def test_a_document_is_replaced_and_found_after_a_rewind() -> None:
    session = Session.in_memory("m")
    draft = session.draft()
    conversation = draft.conversation()
    first = draft.document("eukhe.run", {"phase": "request"}, conversation)
    session.commit(*draft.records)
    draft = session.draft()
    assert draft.document("eukhe.run", {"phase": "done"}, conversation) == first
    session.commit(*draft.records)
    assert session.document("eukhe.run", conversation) == {"phase": "done"}
    session.commit(Rewind((Del(first),)))
    assert session.document("eukhe.run", conversation) is None
    assert session.conversations() == (conversation,)


def test_a_value_of_a_newer_eukhe_is_kept_and_not_read() -> None:
    assert from_json({"type": "hologram"}) is None
    assert from_json({"type": "entry", "kind": 3, "body": {}}) is None
    assert from_json(7) is None


def test_ids_sort_by_time() -> None:
    ids = [new_session_id(at) for at in (0, 999, 1000, 1_767_225_600_000, 1_767_225_600_001)]
    assert ids == sorted(ids)
    assert ids[0].startswith("19700101T000000000-")


def test_a_session_is_found_by_id_start_of_id_and_path(tmp_path: Path) -> None:
    for name in ("20260101T000000000-aaaaaa", "20260102T000000000-bbbbbb"):
        _filled(tmp_path / name)
    (tmp_path / "stray file").write_text("")
    assert len(session_directories(tmp_path)) == 2
    full = tmp_path / "20260102T000000000-bbbbbb"
    assert find_session(tmp_path, full.name) == full
    assert find_session(tmp_path, "20260102") == full
    assert find_session(tmp_path, str(full)) == full
    with pytest.raises(SessionNotFoundError, match="2 ids start with it"):
        find_session(tmp_path, "2026")
    for name in ("x", "", str(tmp_path / "x")):
        with pytest.raises(SessionNotFoundError):
            find_session(tmp_path, name)


def test_the_sessions_directory_has_one_precedence(tmp_path: Path) -> None:
    env = {"EUKHE_SESSION_DIR": "/a", "EUKHE_CODING_AGENT_SESSION_DIR": "/b"}
    home = Path("/c")
    flag = places(env, agent_dir=home, session_dir=tmp_path, setting="/d")
    assert flag.sessions_dir == tmp_path
    assert str(places(env, agent_dir=home, setting="/d").sessions_dir) == "/a"
    del env["EUKHE_SESSION_DIR"]
    assert str(places(env, agent_dir=home, setting="/d").sessions_dir) == "/b"
    del env["EUKHE_CODING_AGENT_SESSION_DIR"]
    assert str(places(env, agent_dir=home, setting="/d").sessions_dir) == "/d"
    assert places({}, agent_dir=home, setting="~/s").sessions_dir == Path("~/s").expanduser()
    assert str(places(env, agent_dir=home).sessions_dir) == "/c/sessions"

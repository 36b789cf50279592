"""10,000 random edits of random journals: the readers read, warn or refuse, and never crash."""

from __future__ import annotations

import json
import random
import zlib
from typing import TYPE_CHECKING, Any

from eukhe.agent.rows.record import agent_document, main_conversation
from eukhe.agent.rows.transcript import messages_of
from eukhe.agent.stored.export import to_json, to_markdown
from eukhe.agent.stored.export_html import to_html
from eukhe.agent.stored.mend import repair_session
from eukhe.agent.stored.outline import outline
from eukhe.agent.stored.search import search
from eukhe.agent.stored.summary import summarize
from eukhe.session import JournalDamagedError, Session, SessionError
from eukhe.session.branch import draft_fork, plan_rewind_of
from eukhe.session.history import point_at

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.session.tree import Json

EDITS = 10_000

_HOSTILE: tuple[Any, ...] = (
    None, True, 0, -1, 1, 2, 10**30, 1.5, "", "main", "start", [], {}, [[]], [None], {"text": 3},
    {"type": "text"}, {"type": "conversation"}, {"type": "conversation", "fork": {"entry": 9, "rows": "x"}},
    {"type": "entry", "kind": "assistant", "body": {"content": [{"type": "toolCall"}, 7], "usage": {"input": ""}}},
    {"type": "entry", "kind": "user", "of": -5, "body": {"content": "x"}},
    {"type": "document", "name": "eukhe.session", "body": {"main": 77}},
    {"type": "document", "name": "eukhe.agent", "body": {"tools": 3}},
)  # fmt: skip


def _journal(rng: random.Random, directory: Path) -> bytes:
    """A random journal of a random conversation."""
    with Session.create(directory, clock=lambda: rng.randrange(1 << 40)) as session:
        draft = session.draft()
        main = draft.conversation()
        draft.document("eukhe.session", {"main": main})
        draft.document("eukhe.agent", {"model": "m", "cwd": "/w"}, main)
        session.commit(*draft.records)
        for number in range(rng.randrange(2, 9)):
            draft = session.draft()
            text = {
                "type": "text",
                "text": rng.choice(["a", "ü\u2028", '","crc":"', "\ud83d", "\0"]),
            }
            call = {"type": "toolCall", "id": f"c{number}", "name": "read", "arguments": "{}"}
            kind = rng.choice(["user", "assistant", "tool_result", "eukhe.error"])
            body: dict[str, Json] = {
                "content": [text, call],
                "stop": "toolUse",
                "callId": f"c{number - 1}",
            }
            row = draft.entry(main, kind, body)
            draft.document("eukhe.state", {"n": number}, main)
            session.commit(*draft.records)
            first = session.entries(main)[0][0]
            if number > 2 and rng.random() < 0.2:
                session.commit(plan_rewind_of(session, point_at(session, first)).record())
                row = first
            if rng.random() < 0.2:
                draft = session.draft()
                draft_fork(draft, point_at(session, row))
                session.commit(*draft.records)
    return (directory / "main.jsonl").read_bytes()


def _edited(rng: random.Random, data: bytes) -> bytes:
    """Some bytes or lines changed, or a value within a line whose checksum is made to fit again."""
    if rng.random() < 0.5:
        return _edited_value(rng, data)
    edited = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5])):
        place = rng.randrange(len(edited) + 1)
        match rng.randrange(6):
            case 0 if edited:
                edited[place % len(edited)] = rng.randrange(256)
            case 1:
                edited[place:place] = rng.randbytes(rng.randrange(1, 9))
            case 2:
                del edited[place : place + rng.randrange(1, 40)]
            case 3:
                del edited[place:]
            case 4:
                lines = bytes(edited).splitlines(keepends=True)
                rng.shuffle(lines)
                edited = bytearray(b"".join(lines))
            case _:
                lines = bytes(edited).splitlines(keepends=True)
                edited += rng.choice(lines) if lines else b"\n"
    return bytes(edited)


def _edited_value(rng: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    number = rng.randrange(len(lines))
    form = json.loads(lines[number])
    del form["crc"]
    spots: list[tuple[Any, Any]] = []
    waiting: list[Any] = [form]
    while waiting:
        one = waiting.pop()
        keys = one.keys() if isinstance(one, dict) else range(len(one))
        for key in keys:
            spots.append((one, key))
            if isinstance(one[key], (dict, list)):
                waiting.append(one[key])
    holder, key = rng.choice(spots)
    if rng.random() < 0.2:
        del holder[key]
    else:
        holder[key] = rng.choice(_HOSTILE)
    text = json.dumps(form, separators=(",", ":"))
    if rng.random() < 0.05:
        text = text.replace(":1", rng.choice([":NaN", ":1e999", ":-0", ":" + "9" * 5000]), 1)
    body = text.encode()[:-1]
    lines[number] = body + b',"crc":"%08x"}\n' % zlib.crc32(body)
    return b"".join(lines)


def test_ten_thousand_random_edits_never_crash_a_reader(tmp_path: Path) -> None:
    rng = random.Random(5)
    read = refused = copied = 0
    path = tmp_path / "edited" / "main.jsonl"
    path.parent.mkdir()
    journal = b""
    for number in range(EDITS):
        if number % 200 == 0:
            journal = _journal(rng, tmp_path / f"j{number}")
        edited = _edited(rng, journal)
        path.write_bytes(edited)
        try:
            session = Session.open_to_read(path.parent)
        except JournalDamagedError as error:
            refused += 1
            assert 1 <= error.line <= edited.count(b"\n") + 1
            assert edited.count(b"\n", 0, error.offset) == error.line - 1
            if number % 100 == 0:
                copied += _repaired(path.parent, tmp_path / f"r{number}")
        else:
            read += 1
            _look_at(session)
        if number % 10 == 0:
            summarize(path.parent)
            list(search(path.parent, "a"))
        assert path.read_bytes() == edited, "reading changes nothing"
    assert min(read, refused) > EDITS / 10
    assert copied > 20


def _look_at(session: Session) -> None:
    """Everything that is made of a session that opens, whatever its values are."""
    main = main_conversation(session)
    agent_document(session)
    if main is not None:
        messages_of(row for _, row in session.entries(main))
    list(outline(session, everything=True))
    "".join(to_markdown(session))
    "".join(to_html(session))
    "".join(to_json(session))


def _repaired(source: Path, target: Path) -> bool:
    try:
        repair_session(source, target)
    except SessionError:
        assert not target.exists()
        return False
    again = Session.open_to_read(target)
    assert again.warnings == ()
    _look_at(again)
    return True

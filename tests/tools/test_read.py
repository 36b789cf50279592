"""The tool `read` on real files."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from pathlib import Path

import pytest

import eukhe.tools.read
from eukhe.tools import ToolContext, ToolFailedError, ToolOutput
from eukhe.tools.read import MAX_BYTES, MAX_LINE, MAX_LINES, ReadTool


def _read(cwd: Path, path: str, **more: object) -> str:
    context = ToolContext(cwd, {})
    return asyncio.run(ReadTool().run({"path": path, **more}, context)).text


def test_lines_come_back_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("one\r\ntwo é\n\nfour".encode())
    assert _read(tmp_path, "a.txt") == "one\r\ntwo é\n\nfour"
    assert _read(tmp_path, str(tmp_path / "a.txt"), offset=2, limit=1) == (
        "two é\n\n[lines 2 to 2; more follow, go on with offset 3]"
    )
    assert _read(tmp_path, "a.txt", offset=4.0, limit=9) == "four"


def test_a_result_is_bounded_in_lines_and_bytes(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("x\n" * (MAX_LINES + 5))
    text = _read(tmp_path, "lines", limit=10**9)
    assert text.count("x\n") == MAX_LINES
    assert f"go on with offset {MAX_LINES + 1}" in text
    assert _read(tmp_path, "lines", offset=MAX_LINES + 1) == "x\n" * 5
    (tmp_path / "wide").write_text(("y" * 3000 + "\n") * 100)
    assert MAX_BYTES <= len(_read(tmp_path, "wide")) <= MAX_BYTES + 3200


def test_a_very_long_line_is_cut_and_the_next_is_found(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(b"a" + "é".encode() * 3_000_000 + b"\nnext\n")
    text = _read(tmp_path, "long")
    assert len(text) < MAX_LINE + 100
    assert "more bytes of this line]\nnext\n" in text
    assert "\ufffd" not in text
    shown = text.split(" [")[0]
    assert f"[{6_000_002 - len(shown.encode())} more bytes" in text


def test_a_binary_file_is_refused_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "nul").write_bytes(b"\x7fELF\0\0")
    (tmp_path / "noise").write_bytes(bytes(range(128, 256)) * 4)
    with pytest.raises(ToolFailedError, match=r"binary file .*NUL bytes.*, 6 bytes"):
        _read(tmp_path, "nul")
    with pytest.raises(ToolFailedError, match="not UTF-8"):
        _read(tmp_path, "noise")


def test_a_few_odd_bytes_are_shown_and_told(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes("caf\u00e9 au lait\n".encode("latin-1") * 3)
    text = _read(tmp_path, "latin")
    assert text.startswith("caf\ufffd au lait\n")
    assert "[bytes that are not UTF-8" in text


def test_a_character_cut_by_the_first_look_is_no_binary(tmp_path: Path) -> None:
    for shift in range(4):
        (tmp_path / "smile").write_text("a" * shift + "\U0001f600" * 4000)
        assert _read(tmp_path, "smile").startswith("a" * shift + "\U0001f600")


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    os.mkfifo(tmp_path / "pipe")
    assert _read(tmp_path, "notes.txt") == "[the file is empty]"
    for path, why in {
        ".": "is a directory",
        "pipe": "is a pipe",
        "note.txt": "no file note.txt; there is notes.txt",
        "no/such": "there is no directory",
        "notes.txt/x": "cannot be read",
        "a\0b": "is no path",
    }.items():
        with pytest.raises(ToolFailedError, match=why):
            _read(tmp_path, path)


def test_an_offset_past_the_end_says_how_long_the_file_is(tmp_path: Path) -> None:
    (tmp_path / "two").write_text("1\n2\n")
    for offset in (3, 90):
        with pytest.raises(ToolFailedError, match="only 2 lines"):
            _read(tmp_path, "two", offset=offset)


@pytest.mark.skipif(not os.access("/proc/kmsg", os.R_OK), reason="needs a file that waits for news")
def test_a_plain_file_that_waits_for_news_holds_nobody_up(tmp_path: Path) -> None:
    begun = time.monotonic()
    with contextlib.suppress(ToolFailedError):
        _read(tmp_path, "/proc/kmsg")
    assert time.monotonic() - begun < 10


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc")
def test_a_file_of_proc_is_read(tmp_path: Path) -> None:
    assert " r-xp " in _read(tmp_path, "/proc/self/maps")


def test_an_abort_does_not_wait_for_a_disk_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = threading.Event()
    monkeypatch.setattr(eukhe.tools.read, "_read", lambda *_: ToolOutput(str(disk.wait(20))))

    async def abort() -> None:
        async with asyncio.timeout(0.1):
            await ReadTool().run({"path": "x"}, ToolContext(tmp_path, {}))

    begun = time.monotonic()
    try:
        with pytest.raises(TimeoutError):
            asyncio.run(abort())
        assert time.monotonic() - begun < 10
    finally:
        disk.set()


def test_a_file_that_becomes_a_pipe_while_it_is_opened_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    plain = (tmp_path / "plain").stat()
    monkeypatch.setattr(Path, "stat", lambda _: plain)
    with pytest.raises(ToolFailedError, match="is a pipe"):
        _read(tmp_path, "pipe")


def test_a_very_long_path_is_not_told_back_whole(tmp_path: Path) -> None:
    with pytest.raises(ToolFailedError) as caught:
        _read(tmp_path, "x/" * 100_000)
    assert len(str(caught.value)) < 500

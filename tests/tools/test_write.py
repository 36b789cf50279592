"""The tool `write` on real files."""

from __future__ import annotations

import asyncio
import os
import queue
import stat
import threading
import time
from typing import TYPE_CHECKING

import pytest

from eukhe.tools import ToolContext, ToolFailedError, atomic
from eukhe.tools.atomic import replace, target_of
from eukhe.tools.in_thread import Stop
from eukhe.tools.write import WriteTool
from tests.tools.calls import call

if TYPE_CHECKING:
    from pathlib import Path

_NOBODY = 65534


def _write(cwd: Path, path: str, content: str = "new\n") -> str:
    return call(cwd, "write", path=path, content=content)


def test_a_new_file_is_made_with_the_directories_above_it(tmp_path: Path) -> None:
    assert _write(tmp_path, "a/b/c.txt", "é\r\nno end") == "a/b/c.txt: 10 bytes written, a new file"
    assert (tmp_path / "a/b/c.txt").read_bytes() == "é\r\nno end".encode()
    assert [p.name for p in (tmp_path / "a/b").iterdir()] == ["c.txt"]


def test_a_new_file_gets_the_usual_mode(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        _write(tmp_path, "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_an_overwritten_file_keeps_its_mode_and_tells_its_old_size(tmp_path: Path) -> None:
    file = tmp_path / "run.sh"
    file.write_text("old")
    file.chmod(0o4751)
    assert _write(tmp_path, str(file)).endswith("4 bytes written, in the place of 3 bytes")
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("new\n", 0o4751)


def test_nobody_ever_sees_half_a_file(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old")
    with (tmp_path / "f").open() as reader:
        _write(tmp_path, "f", "x" * 1_000_000)
        assert reader.read() == "old", "the old file lives on for whoever has it open"


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "f").write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ToolFailedError, match="f cannot be written: No space left"):
        _write(tmp_path, "f")
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"f": "old"}


def test_the_content_is_on_the_disk_before_the_name_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, bool]] = []
    real = os.fsync

    def watch(fd: int) -> None:
        mode = os.fstat(fd).st_mode
        seen.append(("directory" if stat.S_ISDIR(mode) else "file", (tmp_path / "f").exists()))
        real(fd)

    monkeypatch.setattr(os, "fsync", watch)
    _write(tmp_path, "f")
    assert seen == [("file", False), ("directory", True)]


def test_a_symlink_inside_the_working_directory_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real/f")
    _write(tmp_path, "link", "through a link to what is not there yet")
    _write(tmp_path, "link", "again")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real/f").read_text() == "again"


def test_a_symlink_out_of_the_working_directory_is_refused_with_its_target(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (tmp_path / "profile").write_text("mine")
    (work / "notes").symlink_to("../profile")
    (work / "up").symlink_to("..")
    for path in ("notes", "up/profile", "up/new", str(work / "notes"), "up/../notes"):
        with pytest.raises(ToolFailedError, match="symlink out of the working directory"):
            _write(work, path)
    assert (tmp_path / "profile").read_text() == "mine"
    assert not (tmp_path / "new").exists()
    _write(work, "../profile", "said outright")
    assert (tmp_path / "profile").read_text() == "said outright"


def test_a_working_directory_that_is_a_link_is_no_way_out(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "work").symlink_to("real")
    _write(tmp_path / "work", "f")
    assert (tmp_path / "real/f").read_text() == "new\n"


def test_what_cannot_be_a_file_is_refused_with_the_reason(tmp_path: Path) -> None:
    begun = time.monotonic()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "plain").write_text("x")
    (tmp_path / "loop").symlink_to("loop")
    for path, why in {
        ".": "is a directory",
        "": "the empty path is a directory",
        "new/": "the path of a directory",
        "pipe": "is a pipe",
        "/dev/null": "a device",
        "plain/below": "Not a directory|exists",
        "loop": "symbolic links",
        "loop/x": "symbolic links",
        "a\0b": "is no path",
        "n" * 300: "too long",
        "x/" * 300_000: "too long",
        "/proc/self/new": "cannot be written|no file",
    }.items():
        with pytest.raises(ToolFailedError, match=why) as caught:
            _write(tmp_path, path)
        assert len(str(caught.value)) < 700
    assert sorted(p.name for p in tmp_path.iterdir()) == ["loop", "pipe", "plain"]
    assert time.monotonic() - begun < 20, "a path is not followed part by part when it is too long"


def test_half_a_character_is_refused_before_anything_is_touched(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old")
    with pytest.raises(ToolFailedError, match=r"content holds half a character \('\\ud800'"):
        _write(tmp_path, "f", "ab\ud800")
    with pytest.raises(ToolFailedError, match="is no path"):
        _write(tmp_path, "a\ud800")
    assert (tmp_path / "f").read_text() == "old"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a user who can become another")
def test_a_read_only_file_is_not_renamed_over(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    (tmp_path / "f").write_text("old")
    (tmp_path / "f").chmod(0o444)
    target = target_of(tmp_path, tmp_path / "f", "f")
    pid = os.fork()
    if pid == 0:
        os.setuid(_NOBODY)
        try:
            replace(target, "f", b"new", Stop())
        except ToolFailedError as error:
            os._exit(7 if "is read-only" in str(error) else 1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    assert (tmp_path / "f").read_text() == "old"


def test_a_file_that_changes_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old")
    target = target_of(tmp_path, tmp_path / "f", "f")
    (tmp_path / "f").write_text("by another program")
    with pytest.raises(ToolFailedError, match="has changed while"):
        replace(target, "f", b"new", Stop())
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"f": "by another program"}


def test_an_aborted_write_replaces_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f").write_text("old")
    ended = threading.Event()
    real = os.fsync

    def slow(fd: int) -> None:
        real(fd)
        ended.wait(20)

    monkeypatch.setattr(os, "fsync", slow)
    replaced = atomic.replace

    async def abort() -> None:
        async with asyncio.timeout(0.1):
            await WriteTool().run({"path": "f", "content": "new"}, ToolContext(tmp_path, {}))

    done: queue.Queue[str] = queue.Queue()

    def told(*arguments: object) -> None:
        try:
            replaced(*arguments)  # type: ignore[arg-type]  # passed on as they come
        except ToolFailedError as error:
            done.put(str(error))
            raise

    monkeypatch.setattr("eukhe.tools.atomic.replace", told)
    with pytest.raises(TimeoutError):
        asyncio.run(abort())
    ended.set()
    assert done.get(timeout=20).startswith("f has changed")
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"f": "old"}

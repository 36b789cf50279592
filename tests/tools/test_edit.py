"""The tool `edit` on real files."""

from __future__ import annotations

import os
import random
import stat
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from eukhe.tools import ToolFailedError
from eukhe.tools.edit_diff import MAX_DIFF, unified_diff
from eukhe.tools.edit_file import MAX_FILE_BYTES
from eukhe.tools.edit_hint import where_it_may_be
from eukhe.tools.edit_match import find_edit
from tests.tools.calls import call

if TYPE_CHECKING:
    from pathlib import Path


def _edit(cwd: Path, old: str, new: str, **more: object) -> str:
    return call(cwd, "edit", None, path="f", old_string=old, new_string=new, **more)


def _file(cwd: Path, content: str | bytes) -> Path:
    data = content if isinstance(content, bytes) else content.encode()
    (cwd / "f").write_bytes(data)
    return cwd / "f"


def test_the_only_place_is_replaced_and_shown_as_a_diff(tmp_path: Path) -> None:
    file = _file(tmp_path, "".join(f"line {n}\n" for n in range(1, 11)))
    file.chmod(0o755)
    assert _edit(tmp_path, "line 5\nline 6\n", "line 5\nsix\nand more\n") == (
        "f: edited\n--- f\n+++ f\n@@ -3,7 +3,8 @@\n line 3\n line 4\n line 5\n-line 6\n+six\n+and more\n"
        " line 7\n line 8\n line 9"
    )
    assert "line 5\nsix\nand more\nline 7\n" in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o755


def test_a_text_that_is_not_the_only_one_is_counted_and_located(tmp_path: Path) -> None:
    file = _file(tmp_path, "x = 1\ny\nx = 2\n\nx = 3\n")
    with pytest.raises(
        ToolFailedError, match=r"3 times in f, at lines 1, 3, 5; nothing was changed"
    ):
        _edit(tmp_path, "x = ", "z = ")
    assert file.read_text() == "x = 1\ny\nx = 2\n\nx = 3\n"
    done = _edit(tmp_path, "x = ", "z = ", replace_all=True)
    assert "3 places changed" in done
    assert done.count("\n+z = ") == 3
    assert file.read_text() == "z = 1\ny\nz = 2\n\nz = 3\n"


def test_places_that_overlap_are_not_one(tmp_path: Path) -> None:
    _file(tmp_path, "aaa\n")
    with pytest.raises(ToolFailedError, match="2 times in f, at lines 1, 1"):
        _edit(tmp_path, "aa", "b")


def test_many_places_are_named_by_the_first(tmp_path: Path) -> None:
    _file(tmp_path, "x\n" * 50)
    with pytest.raises(ToolFailedError, match=r"50 times in f, at lines 1, 2, .*, 10, \.\.\.;"):
        _edit(tmp_path, "x", "y")


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb\n", "one\ntwo\nthree\n", b"one\r\ntwo\r\nthree\r\nc\r\n"),
        (b"a\r\nb\r\n", "b", "b\nc", b"a\r\nb\r\nc\r\n"),
        (b"a\r\nb\r\n", "a\r\nb", "c\r\nd", b"c\r\nd\r\n"),
        (b"a\nb\r\nc\n", "b\n", "x\n", b"a\nx\r\nc\n"),
        (b"a\nb\r\nc\n", "a\nb", "x\ny", b"x\ny\r\nc\n"),
        (b"a\r\nb\r\na\nb\n", "a\nb", "x", b"a\r\nb\r\nx\n"),
        (b"a\nb\r\nc\n", "c", "c\nd", b"a\nb\r\nc\nd\n"),
        (b"a\nlast", "last\n", "end\n", b"a\nend"),
        (b"a\r\nlast", "last\n", "end\n", b"a\r\nend"),
        (b"a\nlast", "last", "end", b"a\nend"),
        (b"a\nb\n", "b\n", "b", b"a\nb"),
        (b"\xef\xbb\xbfa\n", "a", "b", b"\xef\xbb\xbfb\n"),
        (b"caf\xe9 x\n" + b"text " * 99, "x\n", "y\n", b"caf\xe9 y\n" + b"text " * 99),
        (b"a\rb\rc", "b", "d", b"a\rd\rc"),
    ],
)
def test_line_ends_and_odd_bytes_stay_as_they_are(
    tmp_path: Path, before: bytes, old: str, new: str, after: bytes
) -> None:
    file = _file(tmp_path, before)
    _edit(tmp_path, old, new)
    assert file.read_bytes() == after


@pytest.mark.parametrize(
    ("old", "hint"),
    [
        (
            "def f():\n    return 2\n",
            r"first line is at line 2, but line 2 of it is '    return 2' where",
        ),
        (
            "f():\n    return 1\nend",
            r"first 2 lines are at line 2, .* where the file's line 4 is ''",
        ),
        ("x = 1\nend\nmore", r"first 2 lines are at line 5, .* and the file ends there"),
        ("\treturn 1", r"Line 3 of the file, '    return 1', differs .* white space alone"),
        ("retrun 1;", r"nearest is line 3: '    return 1'"),
        ("something else altogether", "No line of the file is like it"),
        (" \n ", "white space alone"),
    ],
)
def test_a_text_that_is_not_there_gets_the_place_that_comes_nearest(
    tmp_path: Path, old: str, hint: str
) -> None:
    file = _file(tmp_path, content := "import os\ndef f():\n    return 1\n\nx = 1\nend")
    with pytest.raises(
        ToolFailedError, match=f"old_string is not in f; nothing was changed. .*{hint}"
    ):
        _edit(tmp_path, old, "new")
    assert file.read_text() == content


def test_what_changes_nothing_or_says_nothing_is_refused(tmp_path: Path) -> None:
    _file(tmp_path, "a\n")
    with pytest.raises(ToolFailedError, match="are the same"):
        _edit(tmp_path, "a", "a")
    with pytest.raises(AssertionError, match="'old_string' must have at least 1"):
        _edit(tmp_path, "", "a")
    with pytest.raises(ToolFailedError, match="new_string holds half a character"):
        _edit(tmp_path, "a", "\udfff")


def test_what_is_no_text_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\x7fELF\0\0")
    (tmp_path / "notes.txt").write_text("a")
    (tmp_path / "out").symlink_to("/etc/hostname")
    os.mkfifo(tmp_path / "pipe")
    for path, why in {
        "binary": "NUL bytes",
        "note.txt": "there is no file note.txt; there is notes.txt",
        "pipe": "is a pipe",
        "out": "symlink out of the working directory",
        ".": "is a directory",
        "/dev/zero": "a device",
        "a\0": "is no path",
        "y" * 5000: "too long",
    }.items():
        with pytest.raises(ToolFailedError, match=why):
            call(tmp_path, "edit", path=path, old_string="a", new_string="b")


def test_hostile_sizes_are_refused_soon(tmp_path: Path) -> None:
    begun = time.monotonic()
    file = _file(tmp_path, "a" * MAX_FILE_BYTES)
    with pytest.raises(ToolFailedError, match="more than 100000 times"):
        _edit(tmp_path, "a", "b", replace_all=True)
    with pytest.raises(ToolFailedError, match="would become too large"):
        _edit(tmp_path, "a" * 1000, "b" * 100_000, replace_all=True)
    with pytest.raises(ToolFailedError, match=r"\d+ times in f"):
        _edit(tmp_path, "a" * 1000, "b")
    with pytest.raises(ToolFailedError, match="is not in f"):
        _edit(tmp_path, "a" * 1000 + "b", "b")
    with file.open("a") as more:
        more.write("b")
    with pytest.raises(ToolFailedError, match="too large to edit"):
        _edit(tmp_path, "b", "c")
    assert time.monotonic() - begun < 30


def test_lines_that_are_all_alike_are_compared_for_a_bounded_time() -> None:
    line = "x" * 20 + "\n"
    begun = time.thread_time()
    hint = where_it_may_be((line * 20_000).encode(), (line * 10_000 + "y").encode())
    assert time.thread_time() - begun < 4
    assert hint.startswith("Its first 10000 lines are at line 1, but line 10001 of it is 'y'")


def test_the_hunks_of_a_diff_count_the_lines_that_came_before(tmp_path: Path) -> None:
    _file(tmp_path, "x\n" + "-\n" * 20 + "x\n" + "-\n" * 20 + "x\n")
    text = _edit(tmp_path, "x\n", "y\nz\n", replace_all=True)
    heads = [line for line in text.split("\n") if line.startswith("@@")]
    assert heads == ["@@ -1,4 +1,5 @@", "@@ -19,7 +20,8 @@", "@@ -40,4 +42,5 @@"]


def test_a_large_diff_is_cut(tmp_path: Path) -> None:
    _file(tmp_path, "old line\n" * 20_000)
    text = _edit(tmp_path, "old", "new", replace_all=True)
    assert len(text) < MAX_DIFF + 200
    assert text.endswith("[the rest of the diff is not shown]")
    _file(tmp_path, "x" * 100_000)
    with pytest.raises(ToolFailedError):
        _edit(tmp_path, "xx", "y")
    _file(tmp_path, "x" * 50_000 + "z" + "x" * 50_000)
    assert len(_edit(tmp_path, "z", "y")) < 1500


def test_the_diff_is_one_that_patch_takes(tmp_path: Path) -> None:
    rng = random.Random(7)
    for _ in range(150):
        ends = rng.choice((b"\n", b""))
        lines = [rng.choice((b"a", b"b", b"c", b"", b"dd a")) for _ in range(rng.randrange(1, 40))]
        data = b"\n".join(lines) + ends
        old = rng.choice((b"a", b"a\n", b"\nb", b"b\nc", b"c\n\n", b"d", b"a\nb\nc"))
        new = rng.choice((b"", b"X", b"X\n", b"\n", b"a\nY\nb", b"a", b"b\nc\n"))
        edit = find_edit(data, old, new)
        after = edit.apply()
        if after == data:
            continue
        (tmp_path / "p").write_bytes(data)
        diff = unified_diff(edit, "p") + "\n"
        patch = ["patch", "--no-backup-if-mismatch", "-s", "-F0", "p"]
        done = subprocess.run(patch, cwd=tmp_path, input=diff.encode(), capture_output=True)
        made = (tmp_path / "p").read_bytes() if (tmp_path / "p").exists() else b""
        assert (done.returncode, made) == (0, after), (data, old, new, diff, done)

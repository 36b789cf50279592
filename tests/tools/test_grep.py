"""The tool `grep` on real files and real processes."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from eukhe.tools import ToolContext, ToolFailedError, grep
from eukhe.tools.grep import GrepTool
from eukhe.tools.grep_process import MAX_SHOWN, Request
from eukhe.tools.output import KEPT_BYTES
from tests.tools.calls import call


def _grep(cwd: Path, pattern: str, **more: object) -> str:
    return call(cwd, "grep", None, pattern=pattern, **more)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("import os\nx = 1\n\ny = 2\nprint(x)\n")
    (tmp_path / "src").mkdir()
    (tmp_path / "src/b.py").write_bytes(b"X = 1\r\nz\r\n")
    (tmp_path / "src/c.txt").write_text("x = (1)\n")
    (tmp_path / "bin").write_bytes(b"x = 1\0")
    (tmp_path / "skipped").write_text("x = 1\n")
    (tmp_path / ".gitignore").write_text("skipped\n")
    (tmp_path / "link").symlink_to("a.py")
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


def test_matches_come_with_path_and_line(tree: Path) -> None:
    assert _grep(tree, r"^x = \(?\d") == "a.py:2: x = 1\nsrc/c.txt:1: x = (1)"
    assert _grep(tree, "^x", ignore_case=True, path="src") == (
        "src/b.py:1: X = 1\nsrc/c.txt:1: x = (1)"
    )
    assert _grep(tree, "1$", ignore_case=True, glob="*.py") == "a.py:2: x = 1\nsrc/b.py:1: X = 1"
    assert _grep(tree, "x = 1", ignored=True) == "a.py:2: x = 1\nskipped:1: x = 1"
    assert _grep(tree, "(1)", literal=True) == "src/c.txt:1: x = (1)"
    assert _grep(tree, "nowhere") == "[nothing found]"
    absolute = str(tree / "src")
    assert _grep(tree, "z", path=absolute) == f"{absolute}/b.py:2: z"


def test_a_file_is_searched_when_it_is_named(tree: Path) -> None:
    assert _grep(tree, "x = 1", path="skipped") == "skipped:1: x = 1"
    assert _grep(tree, "print", path="link") == "link:5: print(x)"
    assert _grep(tree, "x", path="bin") == "[bin is a binary file (it holds NUL bytes)]"
    for path, why in {"pipe": "is a pipe", "gone": "no file gone", "a\0": "is no path"}.items():
        with pytest.raises(ToolFailedError, match=why):
            _grep(tree, "x", path=path)


def test_lines_around_a_match_are_shown_once(tree: Path) -> None:
    (tree / "n").write_text("".join(f"{n}\n" for n in range(1, 21)))
    assert _grep(tree, "^(3|5|6|15)$", path="n", context=1).split("\n") == [
        *("n-2- 2", "n:3: 3", "n-4- 4", "n:5: 5", "n:6: 6", "n-7- 7", "--"),
        *("n-14- 14", "n:15: 15", "n-16- 16"),
    ]


def test_a_pattern_that_is_none_is_refused(tree: Path) -> None:
    with pytest.raises(
        ToolFailedError, match=r"no regular expression: unterminated .* literal takes"
    ):
        _grep(tree, "[a")
    with pytest.raises(ToolFailedError, match="glob: the braces"):
        _grep(tree, "a", glob="{a,b}" * 20)
    assert _grep(tree, "[[a]") == "[nothing found]", "what Python warns of goes nowhere"


def test_a_pattern_that_takes_for_ever_is_ended(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grep, "SECONDS", 2.5)
    (tree / "z").write_text("a" * 60 + "\n")
    (tree / "0").write_text("aab\n")
    begun = time.monotonic()
    text = _grep(tree, "^(a+)+b$")
    assert time.monotonic() - begun < 20
    assert text.startswith("0:1: aab\n[the search was ended after 2.5 s"), "what was found is kept"


def test_a_search_ends_itself_when_nobody_is_left(tree: Path) -> None:
    (tree / "z").write_text("a" * 60 + "\n")
    request = Request(str(tree / "z"), "z", "^(a+)+b$", False, "", 0, False, seconds=-1)
    process = grep._start(request, ToolContext(tree, {}))
    assert process.wait(timeout=30) == -14
    assert process.stdout is not None
    process.stdout.close()


def test_an_abort_ends_the_process(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "z").write_text("a" * 60 + "\n")
    started: list[int] = []
    real = grep._start

    def start(request: Request, context: ToolContext) -> object:
        process = real(request, context)
        started.append(process.pid)
        return process

    monkeypatch.setattr(grep, "_start", start)

    async def abort() -> None:
        async with asyncio.timeout(1.5):
            await GrepTool().run({"pattern": "^(a+)+b$"}, ToolContext(tree, {}))

    with pytest.raises(TimeoutError):
        asyncio.run(abort())
    until = time.monotonic() + 8  # before it would end itself
    while Path(f"/proc/{started[0]}/stat").exists() and time.monotonic() < until:
        time.sleep(0.02)
    with pytest.raises(ProcessLookupError):
        os.kill(started[0], 0)


def test_results_are_bounded_with_the_whole_in_a_file(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "many").write_text("hit\n" * 15_000)
    text = call(work, "grep", tmp_path / "outputs", pattern="hit")
    (stored,) = (tmp_path / "outputs").iterdir()
    assert len(text) < KEPT_BYTES + 300
    assert len(stored.read_text().splitlines()) == 15_000
    (work / "many").write_text("hit\n" * 50_000)
    assert "[more than 20000 lines were found; narrow the search]" in _grep(work, "hit")


def test_a_long_line_is_shown_around_its_match(tmp_path: Path) -> None:
    (tmp_path / "min.js").write_text("x" * 5000 + "needle" + "y" * 3_000_000 + "\nnext needle\n")
    first, second = _grep(tmp_path, "needle").split("\n")
    assert "xneedley" in first
    assert len(first) < MAX_SHOWN + 30
    assert second == "min.js:2: next needle"


def test_odd_bytes_and_odd_names_hold_nothing_up(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"caf\xe9 hit\n" + b"text " * 50)
    Path(os.fsdecode(bytes(tmp_path) + b"/\xff\n")).write_text("hit\n")
    assert _grep(tmp_path, "hit") == "latin:1: caf\ufffd hit\n\ufffd\\n:1: hit"


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_a_system_directory_is_searched_for_a_bounded_time(tmp_path: Path) -> None:
    begun = time.monotonic()
    assert "Name:" in _grep(tmp_path, "^Name:", path=f"/proc/{os.getpid()}", ignored=True)
    assert time.monotonic() - begun < 30

"""The tools `find` and `ls`, and what a walk leaves out, on real directories."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from eukhe.tools import ToolFailedError
from eukhe.tools.output import KEPT_BYTES
from eukhe.tools.walk import Walk
from tests.tools.calls import call


def _make(root: Path, *files: str) -> None:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


def _find(cwd: Path, pattern: str, **more: object) -> list[str]:
    return call(cwd, "find", None, pattern=pattern, **more).split("\n")


def test_paths_come_in_order_as_other_tools_take_them(tmp_path: Path) -> None:
    _make(tmp_path, "b.py", "a/c.py", "a/b/x.py", "a/x.txt", ".hidden/y.py")
    assert _find(tmp_path, "*.py") == ["b.py", ".hidden/y.py", "a/c.py", "a/b/x.py"]
    assert _find(tmp_path, "*", path="a") == ["a/b/", "a/c.py", "a/x.txt", "a/b/x.py"]
    assert _find(tmp_path, "x.*", path=str(tmp_path / "a/")) == [
        str(tmp_path / "a/x.txt"),
        str(tmp_path / "a/b/x.py"),
    ]
    assert _find(tmp_path, "*.rs") == ["[nothing found]"]


def test_what_gitignore_names_is_left_out_unless_asked_for(tmp_path: Path) -> None:
    _make(tmp_path, "keep.log", "x.log", "build/a", "src/build", "src/x.tmp", "node_modules/m/i.js")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("# a note\n*.log\n!keep.log\nbuild/\n")
    (tmp_path / "src/.gitignore").write_text("*.tmp\n")
    assert _find(tmp_path, "*") == [".gitignore", "keep.log", "src/", "src/.gitignore", "src/build"]
    assert "src/x.tmp" not in _find(tmp_path, "*", path="src"), "files above count too"
    assert _find(tmp_path / "src", "*.tmp") == ["[nothing found]"]
    assert _find(tmp_path, "*.log", ignored=True) == ["keep.log", "x.log"]
    assert _find(tmp_path, "i.js", path="node_modules") == ["node_modules/m/i.js"], "named outright"
    _make(tmp_path, "src/below.log")
    assert _find(tmp_path / "src", "*.log") == ["[nothing found]"]


@pytest.mark.skipif(shutil.which("git") is None, reason="compares with git")
def test_gitignore_means_what_git_means(tmp_path: Path) -> None:
    rng = random.Random(11)
    names = ("a", "b", "c.x", "d.y", "ab")
    rules: tuple[str, ...] = (
        "a",
        "b/",
        "*.x",
        "!c.x",
        "/a",
        "a/b",
        "a/*",
        "!a/b",
        "**/d.y",
        "a/**",
        "!a/ab",
        "b/**/a",
    )
    rules = (*rules, "[ab]", "?b", "/b/", "#a", "", "d.y  ", "!/a", "*", "!*/", "!*.x")
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    for number in range(40):
        root = tmp_path / str(number)
        root.mkdir()
        for _ in range(12):
            path = root.joinpath(*rng.choices(names, k=rng.randrange(1, 4)))
            if not any(one.is_file() for one in path.parents) and not path.exists():
                _make(root, str(path.relative_to(root)))
        for place in (root, root / "a", root / "b"):
            if place.is_dir() and rng.random() < 0.7:
                chosen = rng.sample(rules, k=rng.randrange(1, 5))
                (place / ".gitignore").write_text("\n".join(chosen) + "\n")
        subprocess.run(["git", "init", "-q"], cwd=root, env=environ, check=True)
        listing = ["git", "ls-files", "-o", "--exclude-standard"]
        said = subprocess.run(listing, cwd=root, env=environ, check=True, capture_output=True)
        walk = Walk(root, everything=False, seconds=20, stopped=lambda: False)
        mine = sorted("/".join(found.parts) for found in walk.entries() if found.is_file)
        rules_of = {str(p): p.read_text() for p in root.rglob(".gitignore")}
        assert mine == sorted(said.stdout.decode().splitlines()), rules_of


def test_links_are_shown_and_not_followed(tmp_path: Path) -> None:
    _make(tmp_path, "d/x")
    (tmp_path / "d/loop").symlink_to("..")
    (tmp_path / "d/self").symlink_to("self")
    assert _find(tmp_path, "*") == ["d/", "d/loop", "d/self", "d/x"]
    assert call(tmp_path, "ls", path="d") == "loop -> ..\nself -> self\nx (3 bytes)"


def test_a_directory_is_listed_with_kinds_and_sizes(tmp_path: Path) -> None:
    _make(tmp_path, "b/x", "a.txt", ".hidden")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "new\nline").write_text("")
    (Path(os.fsdecode(bytes(tmp_path) + b"/\xff"))).write_text("")
    assert call(tmp_path, "ls").split("\n") == [
        ".hidden (7 bytes)",
        "a.txt (5 bytes)",
        "b/",
        "new\\nline (0 bytes)",
        "pipe (a pipe, a socket or a device)",
        "\ufffd (0 bytes)",
    ]
    (tmp_path / "empty").mkdir()
    assert call(tmp_path, "ls", path="empty") == "[the directory is empty]"
    assert "\ufffd" in _find(tmp_path, "*")


def test_what_is_no_directory_is_refused(tmp_path: Path) -> None:
    _make(tmp_path, "notes")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for path, why in {
        "notes": "is a file",
        "note": "there is notes",
        "pipe": "is a pipe",
        "loop": "symbolic links",
        "/dev/zero": "a device",
        "a\0": "is no path",
        "\ud800": "is no path",
        "x/" * 100_000: "too long",
    }.items():
        for tool, more in (("ls", {}), ("find", {"pattern": "*"})):
            with pytest.raises(ToolFailedError, match=why) as caught:
                call(tmp_path, tool, None, path=path, **more)
            assert len(str(caught.value)) < 700


def test_a_long_list_is_cut_with_the_whole_in_a_file(tmp_path: Path) -> None:
    many = tmp_path / "many"
    many.mkdir()
    for number in range(5000):
        (many / f"file-{number:05}").touch()
    for tool, more in (("ls", {}), ("find", {"pattern": "*"})):
        text = call(many, tool, tmp_path / "outputs", **more)
        assert len(text) < KEPT_BYTES + 300
        (stored,) = (tmp_path / "outputs").iterdir()
        assert f"the full output is in {stored}" in text
        assert len(stored.read_text().splitlines()) == 5000
        stored.unlink()


def test_a_walk_ends_at_its_time_and_when_nobody_waits(tmp_path: Path) -> None:
    for number in range(600):
        (tmp_path / str(number)).touch()
    late = Walk(tmp_path, everything=True, seconds=-1, stopped=lambda: False)
    assert len(list(late.entries())) < 300
    assert "took more than" in late.limit
    stopped = Walk(tmp_path, everything=True, seconds=20, stopped=lambda: True)
    assert len(list(stopped.entries())) < 300
    assert stopped.limit


def test_a_very_deep_tree_and_a_system_directory_are_walked(tmp_path: Path) -> None:
    name = "d" * 60
    fd = os.open(tmp_path, os.O_RDONLY)
    for _ in range(100):
        os.mkdir(name, dir_fd=fd)
        deeper = os.open(name, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = deeper
    os.close(fd)
    begun = time.monotonic()
    found = _find(tmp_path, "d*")
    assert (found[0], found[-1]) == (f"{name}/", "[1 could not be read]"), "a path has its longest"
    _find(Path("/proc/self"), "status", ignored=True)
    assert time.monotonic() - begun < 50

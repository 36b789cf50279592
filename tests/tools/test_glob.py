"""Patterns of paths."""

from __future__ import annotations

import time

import pytest

from eukhe.tools.glob import BadGlobError, Glob


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("*.py", ["a.py", "x/y/a.py", ".py"], ["a.pyc", "a.py/x"]),
        ("src/*.py", ["src/a.py"], ["src/x/a.py", "x/src/a.py", "a.py"]),
        ("/a", ["a"], ["x/a"]),
        ("src/**/t_*", ["src/t_", "src/a/b/t_x"], ["t_x", "src/x", "x/src/t_x"]),
        ("**/b", ["b", "a/b", "a/a/b"], ["b/a", "ab"]),
        ("a/**", ["a/x", "a/x/y"], ["a", "b/a/x"]),
        ("**", ["a", "a/b"], []),
        ("a/**/**/b", ["a/b", "a/x/y/b"], ["a"]),
        ("*.{ts,tsx}", ["a.ts", "d/a.tsx"], ["a.t", "a.{ts,tsx}"]),
        ("{a,b}/{c,d}.x", ["a/c.x", "b/d.x"], ["a/b.x", "x/a/c.x"]),
        ("[!a]?", ["bc", "x/zz"], ["ab", "b"]),
        ("./a/b", ["a/b"], ["b"]),
        ("dir/", ["dir", "x/dir"], ["dirs"]),
        ("a\n*", ["a\nb"], ["a"]),
    ],
)
def test_a_pattern_takes_its_paths_and_no_others(
    pattern: str, inside: list[str], outside: list[str]
) -> None:
    glob = Glob.of(pattern)
    assert [p for p in inside if not glob.matches(p.split("/"))] == []
    assert [p for p in outside if glob.matches(p.split("/"))] == []


@pytest.mark.parametrize("pattern", ["", "/", "x" * 1001, "{a,b}" * 7, "{" + "a," * 65 + "}"])
def test_a_pattern_that_is_none_is_refused(pattern: str) -> None:
    with pytest.raises(BadGlobError):
        Glob.of(pattern)


def test_no_pattern_is_slow() -> None:
    begun = time.monotonic()
    for pattern in ("*a" * 400 + "b", "**/a/" * 150 + "b", "[" * 900, "?*" * 400 + "b"):
        Glob.of(pattern).matches(["a"] * 300)
        Glob.of(pattern).matches(["a" * 255])
    assert time.monotonic() - begun < 10

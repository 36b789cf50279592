"""A file is written whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eukhe.cli.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def _breaks() -> Iterator[bytes]:
    yield b"half"
    raise ValueError("the rest cannot be made")


def test_what_cannot_be_made_whole_leaves_what_was_there(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_text("as it was")
    for path in (old, tmp_path / "new"):
        with pytest.raises(ValueError, match="rest"):
            write_whole(path, _breaks())
    assert old.read_text() == "as it was"
    assert [child.name for child in tmp_path.iterdir()] == ["old"]


def test_a_link_goes_on_pointing_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "there" / "file")
    write_whole(link, [b"a", b"b"])
    assert link.is_symlink()
    assert (tmp_path / "there" / "file").read_bytes() == b"ab"

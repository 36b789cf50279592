"""Many processes, killed processes, and disks that take nothing: no set is lost and no file is torn (S4b.1)."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eukhe.core.config import SETTINGS, Put
from eukhe.core.cvar import Place
from eukhe.settings.cfg import with_set
from eukhe.settings.disk import read_text
from eukhe.settings.errors import LockedError, WriteFailedError
from eukhe.settings.load import cfg_layer
from eukhe.settings.writer import change_document, change_text
from tests.settings.setter import KEYS

if TYPE_CHECKING:
    from collections.abc import Iterator

PROCESSES = 8
ROOT = Path(__file__).parent.parent.parent


def _start(agent: Path, file: str, first: int, number: int) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "tests.settings.setter",
        str(agent),
        file,
        str(first),
        str(number),
    ]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


def _values(agent: Path, file: str) -> dict[str, int]:
    """The numbers in a file; a file that is torn fails here."""
    if file == "settings":
        found = json.loads((agent / "settings.json").read_text())
        assert isinstance(found, dict)
        return found
    layer = cfg_layer(agent / "config.cfg", read_text(agent / "config.cfg"), Place.GLOBAL, {})
    assert layer.issues == ()
    return {one.id: int(getattr(one.given, "text", "-1")) for one in layer.entries}


def test_eight_processes_set_200_keys_each_and_all_1600_land(tmp_path: Path) -> None:
    """Every process sets its keys in settings.json and in config.cfg, in turns."""
    share = KEYS // PROCESSES
    running = [_start(tmp_path, "both", n * share, share) for n in range(PROCESSES)]
    assert [process.wait(110) for process in running] == [0] * PROCESSES
    for process in running:
        assert process.stdout is not None
        process.stdout.close()
    landed = [_values(tmp_path, file) for file in ("settings", "cfg")]
    assert [len(one) for one in landed] == [KEYS // 2, KEYS // 2]
    assert landed[0] | landed[1] == {f"k{n}": n for n in range(KEYS)}
    assert not list(tmp_path.glob(".*.new"))


@pytest.mark.parametrize("file", ["settings", "cfg"])
def test_a_writer_killed_at_any_moment_leaves_a_whole_file_and_a_free_lock(
    tmp_path: Path, file: str
) -> None:
    draw = random.Random(11)
    last = 0
    path = tmp_path / ("settings.json" if file == "settings" else "config.cfg")
    for _ in range(8):
        process = _start(tmp_path, file, 0, 0)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(draw.random() * 0.1)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        now = _values(tmp_path, file).get("k0", 0) if path.exists() else 0
        assert now >= 0
        last = max(last, now)
        # The lock is free again, and what the killed process left beside the file is in nobody's way.
        if file == "settings":
            change_document(path, SETTINGS, Put((), "k1", now), patience=5)
        else:
            change_text(path, lambda found, n=now: with_set(found.text, "k1", n), patience=5)  # type: ignore[misc]  # mypy cannot type a bound default
        assert _values(tmp_path, file)["k1"] == now
        assert not list(tmp_path.glob(".*.new"))
    assert last > 0, "no set landed before the kill: the test proves nothing"


def test_a_lock_that_is_held_is_told_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"

    def inside(_: object) -> None:
        with pytest.raises(
            LockedError, match=r"another process has held \.settings\.json\.lock for 0\.05 s"
        ):
            change_document(path, SETTINGS, Put((), "a", 1), patience=0.05)

    assert not change_text(path, inside)
    assert not path.exists()


def _as_nobody(agent: Path, code: str) -> str:
    """Run a setter as a user who owns nothing here; root may write everywhere."""
    if os.geteuid() != 0:
        prefix: list[str] = []
    else:
        prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    program = f"""
import sys
from pathlib import Path
from eukhe.core.config import SETTINGS, Put
from eukhe.settings.errors import WriteFailedError
from eukhe.settings.writer import change_document
try:
    change_document(Path(sys.argv[1]), SETTINGS, Put((), {code}))
except WriteFailedError as error:
    print(error)
"""
    done = subprocess.run(
        [*prefix, sys.executable, "-c", program, str(agent / "settings.json")],
        capture_output=True,
        text=True,
        check=False,
    )
    if prefix and not done.stdout:
        pytest.skip(f"another user cannot run this Python here: {done.stderr[-80:]}")
    return done.stdout


def test_a_read_only_directory_is_a_clear_error_and_nothing_is_lost(tmp_path: Path) -> None:
    for above in (tmp_path, *tmp_path.parents):
        if above.stat().st_uid == os.geteuid() and above != Path("/"):
            above.chmod(0o755)
    path = tmp_path / "settings.json"
    path.write_text('{"a": 1}')
    tmp_path.chmod(0o555)
    try:
        said = _as_nobody(tmp_path, "'a', 2")
    finally:
        tmp_path.chmod(0o755)
    assert said == f"{path} could not be written: Permission denied; it is as it was before\n"
    assert path.read_text() == '{"a": 1}'
    assert [one.name for one in tmp_path.iterdir()] == ["settings.json"]


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 KiB, where mounting is permitted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a file system is not permitted here")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_disk_is_a_clear_error_and_nothing_is_lost(tiny_disk: Path) -> None:
    path = tiny_disk / "settings.json"
    change_document(path, SETTINGS, Put((), "a", 1))
    before = path.read_bytes()
    with pytest.raises(WriteFailedError, match="No space left on device; it is as it was"):
        change_document(path, SETTINGS, Put((), "b", "x" * 50_000))
    assert path.read_bytes() == before
    assert sorted(one.name for one in tiny_disk.iterdir()) == [
        ".settings.json.lock",
        "settings.json",
    ]
    change_document(path, SETTINGS, Put((), "b", 2))
    assert json.loads(path.read_text()) == {"a": 1, "b": 2}

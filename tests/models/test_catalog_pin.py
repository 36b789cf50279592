"""The script that pins the bundled catalog, on a repository of its own."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.models.test_bundled import ROW

SCRIPT = Path(__file__).parents[2] / "scripts/catalog_pin.py"


def script(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def git(where: Path, *arguments: str) -> str:
    who = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(where), *who, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def commit(where: Path, catalog: str) -> str:
    (where / "models/catalog.v1.json").write_text(catalog)
    git(where, "add", ".")
    git(where, "commit", "-qm", "Change the catalog")
    return git(where, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    where = tmp_path / "repository"
    (where / "models").mkdir(parents=True)
    git(where, "init", "-q")
    (where / "models/defaults.v1.json").write_text("{}")
    commit(where, json.dumps({"schemaVersion": 1, "models": [ROW]}))
    return where


def test_a_pin_records_the_commit_and_the_sha256_of_each_file(
    repository: Path, tmp_path: Path
) -> None:
    pin, out = tmp_path / "pin.json", tmp_path / "models.bundled.json"
    done = script("pin", repository, "--pin", pin)
    assert done.returncode == 0, done.stderr
    pinned = json.loads(pin.read_text())
    catalog = (repository / "models/catalog.v1.json").read_bytes()
    assert pinned == {
        "repository": str(repository),
        "commit": git(repository, "rev-parse", "HEAD"),
        "sha256": {
            "models/catalog.v1.json": hashlib.sha256(catalog).hexdigest(),
            "models/defaults.v1.json": hashlib.sha256(b"{}").hexdigest(),
        },
    }
    # What comes later in the repository does not change what the pin makes.
    commit(repository, json.dumps({"schemaVersion": 1, "models": [{**ROW, "name": "New"}]}))
    done = script("make", "--pin", pin, "--out", out)
    assert done.returncode == 0, done.stderr
    assert out.read_bytes() == catalog


def test_a_catalog_with_a_wrong_checksum_is_not_taken(repository: Path, tmp_path: Path) -> None:
    pin, out = tmp_path / "pin.json", tmp_path / "models.bundled.json"
    script("pin", repository, "--pin", pin)
    pinned = json.loads(pin.read_text())
    pinned["sha256"]["models/catalog.v1.json"] = "0" * 64
    pin.write_text(json.dumps(pinned))
    done = script("make", "--pin", pin, "--out", out)
    assert done.returncode == 1
    assert "models/catalog.v1.json has the sha256" in done.stderr
    assert "nothing was written" in done.stderr
    assert not out.exists()


def test_a_catalog_that_is_not_valid_is_not_pinned(repository: Path, tmp_path: Path) -> None:
    commit(repository, json.dumps({"schemaVersion": 1, "models": [{**ROW, "id": ""}]}))
    done = script("pin", repository, "--pin", tmp_path / "pin.json")
    assert done.returncode == 1
    assert "models[0].id: expected a text of 1 to 1024 characters" in done.stderr
    assert not (tmp_path / "pin.json").exists()
    # An older commit can still be pinned.
    assert (
        script("pin", repository, "--ref", "HEAD~1", "--pin", tmp_path / "pin.json").returncode == 0
    )


def test_a_source_that_is_no_repository_is_said_so(tmp_path: Path) -> None:
    done = script("pin", tmp_path / "nothing", "--pin", tmp_path / "pin.json")
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot be cloned" in done.stderr
    done = script("make", "--pin", tmp_path / "pin.json")
    assert "is not there; make it first" in done.stderr


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"repository": "x", "commit": "--output=stolen"}',
        '{"commit": "' + "0" * 40 + '"}',
    ],
)
def test_a_pin_that_is_none_is_said_so_and_nothing_runs(text: str, tmp_path: Path) -> None:
    pin = tmp_path / "pin.json"
    pin.write_text(text)
    done = script("make", "--pin", pin, "--out", tmp_path / "out")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Traceback" not in done.stderr
    assert str(pin) in done.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["pin.json"]

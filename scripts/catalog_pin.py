"""Pin the bundled catalog to a commit, and make `models.bundled.json` from the pin.

    python scripts/catalog_pin.py pin [SOURCE] [--ref REF]     # record the commit and the sha256 of each file
    python scripts/catalog_pin.py make [SOURCE] [--out FILE]   # take the pinned files and check them

SOURCE is any git URL or a folder with a repository; without one it is the repository that the pin names. The
catalog is validated as eukhe itself reads it. Review the diff of the pin, then commit it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

from eukhe.models.bundled import FILE, load_bundle

REPOSITORY = "https://github.com/PrimeIntellect-ai/prime-agent-catalog"
PIN = Path(__file__).with_name("catalog-pin.json")
CATALOG = "models/catalog.v1.json"
GIT = shutil.which("git") or "git"
FILES = (CATALOG, "models/defaults.v1.json")


def fail(message: str) -> NoReturn:
    """End with a message."""
    sys.exit(f"catalog_pin: {message}")


def git(where: Path, *arguments: str) -> bytes:
    """Run git and return what it prints."""
    command = [GIT, "-C", str(where), *arguments]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        fail(f"git {arguments[0]} failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def cloned(source: str, where: Path) -> Path:
    """Fetch a repository without a working tree, so that nothing in it can run."""
    command = [GIT, "clone", "--quiet", "--bare", "--", source, str(where)]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        fail(f"{source} cannot be cloned: {done.stderr.decode(errors='replace').strip()}")
    return where


def contents(repository: Path, commit: str) -> dict[str, bytes]:
    """Return the catalog's files at a commit."""
    return {name: git(repository, "show", f"{commit}:{name}") for name in FILES}


def digests(files: dict[str, bytes]) -> dict[str, str]:
    """Return the sha256 of each file."""
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


def validate(files: dict[str, bytes], where: Path) -> int:
    """Read the catalog as eukhe does and return how many models it has."""
    path = where / FILE
    path.write_bytes(files[CATALOG])
    bundle = load_bundle(path)
    if bundle.models is None:
        faults = "\n  ".join(fault.text for fault in bundle.faults) or "it is empty"
        fail(f"{CATALOG} is not valid:\n  {faults}")
    return len(bundle.models)


def pin(source: str | None, ref: str, path: Path) -> None:
    """Record a commit."""
    repository = source or _pinned(path).get("repository") or REPOSITORY
    with tempfile.TemporaryDirectory() as directory:
        where = Path(directory)
        clone = cloned(str(repository), where / "catalog.git")
        commit = git(clone, "rev-parse", f"{ref}^{{commit}}").decode().strip()
        files = contents(clone, commit)
        models = validate(files, where)
    document = {"repository": repository, "commit": commit, "sha256": digests(files)}
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    print(f"{path}: pinned {commit[:12]} of {repository}, {models} models")


def make(source: str | None, path: Path, out: Path) -> None:
    """Make the bundled catalog from the pin."""
    pinned = _pinned(path)
    if not pinned:
        fail(f"{path} is not there; make it first: catalog_pin.py pin SOURCE")
    with tempfile.TemporaryDirectory() as directory:
        where = Path(directory)
        clone = cloned(source or str(pinned["repository"]), where / "catalog.git")
        files = contents(clone, str(pinned["commit"]))
        sha256 = pinned.get("sha256")
        if not isinstance(sha256, dict):
            fail(f"{path} has no sha256 of the files; pin the catalog again")
        for name, digest in digests(files).items():
            wanted = sha256.get(name)
            if digest != wanted:
                fail(
                    f"{name} has the sha256 {digest}, and the pin says {wanted}; nothing was written"
                )
        models = validate(files, where)
    out.write_bytes(files[CATALOG])
    print(f"{out}: {models} models of {str(pinned['commit'])[:12]}")


def _pinned(path: Path) -> dict[str, object]:
    """Read the pin; empty for none."""
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        fail(f"{path} cannot be read: {error}")
    sound = isinstance(found, dict) and isinstance(found.get("repository"), str)
    if not sound or not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", str(found.get("commit"))):
        fail(
            f"{path} is no pin: it needs a repository and the commit in full; pin the catalog again"
        )
    return dict(found)


def main() -> None:
    """Pin or make."""
    parser = argparse.ArgumentParser(description="Pin and make the bundled catalog of models.")
    parser.add_argument("what", choices=["pin", "make"])
    parser.add_argument("source", nargs="?", help="a git URL or a folder with a repository")
    parser.add_argument("--ref", default="HEAD", help="what to pin")
    parser.add_argument("--pin", type=Path, default=PIN, help="the file of the pin")
    parser.add_argument("--out", type=Path, default=Path(FILE), help="the file to make")
    given = parser.parse_args()
    if given.what == "pin":
        pin(given.source, given.ref, given.pin)
    else:
        make(given.source, given.pin, given.out)


if __name__ == "__main__":
    main()

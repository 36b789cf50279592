"""A file that is written whole or not at all."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def write_whole(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file beside its place and give it its name when all of it is on the disk.

    What is no plain file, such as a pipe or `/dev/stdout`, is written as it is.

    Raises:
        OSError: it cannot be written; what was there before is still there.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            file.writelines(pieces)
        return
    target = path.resolve()  # a link goes on pointing to the new file
    part = target.with_name(f".{target.name}-{secrets.token_hex(3)}.part")
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with open(fd, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise

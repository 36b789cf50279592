"""Output of any length in bounded memory: its two ends for the model, the whole in a file."""

from __future__ import annotations

import codecs
import contextlib
import os
import secrets
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KEPT_BYTES = 32 * 1024
"""The most bytes of one output that a model gets; half from its start, half from its end."""

FILE_BYTES = 256 * 1024 * 1024
"""The most bytes of one output that are stored; a runaway command must not fill the disk."""


class OutputBuffer:
    """Takes output as it comes.

    Args:
        directory: where a file for a long output is made, mode 0600; None for no file.
        on_text: told each piece as text.
    """

    def __init__(self, directory: Path | None, on_text: Callable[[str], None]) -> None:
        self._directory = directory
        self._on_text = on_text
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0
        self._file: BinaryIO | None = None
        self.path: Path | None = None

    def feed(self, piece: bytes) -> None:
        """Take the next bytes."""
        half = KEPT_BYTES // 2
        if self._total + len(piece) > KEPT_BYTES and self.path is None:
            self._open_file()
        self._store(piece)
        self._total += len(piece)
        room = half - len(self._head)
        self._head += piece[:room]
        self._tail += piece[room:]
        # Cutting only at twice the size keeps the copying linear in the output.
        if len(self._tail) > 2 * half + (1 << 16):
            del self._tail[: len(self._tail) - half]
        self._on_text(self._decoder.decode(piece))

    def finish(self) -> str:
        """Close the file; the text for the model, cut in the middle when it is long."""
        if self._file is not None:
            try:
                self._file.close()  # writes the last of it
            except OSError:
                self._give_up(self._file)
        half = KEPT_BYTES // 2
        if self._total <= KEPT_BYTES:
            return bytes(self._head + self._tail).decode("utf-8", "replace")
        # The cut goes to line ends where there are some: half a line misleads.
        head = self._head[: self._head.rfind(b"\n") + 1] or self._head
        tail = self._tail[-half:]
        tail = tail[tail.find(b"\n") + 1 :] or tail
        cut = self._total - len(head) - len(tail)
        where = "the full output could not be stored"
        if self.path is not None:
            where = f"the full output is in {self.path}"
            if self._total > FILE_BYTES:
                where = f"its first {FILE_BYTES} bytes are in {self.path}"
        return (
            head.decode("utf-8", "ignore")
            + f"\n[{cut} bytes are cut here; {where}]\n"
            + tail.decode("utf-8", "ignore")
        )

    def _open_file(self) -> None:
        if self._directory is None:
            return
        path = self._directory / f"output-{secrets.token_hex(4)}.txt"
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError:
            self._directory = None
            return
        self._file = open(fd, "wb")  # noqa: SIM115, PTH123 - closed by `finish`; a descriptor
        self.path = path
        self._store(bytes(self._head + self._tail))

    def _store(self, piece: bytes) -> None:
        if self._file is None or self._total >= FILE_BYTES:
            return
        try:
            self._file.write(piece[: FILE_BYTES - self._total])
        except OSError:
            self._give_up(self._file)

    def _give_up(self, file: BinaryIO) -> None:
        """Go on without the file. A full disk must not end the command; the model is told that it is not there.

        What is there of it goes: the session itself needs the room.
        """
        with contextlib.suppress(OSError):
            file.close()
        if self.path is not None:
            with contextlib.suppress(OSError):
                self.path.unlink()
        self._file, self.path, self._directory = None, None, None

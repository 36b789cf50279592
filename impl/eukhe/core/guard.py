"""The repetition guard (S6.5): reads the text and thinking deltas of a stream, says where to cut it.

Deltas become chunks (`Guard`), chunks go into a window (`Window`). For each period up to a quarter of the
window it counts how many chunks in a row, up to the newest, are equal to the chunk one period before. So the guard
keeps a quarter of the window of chunks, a counter for each period that is running, and one partial chunk a block,
whatever the stream's length. A chunk that equals none of the kept ones ends every run, so varied text costs one
look through the kept chunks a line.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable
from dataclasses import dataclass

__all__ = ["MAX_CHUNK_BYTES", "Guard", "Repeat", "Window"]

#: A line longer than this many UTF-8 bytes ends a chunk at that length, on a character boundary (S6.5).
MAX_CHUNK_BYTES = 4096

#: The most chunks that a window keeps: more than a stream has, and a bound that `deque` takes.
_MOST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Repeat:
    """The stream repeats itself: what the failure `stream_repeating` reports (S6.5).

    Attributes:
        at: How many chunks the guard read, the one that cuts included.
        period: The period in chunks; the smallest when there are several.
        last: The last line, or the last piece of a line that is too long.
    """

    at: int
    period: int
    last: str


class Window:
    """The last `k` chunks of a stream, as counters: is the window periodic (S6.5)?"""

    __slots__ = ("_k", "_read", "_recent", "_runs")

    def __init__(self, k: int) -> None:
        """Start with no chunk; `k` is the window in chunks, at least 1."""
        self._k = k
        self._recent: deque[str] = deque(maxlen=min(max(1, k // 4), _MOST))
        self._runs: dict[int, int] = {}
        self._read = 0

    def push(self, chunk: str) -> Repeat | None:
        """Read a chunk: lengthen the runs that go on, end the others, report one that spans the window."""
        before, self._runs = self._runs, {}
        self._read += 1
        if chunk in self._recent:
            for period, kept in enumerate(reversed(self._recent), start=1):
                if kept == chunk:
                    self._runs[period] = before.get(period, 0) + 1
        self._recent.append(chunk)
        if self._k == 1:  # a window of one chunk is periodic by itself
            return Repeat(self._read, 1, chunk)
        for period, run in self._runs.items():
            if run >= self._k - period:
                return Repeat(self._read, period, chunk)
        return None

    def kept(self) -> tuple[int, int]:
        """Return how many chunks and how many counters are kept."""
        return len(self._recent), len(self._runs)


class Guard:
    """The guard of one stream: feed it every delta, abort the request when it gives a `Repeat`.

    Attributes:
        window: The window that reads the chunks.
    """

    __slots__ = ("_fits", "_limit", "_off", "_partial", "window")

    def __init__(self, k: int, limit: int = MAX_CHUNK_BYTES) -> None:
        """Start a guard.

        Args:
            k: The window in chunks (`retry.provider.streamRepeatLimit`); 0 or less turns the guard off.
            limit: The longest chunk, in UTF-8 bytes; at least 4, the longest character.
        """
        self.window = Window(k)
        self._off = k < 1
        self._limit = limit
        self._fits = limit // 4  # so many characters fit, whatever they are
        self._partial: defaultdict[Hashable, str] = defaultdict(str)

    def feed(self, block: Hashable, delta: str) -> Repeat | None:
        """Read a delta of a text or thinking block.

        Args:
            block: Which block of the reply the delta belongs to; each has a partial line of its own.
            delta: The text, split anywhere.

        Returns:
            The repeat at which the stream is to be cut, if it is.
        """
        if self._off:
            return None
        self._partial[block] = text = self._partial[block] + delta
        if "\n" not in delta and len(text) <= self._fits:
            return None
        for chunk in self._complete(block, text):
            found = self.window.push(chunk)
            if found is not None:
                return found
        return None

    def kept(self) -> tuple[int, int, int]:
        """Return how many chunks, counters and partial chunks the guard holds now."""
        return *self.window.kept(), len(self._partial)

    def _complete(self, block: Hashable, text: str) -> list[str]:
        """Return the chunks of a block's text; the rest of it becomes the block's partial chunk."""
        *lines, rest = text.split("\n")
        chunks: list[str] = []
        for line in lines:
            chunks += self._pieces(line)
        *cut, self._partial[block] = self._pieces(rest)
        return [chunk for chunk in chunks + cut if chunk.strip()]

    def _pieces(self, line: str) -> list[str]:
        """Split a line that is too long; the last piece is its remaining text."""
        pieces: list[str] = []
        start = 0
        while (size := self._cut(line[start : start + self._limit + 1])) is not None:
            pieces.append(line[start : start + size])
            start += size
        return [*pieces, line[start:]]

    def _cut(self, line: str) -> int | None:
        """Return after how many characters a line that is too long ends a chunk; `None` when it fits."""
        data = line.encode(errors="surrogatepass")
        end = self._limit
        if len(data) <= end:
            return None
        while data[end] & 0xC0 == 0x80:  # inside a character: go back to its first byte
            end -= 1
        return len(data[:end].decode(errors="surrogatepass"))

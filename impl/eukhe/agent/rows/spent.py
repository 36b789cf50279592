"""What the requests of a session used: tokens and money, added up over the rows that tell it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eukhe.agent.rows import transcript
from eukhe.agent.rows.context import COMPACTION, COMPACTION_END
from eukhe.agent.rows.naming import TITLED
from eukhe.session import nodes
from eukhe.session.history import is_copy
from eukhe.session.nodes import Entry
from eukhe.session.tree import Put

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eukhe.session.tree import Json, Record

__all__ = ["PAID", "USAGE", "Spent"]

#: The kind of the row of a reply without any content, which no row of its own tells of; no model sees it.
USAGE: Final = "eukhe.usage"

#: Kinds of rows that a request stands behind, with what it used.
PAID: Final = (transcript.ASSISTANT, COMPACTION, COMPACTION_END, TITLED, USAGE)


@dataclass(slots=True)
class Spent:
    """Tokens and money of all replies that a session asked for, also of those that were taken back.

    Attributes:
        input: tokens sent, without those read from and written to the server's cache.
        output: tokens received, thinking included.
        cache_read: tokens read from the server's cache.
        cache_write: tokens written to it.
        reasoning: the part of `output` that was thinking, where servers told it.
        cost: US dollars of the replies whose price was stored.
        priced: how many replies had their price stored.
        replies: how many replies had their tokens stored.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0
    cost: float = 0.0
    priced: int = 0
    replies: int = 0

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.input + self.output + self.cache_read + self.cache_write

    def add(self, usage: Json) -> None:
        """Add the usage of a reply, as it stands in a row."""
        if not isinstance(usage, Mapping):
            return

        def count(key: str) -> int:
            value = usage.get(key)
            return value if isinstance(value, int) else 0

        self.replies += 1
        self.input += count("input")
        self.output += count("output")
        self.cache_read += count("cacheRead")
        self.cache_write += count("cacheWrite")
        self.reasoning += count("reasoning")
        cost = usage.get("cost")
        if isinstance(cost, (int, float)):
            self.cost += cost
            self.priced += 1

    def add_records(self, records: Iterable[Record]) -> None:
        """Add the rows of a commit. The copies of a fork were asked for once."""
        for record in records:
            if isinstance(record, Put) and not is_copy(record):
                match nodes.from_json(record.value):
                    case Entry(kind=kind, body=body) if kind in PAID:
                        self.add(body.get("usage"))

    def to_json(self) -> dict[str, Json]:
        """The form in events: `cost` is null where no price is known."""
        return {
            "replies": self.replies,
            "input": self.input,
            "output": self.output,
            "cacheRead": self.cache_read,
            "cacheWrite": self.cache_write,
            "reasoning": self.reasoning,
            "cost": self.cost if self.priced else None,
            "priced": self.priced,
        }

    @property
    def in_words(self) -> str:
        """What a user reads."""
        thinking = f" ({self.reasoning:,} of them thinking)" if self.reasoning else ""
        said = (
            f"input {self.input:,}, output {self.output:,}{thinking}, cache read {self.cache_read:,}, "
            f"cache write {self.cache_write:,} tokens"
        )
        if not self.priced:
            return f"{said}; no price is known"
        some = (
            "" if self.priced == self.replies else f" for {self.priced} of {self.replies} replies"
        )
        return f"{said}; {self.cost:.4f} US dollars{some}"

"""What listeners hear of a compaction: each `CompactionStart` finds exactly one `CompactionEnd` (S6.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from eukhe.agent.events import AgentEvent

__all__ = ["CompactionEnd", "CompactionStart", "Reason", "Status"]

Reason = Literal["manual", "threshold", "overflow"]
Status = Literal["success", "skipped", "failed", "aborted"]


@dataclass(frozen=True, slots=True)
class CompactionStart(AgentEvent):
    """A summary of the older part of the conversation is being written.

    Attributes:
        reason: `manual` for `/compact`, `threshold` for a context that grows too long, `overflow` for a request
            that the provider refused as too long.
        tokens: the tokens of the context.
        blocks: whether the next request waits for it.
    """

    type: ClassVar[str] = "compaction_start"
    reason: Reason
    tokens: int
    blocks: bool


@dataclass(frozen=True, slots=True)
class CompactionEnd(AgentEvent):
    """The compaction is over.

    Attributes:
        reason: as in its start.
        status: `success` when the summary stands, `skipped` when a later compaction made it stale, `failed`, or
            `aborted` with the run.
        tokens_before: the tokens of the context when it started.
        tokens_after: those with the summary in place; None without one.
        entry: the row of the summary; None without one.
        summary: the summary; None without one.
        error: why it failed; None when it did not.
    """

    type: ClassVar[str] = "compaction_end"
    reason: Reason
    status: Status
    tokens_before: int
    tokens_after: int | None = None
    entry: int | None = None
    summary: str | None = None
    error: str | None = None

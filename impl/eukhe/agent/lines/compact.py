"""`/compact [instructions]`: the command of a prompt that asks the model (S6.6)."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from eukhe.agent.compact.compactor import CompactionFailedError, NothingToCompactError
from eukhe.agent.lines.line import COMPACT
from eukhe.agent.lines.run import Refused, note_result

if TYPE_CHECKING:
    from eukhe.agent.events import Listener
    from eukhe.agent.run import Run
    from eukhe.agent.settings import SessionSettings

__all__ = ["Compacted", "compact_line"]


class Compacted(Enum):
    """What came of the command."""

    DONE = "the summary stands"
    NOTHING = "there was nothing to compact"
    FAILED = "there is no summary"


async def compact_line(
    run: Run, settings: SessionSettings, emit: Listener, instructions: str
) -> Compacted:
    """Run the command, whose echo is stored. A compaction is its own result; a refusal has a row.

    Args:
        run: runs in the session.
        settings: the session's settings.
        emit: the listener.
        instructions: what the user wants of the summary; empty for nothing.

    Raises:
        CommitFailedError: the refusal is not stored.
    """
    try:
        await run.compact(instructions)
    except NothingToCompactError as error:
        note_result(settings, emit, COMPACT, "", Refused("NothingToCompact", "", str(error)))
        return Compacted.NOTHING
    except CompactionFailedError:
        return Compacted.FAILED
    return Compacted.DONE

"""The notes of noted retries (H4.7, H4.8): what the model reads when its reply was none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["MAX_NOTES", "Note", "Trouble", "note_text"]

#: How many notes one generation has (H4.7).
MAX_NOTES = 8

#: How much of a repeated line a note shows, in characters.
_SHOWN = 200


class Trouble(StrEnum):
    """Why a reply is no answer and its calls, if any, do not run."""

    REPEATING = "stream_repeating"
    EMPTY = "empty_reply"
    LENGTH = "length_without_answer"
    LEAK = "leaked_tool_call"


@dataclass(frozen=True, slots=True)
class Note:
    """The note at the end of a retry's request. No two notes of a generation are equal.

    Attributes:
        trouble: What was wrong with the reply before.
        attempt: Which retry of the generation it is, from 1 to `MAX_NOTES`.
        period: The period of the loop in lines; 0 where there was none.
        last: The last line of the loop.
    """

    trouble: Trouble
    attempt: int
    period: int = 0
    last: str = ""


def note_text(note: Note) -> str:
    """Write a note for the model."""
    head = f"[harness note, retry {note.attempt} of {MAX_NOTES}] "
    match note.trouble:
        case Trouble.REPEATING:
            what = "line" if note.period == 1 else f"block of {note.period} lines"
            return (
                f"{head}Your last reply was cut: it repeated one {what} again and again. Its last line was: "
                f"{note.last[:_SHOWN]!r}. Do not repeat it. Take another way to the next step."
            )
        case Trouble.EMPTY:
            return f"{head}Your last reply gave no text and no tool call. Answer in text, or call a tool."
        case Trouble.LENGTH:
            return (
                f"{head}Your last reply hit the output limit before it gave any text or tool call. Think "
                "less, and give the answer or the next tool call at once, in small steps."
            )
        case Trouble.LEAK:
            return (
                f"{head}Your last reply wrote a tool call as markup in its text, so no tool ran. Call tools that "
                "are offered, through the tool-call interface; quote markup that is no call in a code block."
            )

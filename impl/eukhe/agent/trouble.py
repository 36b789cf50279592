"""What a user reads about a reply that is none (S6.5, H4.7, H4.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eukhe.agent.stored.summary import title_of
from eukhe.core.leak import MAX_NOTES, Trouble
from eukhe.wire.errors import ErrorKind

if TYPE_CHECKING:
    from eukhe.core.leak import Fail


def reason(trouble: Trouble, period: int, last: str) -> str:
    """Say for a user what was wrong with a reply."""
    match trouble:
        case Trouble.REPEATING:
            lines = f"the same {period} lines" if period > 1 else "the same line"
            return (
                f"the model repeats {lines} again and again, so the reply was cut; the last line was "
                f"{title_of(last)!r}"
            )
        case Trouble.EMPTY:
            return "the model's reply has no text and no tool call"
        case Trouble.LENGTH:
            return "the model hit its output limit before it gave any text"
        case Trouble.LEAK:
            return "the model wrote a tool call as text, and it cannot be read, so no tool ran"


def failure(fail: Fail, repeat_limit: int) -> tuple[ErrorKind, str]:
    """The error of a generation whose notes are spent: that of its last reply.

    Args:
        fail: how it failed.
        repeat_limit: the window of the repetition guard, which the user can set.
    """
    text = f"{reason(fail.trouble, fail.period, fail.last)}; {MAX_NOTES} retries with a note did not help"
    if fail.trouble is Trouble.REPEATING:
        setting = f" (retry.provider.streamRepeatLimit is {repeat_limit})"
        return ErrorKind.STREAM_REPEATING, text + setting
    return ErrorKind.PROTOCOL, text

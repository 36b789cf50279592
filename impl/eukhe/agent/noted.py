"""Noted retries: what a generation keeps of them (S6.5, H4.7, H4.8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eukhe.core.leak import MAX_NOTES, Note, Notes, Trouble, note_text

if TYPE_CHECKING:
    from eukhe.core.leak import Again
    from eukhe.session.tree import Json


@dataclass(frozen=True, slots=True)
class Noted:
    """Where a generation stands that was retried with a note. It is part of the run's document.

    Attributes:
        note: the note at the end of its next request.
        leaks: how many of its newest notes were leak notes, in a row.
    """

    note: Note
    leaks: int

    @classmethod
    def of(cls, again: Again) -> Noted:
        """Where it stands after `again`."""
        return cls(again.note, again.notes.leaks)

    @property
    def notes(self) -> Notes:
        """What the generation has spent."""
        return Notes(self.note.attempt, self.leaks)

    @property
    def text(self) -> str:
        """The note as the model gets it."""
        return note_text(self.note)

    def to_json(self) -> dict[str, Json]:
        """The form in the run's document."""
        note = self.note
        return {
            "trouble": note.trouble.value,
            "attempt": note.attempt,
            "period": note.period,
            "last": note.last,
            "leaks": self.leaks,
        }

    @classmethod
    def from_json(cls, form: Json) -> Noted | None:
        """Read the form; None for what is none."""
        if not isinstance(form, Mapping):
            return None
        keys = ("trouble", "attempt", "period", "last", "leaks")
        match tuple(form.get(key) for key in keys):
            case (str(trouble), int(attempt), int(period), str(last), int(leaks)):
                known = trouble in tuple(Trouble) and 1 <= attempt <= MAX_NOTES
                if known and 0 <= leaks <= attempt:
                    return cls(Note(Trouble(trouble), attempt, period, last), leaks)
        return None

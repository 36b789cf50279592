"""The queue of a session: a message is stored when it is accepted, and taken out by the commit that places it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eukhe.agent.events import Notice
from eukhe.agent.inbox.entering import Kind, Queue, RefusedMessageError, entering
from eukhe.agent.inbox.events import MessagePlaced, MessageQueued

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eukhe.agent.events import Listener
    from eukhe.agent.inbox.entering import Boundary, Modes, Queued
    from eukhe.agent.rows.record import Recorder

__all__ = ["Postbox"]


class Postbox:
    """Accepts messages for a run, and says which of them enter.

    Args:
        recorder: writes the run down.
        modes: how many messages enter at once.
        emit: the listener.
    """

    def __init__(self, recorder: Recorder, modes: Modes, emit: Listener) -> None:
        self._recorder = recorder
        self._modes = modes
        self._emit = emit
        self._open = False

    @property
    def queue(self) -> Queue:
        """What waits."""
        return self._recorder.queue

    def open(self, placed: Sequence[Queued] = ()) -> None:
        """Accept messages: a run works. Its first commit has placed those that are given."""
        self._open = True
        self.placed(placed)

    def close(self) -> None:
        """Accept none: the run is over, and nobody would place them. Tell what waits."""
        self._open = False
        if left := len(self.queue.messages):
            said = "1 queued message waits" if left == 1 else f"{left} queued messages wait"
            self._emit(Notice(f"{said} in the session for its next run"))

    def accept(self, kind: Kind, text: str) -> Queued:
        """Commit a message to the queue.

        Raises:
            RefusedMessageError: no run works, the text is empty or too long, or too many wait.
        """
        if not self._open:
            raise RefusedMessageError(kind, "no run works; send it as a prompt")
        queue = self.queue.accept(kind, text)
        self._recorder.keep(queue)
        one = queue.messages[-1]
        self._emit(MessageQueued(one.id, one.kind.value, one.text))
        return one

    def due(self, boundary: Boundary) -> tuple[Queued, ...]:
        """The messages that enter here; the next commit of the run has to place them."""
        return entering(self.queue, boundary, self._modes)

    def placed(self, messages: Sequence[Queued]) -> None:
        """Tell the messages that a commit has placed."""
        for one in messages:
            self._emit(MessagePlaced(one.id, one.kind.value, one.text))

"""Messages that the user sends while a run works: which of them enters when. Pure; `postbox` acts on it.

A steering message enters before the next request: after the tool round that runs, or after an answer. A follow-up
enters where the run would end with its answer. Each goes to the model as a message of the user, in the order in
which they were accepted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Final

from eukhe.wire.unicode import encodable

if TYPE_CHECKING:
    from eukhe.session.tree import Json

__all__ = [
    "MOST_BYTES",
    "MOST_QUEUED",
    "MOST_WAITING_BYTES",
    "Boundary",
    "Delivery",
    "Kind",
    "Modes",
    "Queue",
    "Queued",
    "RefusedMessageError",
    "entering",
]

#: Messages that can wait at the same time.
MOST_QUEUED: Final = 100

#: Bytes of UTF-8 that a message can have.
MOST_BYTES: Final = 1024 * 1024

#: Bytes that all messages that wait can have: the whole queue is stored with each change of it.
MOST_WAITING_BYTES: Final = 4 * MOST_BYTES


class Kind(StrEnum):
    """What a message is for."""

    STEER = "steer"
    FOLLOW_UP = "follow_up"


class Delivery(StrEnum):
    """How many messages enter at one boundary (`steeringMode`, `followUpMode`)."""

    ALL = "all"
    ONE = "one-at-a-time"


class Boundary(Enum):
    """Where messages can enter: always before a request that nothing of was sent yet."""

    START = "start"
    """Before the run's first request, above its prompt: what an earlier run left."""
    ROUND = "round"
    """After a tool round: all calls of it have their results."""
    ANSWER = "answer"
    """After a final answer, with which the run would end."""


@dataclass(frozen=True, slots=True)
class Modes:
    """How many messages of each kind enter at one boundary."""

    steering: Delivery = Delivery.ALL
    follow_up: Delivery = Delivery.ONE


@dataclass(frozen=True, slots=True)
class Queued:
    """A message that was accepted and waits.

    Attributes:
        id: its number in the session, from 1; numbers grow.
        kind: what it is for.
        text: what the user said.
    """

    id: int
    kind: Kind
    text: str

    def to_json(self) -> dict[str, Json]:
        """The form in the queue's document."""
        return {"id": self.id, "kind": self.kind.value, "text": self.text}


class RefusedMessageError(Exception):
    """A message that was not accepted; it is stored nowhere.

    Attributes:
        kind: what it was for.
        reason: why it was not.
    """

    def __init__(self, kind: Kind, reason: str) -> None:
        super().__init__(f"the message ({kind.value}) was not accepted: {reason}")
        self.kind = kind
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Queue:
    """The messages that wait, the first accepted first.

    Attributes:
        messages: the messages.
        last: the number of the newest message that was ever accepted; 0 for none.
    """

    messages: tuple[Queued, ...] = ()
    last: int = 0

    def accept(self, kind: Kind, text: str) -> Queue:
        """The queue with one more message at its end.

        Raises:
            RefusedMessageError: the text is empty or too long, or the queue is full.
        """
        if not encodable(text).strip():
            raise RefusedMessageError(kind, "its text is empty")
        if _size(text) > MOST_BYTES:
            raise RefusedMessageError(kind, f"its text has more than {MOST_BYTES >> 20} MiB")
        if len(self.messages) >= MOST_QUEUED:
            raise RefusedMessageError(
                kind, f"{MOST_QUEUED} messages wait already; send it again when some have entered"
            )
        if sum(_size(one.text) for one in self.messages) + _size(text) > MOST_WAITING_BYTES:
            raise RefusedMessageError(
                kind,
                f"{MOST_WAITING_BYTES >> 20} MiB wait already; send it again when some have entered",
            )
        number = self.last + 1
        return Queue((*self.messages, Queued(number, kind, text)), number)

    def without(self, placed: Sequence[Queued]) -> Queue:
        """The queue when these have entered."""
        gone = {one.id for one in placed}
        return Queue(tuple(one for one in self.messages if one.id not in gone), self.last)

    def to_json(self) -> dict[str, Json]:
        """The body of the document."""
        return {"last": self.last, "messages": [one.to_json() for one in self.messages]}

    @classmethod
    def from_json(cls, body: Mapping[str, Json] | None) -> Queue:
        """Read the body; None for a session that never had a queue. What is no message is left out."""
        if body is None:
            return cls()
        items = body.get("messages")
        found = map(_queued, items) if isinstance(items, list) else ()
        messages = tuple(one for one in found if one is not None)
        last = body.get("last")
        newest = max((one.id for one in messages), default=0)
        return cls(messages, max(last if isinstance(last, int) else 0, newest))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _queued(item: Json) -> Queued | None:
    if not isinstance(item, Mapping):
        return None
    match item.get("id"), item.get("kind"), item.get("text"):
        case int(number), ("steer" | "follow_up") as kind, str(text):
            return Queued(number, Kind(kind), text)
    return None


def entering(queue: Queue, boundary: Boundary, modes: Modes) -> tuple[Queued, ...]:
    """The messages that enter at a boundary, in their order.

    Steering comes first: a follow-up enters only after an answer, and only when nothing steers.

    Args:
        queue: what waits.
        boundary: where the run is.
        modes: how many enter at once.
    """
    steering = tuple(one for one in queue.messages if one.kind is Kind.STEER)
    if steering or boundary is not Boundary.ANSWER:
        return steering if modes.steering is Delivery.ALL else steering[:1]
    return queue.messages if modes.follow_up is Delivery.ALL else queue.messages[:1]

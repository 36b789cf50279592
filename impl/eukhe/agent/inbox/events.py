"""Events about messages that the user sends while a run works."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from eukhe.agent.events import AgentEvent

__all__ = ["InputRefused", "MessagePlaced", "MessageQueued"]


@dataclass(frozen=True, slots=True)
class MessageQueued(AgentEvent):
    """A message was accepted: it is stored, and enters at its boundary, in a later run if not in this one.

    Attributes:
        id: its number in the session.
        kind: `steer` or `follow_up`.
        text: what the user said.
    """

    type: ClassVar[str] = "message_queued"
    id: int
    kind: Literal["steer", "follow_up"]
    text: str


@dataclass(frozen=True, slots=True)
class MessagePlaced(AgentEvent):
    """A queued message is in the conversation now; the next request has it.

    Attributes:
        id: its number in the session.
        kind: `steer` or `follow_up`.
        text: what the user said.
    """

    type: ClassVar[str] = "message_placed"
    id: int
    kind: Literal["steer", "follow_up"]
    text: str


@dataclass(frozen=True, slots=True)
class InputRefused(AgentEvent):
    """A line of the standard input was not taken; the run goes on.

    Attributes:
        line: its number, from 1.
        text: what is wrong with it, and what is expected.
    """

    type: ClassVar[str] = "input_error"
    line: int
    text: str

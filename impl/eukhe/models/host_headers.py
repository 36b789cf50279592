"""What some hosts want to be told beside the key, in headers of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from eukhe.core.quirks import targets
from eukhe.wire.messages import ImageBlock, ToolResultMessage, UserMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eukhe.models.registry import Model
    from eukhe.wire.request import Request

__all__ = ["HostHeaders", "host_headers"]

HostHeaders: TypeAlias = "Callable[[Request], Mapping[str, str]]"
"""The headers of one request; those of the request win over them."""

_TEAM: Final = "PRIME_TEAM_ID"


def host_headers(model: Model) -> HostHeaders | None:
    """Return what gives the headers that the host of a model wants; None for a host that wants none."""
    match targets(model.quirks.rulebook, model.key).host:
        case "github-copilot":
            return _copilot
        case "prime-inference" if team := model.environ.get(_TEAM):
            return lambda _: {"X-Prime-Team-ID": team}
    return None


def _copilot(request: Request) -> dict[str, str]:
    """Copilot bills what a user starts, not what an agent goes on with, and asks for a word about pictures."""
    last = request.messages[-1] if request.messages else None
    headers = {
        "X-Initiator": "user" if isinstance(last, UserMessage) else "agent",
        "Openai-Intent": "conversation-edits",
    }
    pictures = (
        isinstance(block, ImageBlock)
        for message in request.messages
        if isinstance(message, (UserMessage, ToolResultMessage))
        for block in message.content
    )
    return {**headers, "Copilot-Vision-Request": "true"} if any(pictures) else headers

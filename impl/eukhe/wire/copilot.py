"""What GitHub Copilot wants told in headers: who began, and whether there are pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eukhe.wire.messages import ImageBlock, ToolResultMessage, UserMessage

if TYPE_CHECKING:
    from eukhe.wire.request import Request

__all__ = ["copilot_headers"]


def copilot_headers(request: Request) -> dict[str, str]:
    """Return the headers of a request to Copilot.

    A request that goes on with a tool round is the agent's own, which the plan does not count.
    """
    last = request.messages[-1] if request.messages else None
    headers = {
        "X-Initiator": "user" if isinstance(last, UserMessage) else "agent",
        "Openai-Intent": "conversation-edits",
    }
    shown = (m for m in request.messages if isinstance(m, UserMessage | ToolResultMessage))
    if any(isinstance(block, ImageBlock) for message in shown for block in message.content):
        headers["Copilot-Vision-Request"] = "true"
    return headers

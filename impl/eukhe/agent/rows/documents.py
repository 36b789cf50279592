"""The documents of a session that say who runs in it, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.session.store import Draft, Session
    from eukhe.session.tree import Json

SESSION, AGENT, RUN, INBOX = "eukhe.session", "eukhe.agent", "eukhe.run", "eukhe.inbox"
"""Documents: which conversation is main; the agent's settings; where the run stands; which messages wait."""


@dataclass(frozen=True, slots=True)
class AgentDocument:
    """The settings of a conversation's agent. Credentials are not among them.

    Attributes:
        model: the model id.
        base_url: the server.
        cwd: the working directory of the tools.
        tools: names of the tools on offer.
        system_prompt: the user's own system prompt, None for the built-in one.
        api_key_env: the name of the environment variable that holds the key, None for no key.
        provider: the provider of the catalog's model; empty for a server that was named by its address.
        level: the stored thinking level (S10), None for an unset one.
        tier: the service tier that requests ask for, None for none.
        context_files: whether the `AGENTS.md` files are in the system prompt.
    """

    model: str
    base_url: str
    cwd: str
    tools: tuple[str, ...]
    system_prompt: str | None = None
    api_key_env: str | None = None
    provider: str = ""
    level: str | None = None
    tier: str | None = None
    context_files: bool = True

    def to_json(self) -> dict[str, Json]:
        """The body of the document."""
        body: dict[str, Json] = {
            "model": self.model,
            "baseUrl": self.base_url,
            "cwd": self.cwd,
            "tools": list(self.tools),
            "systemPrompt": self.system_prompt,
            "apiKeyEnv": self.api_key_env,
        }
        more = {
            "provider": self.provider,
            "thinkingLevel": self.level,
            "serviceTier": self.tier,
        }
        body.update((name, value) for name, value in more.items() if value)
        if not self.context_files:
            body["contextFiles"] = False
        return body

    @classmethod
    def from_json(cls, body: Mapping[str, Json]) -> AgentDocument:
        """Read the body; what is missing or of another type reads as empty."""

        def text(key: str) -> str | None:
            value = body.get(key)
            return value if isinstance(value, str) else None

        tools = body.get("tools")
        return cls(
            text("model") or "",
            text("baseUrl") or "",
            text("cwd") or "",
            tuple(t for t in tools if isinstance(t, str)) if isinstance(tools, list) else (),
            text("systemPrompt"),
            text("apiKeyEnv"),
            text("provider") or "",
            text("thinkingLevel"),
            text("serviceTier"),
            body.get("contextFiles") is not False,
        )


def main_conversation(session: Session) -> int | None:
    """The main conversation of a session; None in a session without a commit."""
    document = session.document(SESSION)
    main = None if document is None else document.get("main")
    return main if isinstance(main, int) else None


def agent_document(session: Session) -> AgentDocument | None:
    """The settings of the main conversation; None in a session without a commit."""
    main = main_conversation(session)
    body = None if main is None else session.document(AGENT, main)
    return None if body is None else AgentDocument.from_json(body)


def open_main(draft: Draft, session: Session, agent: AgentDocument) -> int:
    """The main conversation in a commit: made with the agent's settings if it is not there yet."""
    main = main_conversation(session)
    if main is None:
        main = draft.conversation()
        draft.document(SESSION, {"main": main})
    if session.document(AGENT, main) != agent.to_json():
        draft.document(AGENT, agent.to_json(), main)
    return main

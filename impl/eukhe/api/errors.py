"""What the API refuses, beside what opening and storing refuse."""

from __future__ import annotations

__all__ = ["OtherLoopError", "PromptRunningError", "SessionClosedError"]


class OtherLoopError(Exception):
    """A prompt of the session runs in another event loop, and this was asked for here; nothing happened."""

    def __init__(self) -> None:
        super().__init__(
            "a prompt of the session runs in another event loop, and a session is used in one: call this there, "
            "with asyncio.run_coroutine_threadsafe from another thread"
        )


class PromptRunningError(Exception):
    """A prompt of the session runs, and this has to wait for its end.

    Attributes:
        session: the session.
    """

    def __init__(self, session: str) -> None:
        super().__init__(
            f"a prompt of session {session} runs: read its events to their end, leave them, or await "
            "abort(); while it runs, steer() and follow_up() take messages"
        )
        self.session = session


class SessionClosedError(Exception):
    """The session was closed.

    Attributes:
        session: the session.
    """

    def __init__(self, session: str) -> None:
        super().__init__(
            f"session {session} is closed; open it again with Session.open(resume=...)"
        )
        self.session = session

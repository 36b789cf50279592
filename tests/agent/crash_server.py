"""A model for runs that are killed: what it answers follows from the request alone, so a resend gets the same.

A run has four tool rounds. On the way its model is overloaded once, breaks a stream once, and gives a reply
without text that a note must follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.servers.chat import Call, ChatServer, Reply, Script

if TYPE_CHECKING:
    from tests.servers.check import Recorded

ANSWER = "All done."

_ROUNDS = (("c1",), ("c2", "c3"), ("c4",), ("c5", "c6", "c7"))


def call_of(name: str) -> Call:
    """A call that leaves its name behind, and that kills its eukhe before or after where a file asks for it."""
    dies = "if [ -e kill-{0}-{1} ]; then rm kill-{0}-{1}; kill -9 $PPID; fi"
    before, after = (dies.format(when, name) for when in ("before", "after"))
    command = f"{before}; echo {name} >> ran; {after}; echo out of {name}"
    return Call("bash", {"command": command}, id=name)


CALLS = tuple(name for names in _ROUNDS for name in names)


class CrashServer(ChatServer):
    """Serves any number of runs at the same time."""

    def __init__(self) -> None:
        super().__init__(Script(()))
        self._failed: set[tuple[str, int]] = set()

    def _choose(self, request: Recorded) -> Reply:
        if request.problems:
            return super()._choose(request)
        messages: list[dict[str, Any]] = request.body["messages"]
        run = next(str(one["content"]) for one in messages if one["role"] == "user")
        at = sum(one["role"] == "assistant" for one in messages)
        once = (run, at) not in self._failed
        self._failed.add((run, at))
        if at == 1 and once:
            return Reply(status=503, json={"error": {"message": "busy"}})
        if at == 2 and once:
            whole = Reply(text=["half of it ", "and the rest"])
            return Reply(text=whole.text, sent=len(b"".join(list(whole.body("m"))[:2])), end="cut")
        if at == 3 and messages[-1]["role"] == "tool":
            return Reply(thinking="hm")
        if at == len(_ROUNDS):
            return Reply(text=ANSWER)
        return Reply(text=f"round {at}", calls=[call_of(name) for name in _ROUNDS[at]])

"""`eukhe -p` over the other wire APIs: calls that must not run, whatever a server calls the end of its reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.test_wire_apis import WIRES, Wire, point
from tests.servers import anthropic, bedrock, google, mistral, responses
from tests.servers.chat import ChatServer

if TYPE_CHECKING:
    from tests.cli.eukhe_process import Home
    from tests.servers.script import Reply

_TOUCH = '{"command": "touch ran"}'
_LONG: dict[str, Reply] = {
    "anthropic-messages": anthropic.said(anthropic.call("bash", _TOUCH), stop="max_tokens"),
    "google-generative-ai": google.said(
        google.call("bash", {"command": "touch ran"}), finish="MAX_TOKENS"
    ),
    "openai-responses": responses.sse(
        responses.events(
            [responses.call("bash", _TOUCH)],
            status="incomplete",
            incomplete_details={"reason": "max_output_tokens"},
        )
    ),
    "mistral-conversations": mistral.said(calls=[mistral.call("bash", _TOUCH)], finish="length"),
    "bedrock-converse-stream": bedrock.said(bedrock.call("bash", _TOUCH), stop="max_tokens"),
}


@pytest.mark.parametrize("name", WIRES)
def test_a_reply_that_was_cut_runs_nothing_and_neither_do_arguments_that_do_not_fit(
    home: Home, name: str
) -> None:
    wire: Wire = WIRES[name]
    wrong = wire.call('{"nothing": "touch ran"}')
    replies = [_LONG[name], wrong, wire.text("done")]
    with ChatServer(replies, api=wire.api) as server:
        done = home.run("-p", "go", *point(home, wire, server))
        assert server.problems == ()
        body = server.requests[2].body
    assert (done.returncode, done.stdout) == (0, "done\n")
    (cut, _), (invalid, _) = wire.results(body)
    assert "truncated" in cut
    assert "invalid_arguments" in invalid
    assert "command" in invalid
    assert not list(home.root.rglob("ran"))

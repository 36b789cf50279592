"""`eukhe -p` with a stored xAI subscription, over Responses at a server on loopback (S6.9)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cli.test_model import write
from tests.servers.chat import ChatServer
from tests.servers.responses import RESPONSES, said

if TYPE_CHECKING:
    from tests.cli.eukhe_process import Home

_TOKEN = "xai-access-token-of-a-test"


def test_a_stored_xai_subscription_is_used_over_responses(home: Home) -> None:
    write(home, "auth.json", {"xai": {"type": "oauth", "access": _TOKEN, "refresh": "r"}})
    with ChatServer([said("Done.")], api=RESPONSES) as server:
        write(home, "models.json", {"providers": {"xai": {"baseUrl": server.base_url}}})
        done = home.run("-p", "x", "--model", "xai/grok-4.6:low", "--mode", "json")
        (request,) = server.requests
        assert server.problems == ()
    assert (done.returncode, done.stderr) == (0, "")
    assert request.headers["authorization"] == f"Bearer {_TOKEN}"
    assert request.body["reasoning"] == {"effort": "low"}, "xAI takes no summary"
    assert request.body["store"] is False
    assert request.body["input"][0]["role"] == "system", "xAI knows no developer"
    assert "prompt_cache_retention" not in request.body
    stored = "".join(path.read_text() for path in home.journals())
    assert _TOKEN not in done.stdout + stored

    shown = home.run("model", "show", "xai/grok-4.6", "--json").stdout
    facts = {one["fact"]: (one["value"], one["from"]) for one in json.loads(shown)}
    agent = home.root / "home" / ".eukhe"
    assert facts["api"] == ("openai-responses", f"the subscription in {agent / 'auth.json'}")
    listed = home.run("auth", "list").stdout.split()
    assert listed == ["xai", "oauth", "****test"]

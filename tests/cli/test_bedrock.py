"""`eukhe -p` with models of Amazon Bedrock: who signs, and what is said where nobody can."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cli.test_model import write
from tests.servers.bedrock import BEDROCK, SIGNED, call, said, text
from tests.servers.chat import ChatServer

if TYPE_CHECKING:
    from tests.cli.eukhe_process import Home

_MODEL = ("--model", "amazon-bedrock/us.anthropic.claude-opus-5-5:low")
_SECRET = "very-secret-key"


def at(home: Home, server: ChatServer) -> None:
    """Put the server in the place of Bedrock."""
    entry = {"baseUrl": server.base_url}
    write(home, "models.json", {"providers": {"amazon-bedrock": entry}})


def test_keys_of_the_environment_sign_each_request_and_no_tool_sees_them(home: Home) -> None:
    home.environ |= {
        "AWS_ACCESS_KEY_ID": "AKID",
        "AWS_SECRET_ACCESS_KEY": _SECRET,
        "AWS_REGION": "eu-west-3",
    }
    look = said(call("bash", '{"command": "env"}'))
    with ChatServer([look, said(text("Done."))], api=SIGNED) as server:
        at(home, server)
        done = home.run("-p", "x", *_MODEL, "--mode", "json")
        assert server.problems == ()
        request, after = server.requests
    assert (done.returncode, done.stderr) == (0, "")
    assert "/eu-west-3/bedrock/" in request.headers["authorization"]
    fields = request.body["additionalModelRequestFields"]
    assert fields["output_config"] == {"effort": "low"}
    assert request.raw.count(b'"cachePoint"') == 3
    events = [json.loads(line) for line in done.stdout.splitlines()]
    replies = [event["message"] for event in events if event["type"] == "message_end"]
    assert [reply["usage"]["cacheWrite1h"] for reply in replies] == [10, 10]
    assert b"PATH=" in after.raw
    stored = home.journals()[0].read_text()
    assert _SECRET not in done.stdout + stored + after.raw.decode()


def test_credentials_that_need_a_package_say_which(home: Home) -> None:
    home.environ |= {"AWS_PROFILE": "sso-of-mine"}
    with ChatServer([], api=BEDROCK) as server:
        at(home, server)
        done = home.run("-p", "x", *_MODEL)
        assert server.requests == []
    assert done.returncode == 1
    assert "the AWS profile sso-of-mine" in done.stderr
    assert "pip install 'eukhe[cloud]'" in done.stderr or "cannot be had" in done.stderr


def test_without_any_credentials_nothing_is_asked(home: Home) -> None:
    with ChatServer([], api=BEDROCK) as server:
        at(home, server)
        done = home.run("-p", "x", *_MODEL)
        assert server.requests == []
    assert done.returncode == 2
    assert "AWS_BEARER_TOKEN_BEDROCK" in done.stderr

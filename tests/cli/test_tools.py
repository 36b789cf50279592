"""The tools end to end: a scripted model works on real files through the real program."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

from tests.cli.eukhe_process import at
from tests.servers.chat import Call, ChatServer, Reply

if TYPE_CHECKING:
    from tests.cli.eukhe_process import Home

_CODE = "def add(a, b):\n    return a - b\n"


def test_a_model_writes_edits_and_greps(home: Home) -> None:
    wrong = {"path": "src/sum.py", "old_string": "return a-b", "new_string": "return a + b"}
    script = [
        Reply(
            calls=[
                Call("write", {"path": "src/sum.py", "content": _CODE}),
                Call("edit", wrong),
                Call("edit", {**wrong, "old_string": "a - b"}),
                Call("grep", {"pattern": r"a \+ b", "glob": "*.py"}),
            ]
        ),
        Reply(calls=[Call("find", {"pattern": "s*"}), Call("ls", {"path": "src"})]),
        Reply(text="fixed"),
    ]
    with ChatServer(script) as server:
        done = home.run("-p", "fix it", *at(server), "--tools", "write,edit,grep,find,ls")
        assert server.problems == ()
        first, _, last = (request.body for request in server.requests)
    assert (done.returncode, done.stdout) == (0, "fixed\n")
    offered = [tool["function"]["name"] for tool in first["tools"]]
    assert offered == ["write", "edit", "grep", "find", "ls"]
    wrote, missed, edited, found, paths, listed = (
        m["content"] for m in last["messages"] if m["role"] == "tool"
    )
    assert wrote == "src/sum.py: 32 bytes written, a new file"
    assert missed == (
        "old_string is not in src/sum.py; nothing was changed. The nearest is line 2: '    return a - b'."
    )
    assert edited == (
        "src/sum.py: edited\n--- src/sum.py\n+++ src/sum.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n"
        "-    return a - b\n+    return return a + b"
    )
    assert found == "src/sum.py:2:     return return a + b"
    assert paths == "src/\nsrc/sum.py"
    assert listed == "sum.py (39 bytes)"
    assert "edit: old_string is not in src/sum.py" in done.stderr


def test_the_usual_tools_are_on_offer_and_the_others_on_request(home: Home) -> None:
    with ChatServer([Reply(text="1"), Reply(text="2"), Reply(text="3")]) as server:
        home.run("-p", "x", *at(server), "--no-session")
        home.run("-p", "x", *at(server), "--no-session", "--tools", "find, read,find")
        home.run("-p", "x", *at(server), "--no-session", "--no-tools")
        offered = [
            [tool["function"]["name"] for tool in request.body.get("tools", ())]
            for request in server.requests
        ]
        wrong = home.run("-p", "x", *at(server), "--no-session", "--tools", "raed")
    assert offered == [["read", "bash", "edit", "write"], ["find", "read"], []]
    assert wrong.returncode == 2
    assert "--tools: there is no tool 'raed'; did you mean read?" in wrong.stderr


def test_a_picture_is_refused_where_the_model_is_not_known_to_take_one(home: Home) -> None:
    (home.cwd / "a.gif").write_bytes(b"GIF89a\1\0\1\0\0\0\0;")
    with ChatServer(
        [Reply(calls=[Call("read", {"path": "a.gif"})]), Reply(text="blind")]
    ) as server:
        done = home.run("-p", "look", *at(server), "--mode", "json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    (end,) = (event for event in events if event["type"] == "tool_execution_end")
    assert end["isError"]
    assert "a.gif is a picture (image/gif, 14 bytes)" in end["content"][0]["text"]


def test_a_picture_goes_to_a_model_that_is_known_to_take_them(home: Home) -> None:
    gif = b"GIF89a\1\0\1\0\0\0\0;"
    (home.cwd / "a.gif").write_bytes(gif)
    with ChatServer([Reply(calls=[Call("read", {"path": "a.gif"})]), Reply(text="seen")]) as server:
        provider = {
            "baseUrl": server.base_url,
            "api": "openai-completions",
            "apiKey": "none",
            "models": [{"id": "eyes", "input": ["text", "image"]}],
        }
        agent_dir = home.root / "home/.eukhe"
        agent_dir.mkdir(parents=True)
        (agent_dir / "models.json").write_text(json.dumps({"providers": {"acme": provider}}))
        done = home.run("-p", "look", "--model", "acme/eyes")
        assert done.stdout == "seen\n", done.stderr
        assert server.problems == ()
        result, shown = server.requests[1].body["messages"][-2:]
    assert result["content"] == "[a.gif: a picture, image/gif]"
    url = f"data:image/gif;base64,{base64.b64encode(gif).decode()}"
    assert shown == {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}

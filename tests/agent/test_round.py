"""A tool round: which calls wait for each other, and what a result holds."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from eukhe.agent.round import run_round
from eukhe.agent.rows import transcript
from eukhe.tools import BUILT_IN, ToolContext, Toolset
from eukhe.wire.messages import ImageBlock, ToolCall

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.agent.round import Round

_GIF = b"GIF89a\1\0\1\0\0\0\0;"


def _round(cwd: Path, *calls: tuple[str, dict[str, object]]) -> Round:
    context = ToolContext(cwd, {"PATH": "/usr/bin:/bin"}, takes_images=lambda: True)
    made = [ToolCall(str(n), name, json.dumps(args)) for n, (name, args) in enumerate(calls)]
    return asyncio.run(run_round(made, Toolset.built_in(BUILT_IN), context, lambda _: None))


def test_a_round_that_writes_keeps_the_order_of_its_calls(tmp_path: Path) -> None:
    edits: list[tuple[str, dict[str, object]]] = [
        ("edit", {"path": "f", "old_string": f"<{n}>", "new_string": f"<{n + 1}>"})
        for n in range(20)
    ]
    done = _round(
        tmp_path,
        ("bash", {"command": "sleep 0.3; echo '<0>' > f"}),
        *edits,
        ("bash", {"command": "cat f"}),
    )
    assert [result.is_error for result in done.results] == [False] * 22
    assert done.results[-1].text == "<20>"


def test_a_round_that_only_looks_runs_side_by_side(tmp_path: Path) -> None:
    meet = "touch {0}; for i in $(seq 200); do [ -e {1} ] && exit 0; sleep 0.02; done; exit 1"
    done = _round(
        tmp_path,
        ("bash", {"command": meet.format("one", "two")}),
        ("ls", {}),
        ("bash", {"command": meet.format("two", "one")}),
    )
    assert [result.is_error for result in done.results] == [False] * 3


def test_a_picture_is_part_of_the_result_and_of_what_is_stored(tmp_path: Path) -> None:
    (tmp_path / "p.gif").write_bytes(_GIF)
    (result,) = _round(tmp_path, ("read", {"path": "p.gif"})).results
    block = result.content[1]
    assert isinstance(block, ImageBlock)
    assert block.media_type == "image/gif"
    assert transcript.result_to_json(result)["content"][1] == {  # type: ignore[index]  # JSON
        "type": "image",
        "data": block.data,
        "mediaType": "image/gif",
    }

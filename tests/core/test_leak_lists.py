"""Fences in list items quote what is in them, so that a call that is shown in a list never runs (S6.10)."""

from __future__ import annotations

import time

import pytest

from eukhe.core.leak import Rebuilt, scan

_TOOLS = {"bash": {"properties": {"command": {"type": "string"}}}}
_CALL = '<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>'

QUOTED = {
    "behind a bullet": f"- ```\n  {_CALL}\n  ```\n",
    "behind a bullet and its name": f"* ```xml\n  {_CALL}\n  ```\n",
    "behind a number": f"10. ~~~\n    {_CALL}\n    ~~~\n",
    "behind two marks": f"- 1. ```\n     {_CALL}\n     ```\n",
    "below an item, with a blank line": f"1.  Do it:\n\n    ```\n\n    {_CALL}\n    ```\n",
    "below an item of an item": f"- a\n    - b\n\n      ```\n\n      {_CALL}\n      ```\n",
    "below an item, with tabs": f"1.\tDo it:\n\n\t```\n\n\t{_CALL}\n\t```\n",
    "an apostrophe before it": f"- a `b\n    ```\n    `x\n\n    {_CALL}\n    ```\n",
    "never closed": f"- ```\n  {_CALL}\n",
    "a line that is too deep to close it": f"- a\n\n```\n    ```\n{_CALL}\n```\n",
}

READ = {
    "after it": f"- ```\n  x\n  ```\n{_CALL}",
    "after it, at the margin": f"- ```\n  x\n```\n{_CALL}",
    "after one below an item": f"1. a\n\n    ```\n    x\n\n    ```\n{_CALL}",
    "an item without a fence": f"- {_CALL}",
    "a minus that is no mark": f"-```\n\n{_CALL}",
    "too deep for a text without a list": f"    ```\n\n    {_CALL}",
    "backticks within the line": f"- ```a``` b\n\n{_CALL}",
    "marks deeper than are looked at": f"{'- ' * 30}```\n\n{_CALL}",
    "words before the backticks": f"- see ```\n\n{_CALL}",
}


@pytest.mark.parametrize("text", QUOTED.values(), ids=QUOTED)
def test_what_a_fence_in_a_list_quotes_is_text(text: str) -> None:
    assert scan([text], _TOOLS) is None


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_what_no_fence_in_a_list_quotes_is_read(text: str) -> None:
    assert isinstance(scan([text], _TOOLS), Rebuilt)


@pytest.mark.parametrize(
    "piece",
    ["- ```\n", "- ", "1. ", "    ```\n", "- `", " `", "- a `b\n", "\t~~~ x\n", "- - - ```\n", "9"],
)
def test_lists_take_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        text = "- a\n" + piece * (size // len(piece))
        start = time.process_time()
        scan([text], _TOOLS)
        return time.process_time() - start

    small = min(seconds(200_000) for _ in range(3))
    assert seconds(2_000_000) < 40 * max(small, 0.002)

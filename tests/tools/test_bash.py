"""The tool `bash` with real processes."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import time
from pathlib import Path

import pytest

from eukhe.tools import ToolContext, ToolFailedError, ToolOutput
from eukhe.tools.arguments import check_of
from eukhe.tools.bash import BashTool
from eukhe.tools.output import KEPT_BYTES, OutputBuffer

_ENVIRON = {"PATH": os.environ["PATH"], "HOME": "/"}


def _bash(cwd: Path, command: str, outputs: Path | None = None, **more: object) -> ToolOutput:
    context = ToolContext(cwd, _ENVIRON, outputs)
    return asyncio.run(BashTool().run({"command": command, **more}, context))


def _gone(pid: int) -> bool:
    """Whether a process has ended; a zombie that its parent did not fetch yet has."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_both_streams_and_the_exit_code_come_back(tmp_path: Path) -> None:
    assert _bash(tmp_path, "pwd") == ToolOutput(str(tmp_path))
    assert _bash(tmp_path, "echo out; echo err >&2; exit 3") == ToolOutput(
        "out\nerr\n[exit code 3]", is_error=True
    )
    assert _bash(tmp_path, "true") == ToolOutput("[no output]")
    assert _bash(tmp_path, "kill -9 $$").text == "[no output]\n[ended by signal 9]"


def test_there_is_no_input_to_wait_for(tmp_path: Path) -> None:
    assert _bash(tmp_path, "cat; read x; echo done").text == "done"


def test_output_is_told_as_it_comes(tmp_path: Path) -> None:
    heard: list[tuple[str, bool]] = []
    flag = tmp_path / "go"

    def listen(text: str) -> None:
        heard.append((text, flag.exists()))
        flag.touch()

    context = ToolContext(tmp_path, _ENVIRON, on_output=listen)
    command = "echo first; while [ ! -e go ]; do sleep 0.01; done; echo second"
    asyncio.run(BashTool().run({"command": command, "timeout": 20}, context))
    assert heard == [("first\n", False), ("second\n", True)]


def test_a_timeout_ends_the_whole_group(tmp_path: Path) -> None:
    began = time.monotonic()
    command = "trap '' TERM; (trap '' TERM; sleep 300) & echo $!; echo $$; wait; sleep 300"
    output = _bash(tmp_path, command, timeout=0.3)
    assert time.monotonic() - began < 10
    assert output.is_error
    assert output.text.endswith("[ended after its timeout of 0.3 s]")
    pids = [int(line) for line in output.text.splitlines()[:2]]
    assert all(_gone(pid) for pid in pids)


def test_what_a_command_leaves_in_the_background_is_ended(tmp_path: Path) -> None:
    output = _bash(tmp_path, "sleep 300 & echo $!")
    pid, note = output.text.splitlines()
    assert note == "[processes that it left in the background were ended]"
    assert not output.is_error
    assert _gone(int(pid))


def test_a_process_that_left_the_group_does_not_hold_the_call_up(tmp_path: Path) -> None:
    began = time.monotonic()
    output = _bash(tmp_path, "setsid sleep 4 & echo ok; sleep 0.2")
    assert output.text.startswith("ok")
    assert time.monotonic() - began < 3


def test_an_abort_ends_the_group(tmp_path: Path) -> None:
    async def abort() -> list[int]:
        heard: list[str] = []
        context = ToolContext(tmp_path, _ENVIRON, on_output=heard.append)
        command = "trap '' TERM; sleep 300 & echo $! $$; wait; sleep 300"
        run = asyncio.create_task(BashTool().run({"command": command}, context))
        while not "".join(heard).endswith("\n"):
            await asyncio.sleep(0.01)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        return [int(pid) for pid in "".join(heard).split()]

    assert all(_gone(pid) for pid in asyncio.run(abort()))


def test_a_long_output_is_cut_in_the_middle_and_whole_in_a_file(tmp_path: Path) -> None:
    output = _bash(tmp_path, "seq 1 200000", outputs=tmp_path / "outputs")
    assert len(output.text) < KEPT_BYTES + 300
    assert output.text.startswith("1\n2\n")
    assert output.text.endswith("\n199999\n200000")
    match = re.search(
        r"\[(\d+) bytes are cut here; the full output is in (.*)\]\n(\d+)\n", output.text
    )
    assert match is not None
    whole = Path(match[2]).read_text()
    assert whole == "".join(f"{n}\n" for n in range(1, 200001))
    assert Path(match[2]).stat().st_mode & 0o777 == 0o600
    head, tail = output.text.split(match[0].rsplit("\n", 2)[0])
    assert len(head.rstrip("\n")) + 1 + len(tail) + int(match[1]) == len(whole)


def test_a_long_output_without_a_place_for_it_is_still_bounded(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for outputs in (None, tmp_path / "file" / "below"):
        text = _bash(tmp_path, "head -c 3000000 /dev/zero | tr '\\0' x", outputs=outputs).text
        assert len(text) < KEPT_BYTES + 300
        assert "the full output could not be stored" in text


def test_an_output_that_the_disk_does_not_take_leaves_its_room_to_the_session(
    tmp_path: Path,
) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    for size, pieces in (
        (1 << 16, 40),
        (1000, 1049),
    ):  # the last bytes go out when the file is closed
        buffer = OutputBuffer(tmp_path / "outputs", lambda _: None)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, before[1]))
        try:
            for _ in range(pieces):
                buffer.feed(b"x" * size)
            text = buffer.finish()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert "the full output could not be stored" in text
        assert list((tmp_path / "outputs").iterdir()) == []


def test_no_byte_of_the_kept_ends_is_lost_or_doubled() -> None:
    for size in (0, 1, KEPT_BYTES - 1, KEPT_BYTES, KEPT_BYTES + 1, 3 * KEPT_BYTES, 400_000):
        for step in (1000, 65536):
            data = b"".join(b"%07d\n" % i for i in range(size // 8 + 1))[:size]
            buffer = OutputBuffer(None, lambda _: None)
            for start in range(0, size, step):
                buffer.feed(data[start : start + step])
            text = buffer.finish().encode()
            if size <= KEPT_BYTES:
                assert text == data
            else:
                head, _, tail = text.partition(b"\n[")
                assert data.startswith(head)
                assert data.endswith(tail.partition(b"]\n")[2])


def test_a_character_cut_between_two_reads_is_whole_for_the_listener() -> None:
    heard: list[str] = []
    buffer = OutputBuffer(None, heard.append)
    for byte in "aé\U0001f600".encode():
        buffer.feed(bytes([byte]))
    assert "".join(heard) == "aé\U0001f600"
    assert buffer.finish() == "aé\U0001f600"


def test_a_command_that_cannot_start_is_told(tmp_path: Path) -> None:
    with pytest.raises(ToolFailedError, match="could not be started"):
        _bash(tmp_path / "gone", "pwd")
    with pytest.raises(ToolFailedError, match="could not be started"):
        _bash(tmp_path, "a\0b")


def test_a_timeout_that_no_clock_knows_is_no_argument() -> None:
    schema = BashTool().spec.schema
    assert check_of(schema).problems({"command": "x", "timeout": 10**400})
    assert not check_of(schema).problems({"command": "x", "timeout": 3600})


def test_many_commands_run_side_by_side(tmp_path: Path) -> None:
    async def all_at_once() -> list[ToolOutput]:
        context = ToolContext(tmp_path, _ENVIRON)
        calls = (BashTool().run({"command": f"sleep 0.5; echo {n}"}, context) for n in range(12))
        return await asyncio.gather(*calls)

    began = time.monotonic()
    outputs = asyncio.run(all_at_once())
    assert [output.text for output in outputs] == [str(n) for n in range(12)]
    assert time.monotonic() - began < 4

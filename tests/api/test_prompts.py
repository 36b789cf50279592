"""What a prompt takes: a text that is one, and the settings of its moment."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from eukhe import OptionError, RefusedMessageError, events
from tests.api.test_session import Desk
from tests.servers.chat import Call, ChatServer, Reply

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_prompt_and_a_message_without_a_text_are_refused(desk: Desk) -> None:
    async def test() -> None:
        with ChatServer(
            [Reply(calls=[Call("bash", {"command": "true"})]), Reply(text="1")]
        ) as server:
            async with desk.open(server) as session:
                for empty in ("", " \n", "\ud800"):
                    with pytest.raises(OptionError, match="empty"):
                        session.prompt(empty)
                assert session.entries == ()
                async for event in session.prompt("go"):
                    if isinstance(event, events.ToolExecutionStart):
                        with pytest.raises(RefusedMessageError, match="empty"):
                            await session.steer("\ud800")

    asyncio.run(test())


def test_a_file_of_settings_that_changed_counts_from_the_next_prompt_on(desk: Desk) -> None:
    async def test() -> None:
        call = Reply(calls=[Call("bash", {"command": "true"})])
        with ChatServer([call, Reply(text="1"), call, call, Reply(text="2")]) as server:
            async with desk.open(server) as session:
                await session.prompt("go")
                file = desk.root / "agent" / "settings.json"
                file.write_text('{"maxToolRounds": 0, "noSuchSetting": 1}')
                heard = [event async for event in session.prompt("go")]
                errors = [e.id for e in heard if isinstance(e, events.SettingsErrorFound)]
                assert errors == ["noSuchSetting"]
                assert any(
                    isinstance(e, events.RunFailed) and "0 tool rounds" in e.text for e in heard
                )
                file.unlink()
                outcome = await session.prompt("go")
                assert outcome is not None
                assert outcome.text == "2"

    asyncio.run(test())


def test_the_home_directory_of_the_environment_that_is_given_holds_the_state(desk: Desk) -> None:
    async def test() -> None:
        home = desk.root / "home"
        with ChatServer([Reply(text="1")]) as server:
            async with desk.open(server, agent_dir=None, environ={"HOME": str(home)}) as session:
                await session.prompt("go")
                assert session.directory is not None
                assert session.directory.parent == home / ".eukhe" / "sessions"

    asyncio.run(test())

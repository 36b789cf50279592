"""The settings of a session: its own sets, what a fork and a rewind find, and the rows of settings errors (S4)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from eukhe.agent.lines.line import split_prompt
from eukhe.agent.lines.run import ECHO, RESULT, SlashRunner
from eukhe.agent.retry.policy import RetryPolicy
from eukhe.agent.rows.record import AgentDocument, main_conversation
from eukhe.agent.rows.transcript import from_entry
from eukhe.agent.settings import CVARS, SETTINGS_ERROR, CvarAgent, SessionSettings, limits_of
from eukhe.agent.stored.branches import fork_to, rewind
from eukhe.core.cvar import parse_list
from eukhe.session import CommitFailedError, Session
from eukhe.settings.family import child, root
from tests.settings.user import User

if TYPE_CHECKING:
    from pathlib import Path

    from eukhe.agent.events import AgentEvent
    from eukhe.session.tree import Json

DOCUMENT = AgentDocument("m", "http://127.0.0.1:9/v1", "/", ())


class Opened:
    """A session that is open, with its settings and what it told."""

    def __init__(self, user: User, session: Session) -> None:
        self.user = user
        self.session = session
        self.told: list[AgentEvent] = []
        config = user.config()
        self.settings = SessionSettings(user.registry, config, session, DOCUMENT, self.told.append)

    def say(self, text: str) -> bool:
        """Run the commands of a text."""
        lines, rest = split_prompt(text)
        assert not rest
        runner = SlashRunner(self.settings, self.told.append)
        return all(runner.run(line) for line in lines)

    def rows(self, kind: str) -> list[dict[str, Json]]:
        main = main_conversation(self.session)
        if main is None:
            return []
        return [dict(row.body) for _, row in self.session.entries(main) if row.kind == kind]

    @property
    def stored(self) -> object:
        main = main_conversation(self.session)
        return None if main is None else self.session.document(CVARS, main)

    @property
    def error(self) -> object:
        return self.rows(RESULT)[-1]["error"]


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


@pytest.fixture
def opened(user: User) -> Opened:
    return Opened(user, Session.in_memory("s"))


def test_a_set_is_committed_with_its_echo_and_its_result(opened: Opened) -> None:
    assert opened.say(
        '/set retry.maxRetries 7\n/toggle retry.enabled\n/alias a "toggle retry.enabled"'
    )
    assert opened.stored == {
        "sets": {"retry.maxRetries": 7, "retry.enabled": False},
        "aliases": {"a": "toggle retry.enabled"},
    }
    assert opened.say("/a")
    assert opened.settings.own.values["retry.enabled"] is True
    assert opened.rows(ECHO)[0]["text"] == "/set retry.maxRetries 7"
    assert [row["success"] for row in opened.rows(RESULT)] == [True] * 4
    kinds = {kind for _, kind in _kinds(opened)}
    assert kinds == {ECHO, RESULT}
    assert all(message is None for message, _ in _kinds(opened)), "the model sees none of them"


def _kinds(opened: Opened) -> list[tuple[object, str]]:
    main = main_conversation(opened.session)
    assert main is not None
    return [(from_entry(row), row.kind) for _, row in opened.session.entries(main)]


def test_cvar_rejects_a_global_cvar_from_a_session(opened: Opened) -> None:
    assert not opened.say('/set trustedProjects "[\\"/\\"]"')
    assert opened.error == {
        "kind": "Global",
        "id": "trustedProjects",
        "message": "trustedProjects is global: only the global config sets it; "
        "/set --global writes it there",
    }
    assert opened.settings.own.values["trustedProjects"] == []
    assert opened.stored is None
    assert opened.say('/set --global trustedProjects "[\\"/x\\"]"')
    assert opened.settings.own.values["trustedProjects"] == ["/x"]


@pytest.mark.parametrize(
    ("line", "kind", "name"),
    [
        ("/set nope 1", "Undeclared", "nope"),
        ("/set maxToolRounds x", "BadValue", "maxToolRounds"),
        ("/toggle maxToolRounds", "NotBool", "maxToolRounds"),
        ("/set maxToolRounds", "Arguments", ""),
        ('/set maxToolRounds "1', "OpenQuote", ""),
        ("/alias set x", "Name", ""),
        ("/cvar gone", "Unknown", "gone"),
        ("/cvar bind x a", "Client", ""),
        ("/set --global nope 1", "Undeclared", "nope"),
        ("/set --global maxToolRounds x", "BadValue", "maxToolRounds"),
        ("/toggle --global maxToolRounds", "NotBool", "maxToolRounds"),
        ("/set --global", "Arguments", ""),
        ("/reload now", "Arguments", ""),
    ],
)
def test_a_refusal_carries_kind_id_and_message(
    opened: Opened, line: str, kind: str, name: str
) -> None:
    assert not opened.say(line)
    error = opened.error
    assert isinstance(error, dict)
    assert (error["kind"], error["id"]) == (kind, name)
    assert error["message"]
    assert opened.stored is None
    assert not opened.user.files.cfg.exists()


def test_an_alias_cycle_runs_nothing(opened: Opened) -> None:
    assert opened.say('/alias a "set maxToolRounds 1; b"\n/alias b "a"')
    assert not opened.say("/a")
    assert opened.error == {"kind": "Cycle", "id": "a", "message": "the alias a runs itself"}
    assert opened.settings.own.values["maxToolRounds"] == 200


def test_what_is_valid_of_a_line_holds(opened: Opened) -> None:
    assert not opened.say("/set maxToolRounds 3; set nope 1; set retry.maxRetries 2")
    assert opened.stored == {"sets": {"maxToolRounds": 3, "retry.maxRetries": 2}, "aliases": {}}


def test_a_toggle_in_a_global_set_flips_the_global_value(opened: Opened) -> None:
    assert opened.say("/set retry.enabled false")
    assert opened.say("/set --global toggle retry.enabled")
    assert opened.user.files.cfg.read_text() == "set retry.enabled false\n"
    assert opened.say("/toggle --global retry.enabled")
    assert opened.user.files.cfg.read_text() == "set retry.enabled true\n"
    assert opened.settings.own.values["retry.enabled"] is False, (
        "the session's own set stays on top"
    )


def test_a_save_writes_only_sets_that_persist_and_the_next_session_has_them(opened: Opened) -> None:
    assert opened.say("/set retry.maxRetries 7\n/set shellPath /bin/sh\n/cvar save")
    path = opened.user.files.profile("main")
    assert path.read_text() == "set retry.maxRetries 7\n"
    again = Opened(opened.user, Session.in_memory("t"))
    assert again.settings.own.values["retry.maxRetries"] == 7
    assert again.settings.own.values["shellPath"] is None


def test_a_resume_restores_the_sets_and_the_aliases(user: User, tmp_path: Path) -> None:
    with Session.create(tmp_path / "s") as session:
        assert Opened(user, session).say('/set maxToolRounds 3\n/alias a "set maxToolRounds 4"')
    with Session.open_to_write(tmp_path / "s") as session:
        opened = Opened(user, session)
        assert dict(opened.settings.own.values)["maxToolRounds"] == 3
        assert opened.say("/a")
        assert dict(opened.settings.own.values)["maxToolRounds"] == 4


def test_a_fork_starts_from_the_agent_state_at_its_fork_point(user: User, tmp_path: Path) -> None:
    with Session.create(tmp_path / "s") as session:
        opened = Opened(user, session)
        assert opened.say("/set maxToolRounds 3")
        main = main_conversation(session)
        assert main is not None
        point = session.entries(main)[-1][0]
        assert opened.say("/set maxToolRounds 4\n/toggle retry.enabled")
        fork_to(session, point, tmp_path / "fork")
        with Session.open_to_write(tmp_path / "fork") as fork:
            values = Opened(user, fork).settings.own.values
            assert (values["maxToolRounds"], values["retry.enabled"]) == (3, True)
        rewind(session, point)
        assert opened.settings.reload(force=True)
        assert opened.settings.own.values["maxToolRounds"] == 3
        assert opened.settings.own.values["retry.enabled"] is True


def test_a_subagent_starts_from_its_parents_sets(opened: Opened) -> None:
    opened.user.write("subagent.cfg", "set retry.maxRetries 9\n")
    assert opened.say(
        '/set maxToolRounds 3\n/set retry.maxRetries 2\n/alias a "set maxToolRounds 8"'
    )
    own = opened.settings.own
    family = child(own.agent.cvars, own.aliases, opened.user.files)
    sub = CvarAgent(family, None)
    assert (sub.values["maxToolRounds"], sub.values["retry.maxRetries"]) == (3, 9)
    commands = parse_list("a")
    assert isinstance(commands, tuple)
    assert sub.execute(commands).failure is None
    assert (sub.values["maxToolRounds"], own.values["maxToolRounds"]) == (8, 3)


def test_settings_errors_show_as_a_row_of_the_session(opened: Opened) -> None:
    user = opened.user
    user.write("settings.json", {"nope": 1})
    opened = Opened(user, opened.session)
    opened.settings.show_issues()
    opened.settings.show_issues()
    assert [row["id"] for row in opened.rows(SETTINGS_ERROR)] == ["nope"]
    user.write("config.cfg", "set retry.enabled maybe\n")
    assert opened.say("/reload\n/reload")
    rows = opened.rows(SETTINGS_ERROR)
    assert rows == [
        {
            "kind": "Undeclared",
            "id": "nope",
            "file": str(user.files.settings),
            "line": 2,
            "message": "there is no setting nope; this set has no effect",
        },
        {
            "kind": "BadValue",
            "id": "retry.enabled",
            "file": str(user.files.cfg),
            "line": 1,
            "message": "retry.enabled takes true or false; this set has no effect",
        },
    ]
    assert len([one for one in opened.told if one.type == "settings_error"]) == 2
    main = main_conversation(opened.session)
    assert main is not None
    assert not any(from_entry(row) for _, row in opened.session.entries(main))
    again = Opened(user, opened.session)  # opened again: told again
    again.settings.show_issues()
    assert len(again.rows(SETTINGS_ERROR)) == 4


def test_what_a_document_holds_that_is_not_known_is_told_and_stays(user: User) -> None:
    session = Session.in_memory("s")
    body: dict[str, Json] = {
        "sets": {"later.key": 1, "maxToolRounds": 5, "retry.enabled": "x"},
        "aliases": {"good": "toggle retry.enabled", "bad": 'set "x', "odd": 5},
    }
    agent = CvarAgent(root(user.config()), body)
    assert agent.values["maxToolRounds"] == 5
    assert {(one.kind, one.id) for one in agent.issues} == {
        ("Undeclared", "later.key"),
        ("BadValue", "retry.enabled"),
        ("Alias", "bad"),
        ("Alias", "odd"),
    }
    assert agent.to_json() == body
    assert CvarAgent(root(user.config()), {"sets": [], "aliases": 3}).to_json() == {
        "sets": {},
        "aliases": {},
    }
    assert session.conversations() == ()


def test_a_command_whose_echo_is_not_stored_runs_nothing(user: User, tmp_path: Path) -> None:
    with Session.create(tmp_path / "s") as session:
        opened = Opened(user, session)
        (tmp_path / "s" / "main.jsonl").write_bytes(b"changed by another program")
        with pytest.raises(CommitFailedError):
            opened.say("/set --global maxToolRounds 3")
        assert not user.files.cfg.exists()


def test_a_file_that_cannot_be_written_refuses_the_command(opened: Opened) -> None:
    opened.user.files.cfg.write_bytes(b"\xff")
    assert not opened.say("/set --global maxToolRounds 3")
    assert isinstance(opened.error, dict)
    assert opened.error["kind"] == "RefusedWrite"
    assert opened.user.files.cfg.read_bytes() == b"\xff"


def test_only_lines_in_front_of_the_prompt_are_commands() -> None:
    lines, rest = split_prompt("/set a 1\n\n  /toggle b \nhello\n/set c 2")
    assert [line.text for line in lines] == ["/set a 1", "/toggle b"]
    assert rest == "hello\n/set c 2"
    for text in ("/etc/hosts is what?", "/ set", "/1 x", "//set a 1", "hello /set", "", " x"):
        assert split_prompt(text) == ((), text)


def test_the_limits_of_a_run_are_what_the_settings_say(opened: Opened) -> None:
    usual = limits_of(opened.settings.own.values)
    assert usual.retry == RetryPolicy()
    assert (usual.timeouts.read, usual.repeat, usual.tool_rounds) == (300, 64, 200)
    assert (usual.shell, usual.prefix) == (None, "")
    assert opened.say(
        "/set retry.provider.timeoutMs 1500\n/set retry.provider.maxRetryDelayMs 0\n"
        '/set retry.enabled false\n/set shellCommandPrefix "set -e"'
    )
    own = limits_of(opened.settings.own.values)
    assert (own.retry.enabled, own.retry.longest_wait) == (False, math.inf)
    assert (own.timeouts.read, own.prefix) == (1.5, "set -e")
    assert opened.say("/set retry.provider.timeoutMs 0")
    assert limits_of(opened.settings.own.values).timeouts.read is None

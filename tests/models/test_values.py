"""Values of keys and headers: literals, variables, commands; what fails is said, the value never."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from eukhe.models.values import Unresolved, Value, looks_like_a_variable, resolve, source_of

if TYPE_CHECKING:
    from pathlib import Path

ENV = {"PATH": os.environ["PATH"], "ACME_KEY": "sk-1", "EMPTY": ""}


def text(value: Value | Unresolved) -> str:
    assert isinstance(value, Value), value
    return value.text


def failure(value: Value | Unresolved) -> str:
    assert isinstance(value, Unresolved), value
    return value.message


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("sk-literal", "sk-literal"),
        ("ACME_KEY", "sk-1"),
        ("$ACME_KEY", "sk-1"),
        ("${ACME_KEY}", "sk-1"),
        ("Bearer ${ACME_KEY}!", "Bearer sk-1!"),
        ("$$5 and $!x", "$5 and !x"),
        ("OTHER_KEY", "OTHER_KEY"),
        ("!printf ' sk-2\\n\\n'", "sk-2"),
        ('!echo "$ACME_KEY"', "sk-1"),
    ],
)
def test_a_value_is_a_literal_a_variable_or_the_output_of_a_command(
    written: str, value: str
) -> None:
    assert text(resolve(written, ENV)) == value


def test_a_variable_that_is_missing_or_empty_is_named() -> None:
    assert failure(resolve("$NO_KEY", ENV)).startswith("the environment variable NO_KEY is not set")
    assert failure(resolve("EMPTY", ENV)).startswith("the environment variable EMPTY is empty")
    assert failure(resolve("${EMPTY}", ENV)).startswith("the environment variable EMPTY is not set")


def test_a_command_that_fails_shows_its_errors_and_never_its_output() -> None:
    message = failure(resolve("!echo sk-secret; echo 'vault is\nlocked' >&2; exit 3", ENV))
    assert message == "the command for it ended with 3 and said: vault is locked"
    message = failure(resolve("!true", ENV))
    assert message == "the command for it printed nothing and said nothing on stderr"
    assert "sk-" not in repr(resolve("!echo sk-secret", ENV))


def test_a_command_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    started = time.monotonic()
    message = failure(resolve(f"!(sleep 1; touch {mark}) & sleep 60", ENV, seconds=0.2))
    assert message == "the command for it did not end within 0.2 s; it was ended"
    assert time.monotonic() - started < 10
    time.sleep(1.2)
    assert not mark.exists()


@pytest.mark.parametrize("left", ["sleep 9 &", "(setsid sleep 9 &);"])
def test_what_a_command_leaves_in_the_background_is_not_waited_for(left: str) -> None:
    started = time.monotonic()
    assert text(resolve(f"!{left} echo sk-3", ENV)) == "sk-3"
    assert time.monotonic() - started < 8


def test_a_command_that_hangs_behind_a_daemon_of_its_own_is_ended_too() -> None:
    started = time.monotonic()
    message = failure(resolve("!(setsid sleep 9 &); sleep 60", ENV, seconds=0.2))
    assert message == "the command for it did not end within 0.2 s; it was ended"
    assert time.monotonic() - started < 8


@pytest.mark.parametrize("command", ["yes", "yes | head -c 100000"])
def test_a_command_that_prints_more_than_a_key_is_ended_at_once(command: str) -> None:
    started = time.monotonic()
    message = failure(resolve(f"!{command}", ENV))
    assert message == "the command for it printed too much for a key; it was ended"
    assert time.monotonic() - started < 8


def test_a_command_may_say_much_on_stderr_and_close_its_pipes() -> None:
    assert text(resolve("!yes | head -c 300000 >&2; echo sk-4", ENV)) == "sk-4"
    assert text(resolve("!echo sk-5; exec >&- 2>&-; sleep 0.1", ENV)) == "sk-5"
    message = failure(resolve("!yes >&2", ENV, seconds=0.2))
    assert message == "the command for it did not end within 0.2 s; it was ended"


def test_a_command_reads_nothing_from_the_terminal() -> None:
    code = (
        "from eukhe.models.values import resolve; print(resolve('!cat', {'PATH': '/usr/bin:/bin'}))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, input="typed", capture_output=True, text=True, check=True)
    assert "the command for it printed nothing" in done.stdout


def test_where_a_value_comes_from_is_said_without_resolving_it(tmp_path: Path) -> None:
    assert source_of(f"!touch {tmp_path}/ran", ENV) == "a command"
    assert not (tmp_path / "ran").exists()
    assert source_of("$NO_KEY", ENV) == "the environment variable NO_KEY"
    assert source_of("ACME_KEY", ENV) == "the environment variable ACME_KEY"
    assert source_of("sk-literal", ENV) == "a text in the file"


def test_a_literal_that_is_spelled_like_a_variable_is_noticed() -> None:
    assert looks_like_a_variable("OTHER_KEY", ENV)
    assert not looks_like_a_variable("ACME_KEY", ENV)
    assert not looks_like_a_variable("sk-abc", ENV)
    assert not looks_like_a_variable("AKIA5", ENV)

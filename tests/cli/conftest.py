"""Fixtures of the tests that run the real program."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from tests.cli.eukhe_process import Home

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture(scope="session", autouse=True)
def _signals_are_not_ignored() -> None:
    """The program leaves ignored what it was started to ignore, under `nohup` for example.

    A child of this process gets no handler of it, but what it ignores.
    """
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)

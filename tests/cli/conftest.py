"""Fixtures of the tests that run the real program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.eukhe_process import Home

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)

"""Fixtures of the tests of settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.settings.user import User

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)

"""The options of a run, as the command line gives them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of `eukhe -p`, named as on the command line; None where one was not given."""

    prompt: str
    base_url: str | None = None
    model: str | None = None
    api_key_env: str | None = None
    thinking: str | None = None
    tier: str | None = None
    go_on: bool = False
    resume: str | None = None
    fork: str | None = None
    at: str | None = None
    no_session: bool = False
    cwd: Path | None = None
    mode: str = "text"
    tools: str | None = None
    no_tools: bool = False
    system_prompt: str | None = None
    session_dir: Path | None = None
    agent_dir: Path | None = None
    sets: tuple[str, ...] = ()

    @classmethod
    def of(cls, options: Mapping[str, object]) -> RunOptions:
        """Take the options of the command line; click has checked their types."""
        names = {field.name for field in fields(cls)}
        chosen = {name: value for name, value in options.items() if name in names}
        for name in ("cwd", "session_dir", "agent_dir"):
            if chosen.get(name) is not None:
                chosen[name] = Path(cast("str", chosen[name]))
        return cls(**cast("dict[str, Any]", chosen))

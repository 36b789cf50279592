"""What a caller asks of a session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of a session and its runs, named as on the command line; None where one was not given.

    Attributes:
        base_url: the server.
        model: the model: a name of the catalog, or with `base_url` the id that the server knows.
        api_key_env: the environment variable that holds the server's key.
        thinking: the thinking level.
        tier: the service tier.
        go_on: go on with the directory's newest session (`--continue`).
        resume: go on with this session: its id, the start of its id, or its path; empty to choose one.
        fork: go on in a new session that starts as this one.
        at: the last entry that the fork shares: its id, or `start`.
        no_session: store nothing.
        cwd: the working directory of the tools.
        tools: names of the tools on offer, with commas.
        no_tools: offer no tools.
        system_prompt: instructions in place of the built-in ones.
        context_files: whether the `AGENTS.md` files are in the system prompt.
        session_dir: where the sessions are.
        agent_dir: where all state is.
        sets: settings of the session: id and value.
    """

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
    tools: str | None = None
    no_tools: bool = False
    system_prompt: str | None = None
    context_files: bool | None = None
    session_dir: Path | None = None
    agent_dir: Path | None = None
    sets: tuple[tuple[str, object], ...] = ()

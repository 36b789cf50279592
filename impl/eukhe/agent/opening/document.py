"""The settings of a session's agent: what the caller asks for, over what the session has stored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from eukhe.agent.opening.errors import OptionError
from eukhe.agent.rows.record import AgentDocument
from eukhe.tools import DEFAULT, Toolset, UnknownToolError
from eukhe.wire.errors import WireError
from eukhe.wire.http import endpoint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.agent.opening.options import RunOptions

__all__ = ["document_of", "key_of", "toolset_of", "working_directory"]


def working_directory(cwd: Path | None) -> Path:
    """The working directory of the tools.

    Raises:
        OptionError: there is no such directory.
    """
    try:
        directory = Path.cwd() if cwd is None else cwd
    except FileNotFoundError as error:
        raise OptionError(
            "cwd",
            "the working directory was deleted; change to another one or name one with --cwd",
        ) from error
    if not directory.is_dir():
        raise OptionError("cwd", f"--cwd: there is no directory {directory}")
    return directory.resolve()


def document_of(options: RunOptions, stored: AgentDocument | None, *, sends: bool) -> AgentDocument:
    """The agent's settings: the options, over what the session has stored.

    Args:
        options: the options.
        stored: what the session has stored.
        sends: whether there is a prompt to send, so that a server and a model are needed.

    Raises:
        OptionError: the options do not fit together, or one that is needed is missing.
    """
    if options.no_tools and options.tools is not None:
        raise OptionError("tools", "--tools and --no-tools exclude each other")
    base = stored or AgentDocument("", "", "", DEFAULT)
    tools = base.tools
    if options.no_tools:
        tools = ()
    elif options.tools is not None:
        tools = tuple(filter(None, (name.strip() for name in options.tools.split(","))))
    moved = options.cwd is not None or not Path(base.cwd or "-").is_dir()
    document = replace(
        base,
        model=_given(options.model, base.model, "model", needed=sends),
        base_url=_base_url(_given(options.base_url, base.base_url, "base_url", needed=sends)),
        cwd=str(working_directory(options.cwd)) if moved else base.cwd,
        tools=tools,
    )
    if options.system_prompt is not None:
        document = replace(document, system_prompt=options.system_prompt)
    if options.context_files is not None:
        document = replace(document, context_files=options.context_files)
    if options.api_key_env is not None:
        document = replace(document, api_key_env=options.api_key_env)
    elif options.base_url is not None and options.base_url != base.base_url:
        # Another server must not get the key of the old one.
        document = replace(document, api_key_env=None)
    return document


def _given(value: str | None, stored: str, option: str, *, needed: bool) -> str:
    found = value or stored
    if not found and needed:
        raise OptionError(option, f"--{option.replace('_', '-')} is missing")
    return found


def _base_url(url: str) -> str:
    if not url:
        return ""
    try:
        endpoint(url, "/chat/completions")
    except WireError as error:
        raise OptionError("base_url", f"--base-url: {error.message}") from error
    parts = urlsplit(url)
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise OptionError(
            "base_url",
            "--base-url: the address is stored with the session, so it must hold no user name, "
            "password, query or fragment; name the variable that holds the key with --api-key-env",
        )
    return url


def toolset_of(document: AgentDocument) -> Toolset:
    """The tools on offer.

    Raises:
        OptionError: there is no tool of such a name.
    """
    try:
        return Toolset.built_in(document.tools)
    except UnknownToolError as error:
        raise OptionError("tools", f"--tools: {error}") from error


def key_of(document: AgentDocument, environ: Mapping[str, str]) -> str:
    """The key for a server that was named by its address; empty for none.

    Raises:
        OptionError: the variable that should hold it is not set.
    """
    if document.api_key_env is None:
        return ""
    key = environ.get(document.api_key_env, "")
    if not key:
        raise OptionError(
            "api_key_env",
            f"--api-key-env: the environment variable {document.api_key_env} is not set",
        )
    return key

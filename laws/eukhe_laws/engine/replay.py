"""Replay ids: a law, a subject and the arguments, so that anyone can run exactly one input again.

An id reads `LAW@SUBJECT#VERSION:JSON`. The version is the digest of the types of the law's parameters: an id
stays good while spec, core and law are repaired, and is refused once it would mean other arguments.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from eukhe_laws.engine import codec
from eukhe_laws.engine.agree import PREFIX
from eukhe_laws.engine.domain import Domain
from eukhe_laws.engine.law import Law

__all__ = ["Parsed", "ReplayError", "arguments", "parse", "program", "replay_id"]

_ID = re.compile(r"(?P<law>[\w.]+)@(?P<subject>\w+)#(?P<version>[0-9a-f]+):(?P<json>.*)", re.DOTALL)


class ReplayError(ValueError):
    """An id that cannot be run, said in one line."""


@dataclass(frozen=True)
class Parsed:
    """The parts of an id."""

    law: str
    subject: str
    version: str
    json: str


def _named(law: Law) -> tuple[tuple[str, Domain], ...]:
    names = (name for name, _ in law.parameters)
    return tuple(zip(names, law.domains(law.scope), strict=True))


def _home(law: Law) -> str:
    """Say where the law is stated, when its name alone does not tell: agreements are named alike in all areas."""
    room, _, area = law.holds.__module__.rpartition(".")
    if room != "eukhe_laws":
        return f"{law.holds.__module__}."
    return f"{area}." if law.name.startswith(PREFIX) else ""


def replay_id(law: Law, subject: str, values: tuple[Any, ...]) -> str:
    """Make the id of one input."""
    named = _named(law)
    data = [codec.encode(domain, value) for (_, domain), value in zip(named, values, strict=True)]
    name = f"{_home(law)}{law.name}"
    return f"{name}@{subject}#{codec.version(named)}:{json.dumps(data, separators=(',', ':'))}"


def parse(text: str) -> Parsed:
    """Take an id apart.

    Raises:
        ReplayError: the text is no id.
    """
    found = _ID.fullmatch(text.strip())
    if found is None:
        raise ReplayError("this is no replay id; one reads LAW@SUBJECT#VERSION:JSON, in quotes")
    return Parsed(**found.groupdict())


def arguments(law: Law, parsed: Parsed) -> tuple[Any, ...]:
    """Read the arguments of an id.

    Raises:
        ReplayError: the id is of another version of the law, or its JSON is no list of its arguments.
    """
    named = _named(law)
    now = codec.version(named)
    if parsed.version != now:
        raise ReplayError(
            f"the id is of version {parsed.version} of {law.name}, whose arguments are now of version {now}; "
            f"run `eukhe laws {law.name}` for a new one"
        )
    try:
        data = json.loads(parsed.json)
    except (ValueError, RecursionError) as error:
        raise ReplayError(f"the arguments in the id cannot be read as JSON: {error}") from None
    if not isinstance(data, list) or len(data) != len(named):
        raise ReplayError(f"the id must carry a list of {len(named)} arguments for {law.name}")
    try:
        return tuple(
            codec.decode(domain, item) for (_, domain), item in zip(named, data, strict=True)
        )
    except codec.CodecError as error:
        raise ReplayError(f"an argument in the id does not fit: {error}") from None


def program(law: Law, subject: str, values: tuple[Any, ...]) -> str:
    """Write the Python program that builds the input and fails."""
    classes = sorted(frozenset().union(*(codec.imports(value) for value in values)))
    modules: dict[str, list[str]] = {}
    for module, name in classes:
        modules.setdefault(module, []).append(name)
    lines = [f"from {module} import {', '.join(names)}" for module, names in modules.items()]
    own = law.holds.__module__
    if subject == "both":
        function = law.name.removeprefix(PREFIX)
        lines += [f"from {own} import CORE, SPEC", f"arguments = {codec.python(values)}"]
        lines += [f"assert SPEC.{function}(*arguments) == CORE.{function}(*arguments)"]
        return "\n".join(lines)
    lines += [f"from {own} import {subject.upper()}, {law.name}"]
    inner = "".join(
        f"    {name}={codec.python(value)},\n"
        for (name, _), value in zip(law.parameters, values, strict=True)
    )
    call = f"(\n    {subject.upper()},\n{inner})" if values else f"({subject.upper()})"
    lines += [f"assert {law.name}.holds{call}"]
    return "\n".join(lines)

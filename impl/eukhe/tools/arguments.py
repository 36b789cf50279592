"""From the text of a call's arguments to values that fit the tool's schema, or the reason why not."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

SHOWN_CHARACTERS = 512
"""How much of a text that is no JSON object the model gets to see again (S6 argument repair, 2)."""


@dataclass(frozen=True, slots=True)
class BadArguments:
    """The call does not run; the model gets the reason."""

    reason: str


def parse_arguments(text: str) -> dict[str, object] | BadArguments:
    """Read the whole text as one strict JSON object. An empty text is `{}`; a part is never used."""
    if not text.strip():
        return {}
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        return BadArguments(f"the arguments are not JSON: {error}\n{_shown(text)}")
    if not isinstance(value, dict):
        return BadArguments(f"the arguments are JSON, but not an object\n{_shown(text)}")
    return value


def check_arguments(schema: Mapping[str, object], arguments: Mapping[str, object]) -> str | None:
    """Check arguments against an object schema: keys, types, enums, minimums and maximums.

    Returns:
        All that is wrong, or None.
    """
    properties = schema.get("properties")
    known = properties if isinstance(properties, Mapping) else {}
    wrong = []
    required = schema.get("required")
    if isinstance(required, (list, tuple)):
        wrong += [f"{key!r} is missing" for key in required if key not in arguments]
    for key, value in arguments.items():
        rule = known.get(key)
        if isinstance(rule, Mapping):
            problem = _check_value(rule, value)
            if problem is not None:
                wrong.append(f"{key!r} {problem}")
        elif schema.get("additionalProperties") is False:
            wrong.append(f"{key!r} is not an argument (there are: {', '.join(known) or 'none'})")
    return "; ".join(wrong) or None


def _check_value(rule: Mapping[str, object], value: object) -> str | None:
    kind = rule.get("type")
    if isinstance(kind, str) and not _has_type(kind, value):
        return f"must be {'an' if kind[0] in 'aeiou' else 'a'} {kind}"
    allowed = rule.get("enum")
    if isinstance(allowed, (list, tuple)) and value not in allowed:
        return f"must be one of {', '.join(map(repr, allowed))}"
    minimum = rule.get("minimum")
    if (
        isinstance(minimum, (int, float))
        and isinstance(value, (int, float))
        and not value >= minimum
    ):
        return f"must be at least {minimum}"
    maximum = rule.get("maximum")
    if (
        isinstance(maximum, (int, float))
        and isinstance(value, (int, float))
        and not value <= maximum
    ):
        return f"must be at most {maximum}"
    return None


def _has_type(kind: str, value: object) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case "integer":
            whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
            return whole and not isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case _:
            return True


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"the number {text[:40]} is too large")
    return value


def _shown(text: str) -> str:
    return f"The call did not run. The arguments began with: {text[:SHOWN_CHARACTERS]}"

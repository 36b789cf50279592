"""Checks by the library `jsonschema`, for schemas that come from outside."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from itertools import islice
from typing import Any

from eukhe.core.arguments_schema import MAX_PROBLEMS, named

_SHOWN = 200
"""Characters of one message; the library puts whole values into them."""

_STEPS, _STEPS_EACH = 30_000, 50
"""Keywords that are looked at for one call's arguments, and more for each value in them: seconds, not years."""


class _TooLongError(Exception):
    """The steps are spent: references in one another can double the work at each step."""


class LibraryCheck:
    """Checks values against one schema, by the draft that it declares, else by Draft 2020-12.

    A `$ref` is looked up in the schema itself and in the drafts' own schemas, never fetched. With a schema that
    cannot be used nothing fits: a call that was not checked does not run.

    Args:
        schema: any JSON schema; it may be wrong.
    """

    def __init__(self, schema: Mapping[str, object]) -> None:
        # The library has no types of its own, so what comes from it is `Any` in this file only.
        library: Any = import_module("jsonschema")
        validators: Any = import_module("jsonschema.validators")
        registry: Any = import_module("jsonschema_specifications")
        self._fault = ""
        self._steps = _STEPS
        self._validator: Any = None
        try:
            draft = validators.validator_for(schema, default=library.Draft202012Validator)
            draft.check_schema(schema)
            counted = {word: self._counted(check) for word, check in draft.VALIDATORS.items()}
            self._validator = validators.extend(draft, counted)(schema, registry=registry.REGISTRY)
        except Exception as error:  # a schema from outside can be wrong in any way
            self._fault = _words(error)

    def fits(self, schema: Mapping[str, object], value: object) -> bool:
        """Whether a value passes the schema or a part of it."""
        if self._validator is None:
            return False
        validator = self._validator
        try:
            # `evolve` would take the class of a declared draft, which counts nothing.
            part = validator if schema is validator.schema else validator.evolve(schema=schema)
            return bool(part.is_valid(value))
        except Exception:  # as above; `problems` says what it is
            return False

    def problems(self, value: object) -> tuple[str, ...]:
        """What is wrong with a value; the first few of it."""
        if self._validator is None:
            return (f"the tool's own schema is wrong: {self._fault}",)
        self._steps = _STEPS + _STEPS_EACH * _size(value)
        try:
            found = list(islice(self._validator.iter_errors(value), MAX_PROBLEMS))
        except RecursionError:
            return ("the arguments are nested too deeply for the tool's schema",)
        except _TooLongError:
            return ("the tool's own schema takes too long to check",)
        except OverflowError:  # integers are exact, and the library divides floats
            return ("the arguments hold a number that is too large for the tool's schema",)
        except Exception as error:
            return (f"the tool's own schema is wrong: {_words(error)}",)
        finally:
            self._steps = _STEPS  # for the repair of the next call
        told = (f"{named(tuple(e.absolute_path))}: {_cut(e.message)}" for e in found)
        return tuple(dict.fromkeys(told))

    def _counted(self, check: Any) -> Any:
        """The check of a keyword that counts how often it is asked."""

        def asked(validator: Any, wanted: Any, value: Any, schema: Any) -> Any:
            self._steps -= 1
            if self._steps < 0:
                raise _TooLongError
            return check(validator, wanted, value, schema)

        return asked


def _size(value: object) -> int:
    """How many values stand in a value, itself counted."""
    size, open_parts = 0, [value]
    while open_parts:
        part = open_parts.pop()
        size += 1
        if isinstance(part, dict):
            open_parts += part.values()
        elif isinstance(part, list):
            open_parts += part
    return size


def _words(error: Exception) -> str:
    message = getattr(error, "message", None)
    return _cut(message if isinstance(message, str) else str(error) or type(error).__name__)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}\u2026"

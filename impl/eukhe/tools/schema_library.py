"""Checks by the library `jsonschema`, for schemas that come from outside."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from itertools import islice
from typing import Any

from eukhe.core.arguments_schema import MAX_PROBLEMS, named

_SHOWN = 200
"""Characters of one message; the library puts whole values into them."""


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
        self._validator: Any = None
        try:
            draft = validators.validator_for(schema, default=library.Draft202012Validator)
            draft.check_schema(schema)
            self._validator = draft(schema, registry=registry.REGISTRY)
        except Exception as error:  # a schema from outside can be wrong in any way
            self._fault = _words(error)

    def fits(self, schema: Mapping[str, object], value: object) -> bool:
        """Whether a value passes the schema or a part of it."""
        if self._validator is None:
            return False
        try:
            return bool(self._validator.evolve(schema=schema).is_valid(value))
        except Exception:  # as above; `problems` says what it is
            return False

    def problems(self, value: object) -> tuple[str, ...]:
        """What is wrong with a value; the first few of it."""
        if self._validator is None:
            return (f"the tool's own schema is wrong: {self._fault}",)
        try:
            found = list(islice(self._validator.iter_errors(value), MAX_PROBLEMS))
        except RecursionError:
            return ("the arguments are nested too deeply for the tool's schema",)
        except OverflowError:  # integers are exact, and the library divides floats
            return ("the arguments hold a number that is too large for the tool's schema",)
        except Exception as error:
            return (f"the tool's own schema is wrong: {_words(error)}",)
        return tuple(f"{named(tuple(e.absolute_path))}: {_cut(e.message)}" for e in found)


def _words(error: Exception) -> str:
    message = getattr(error, "message", None)
    return _cut(message if isinstance(message, str) else str(error) or type(error).__name__)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}\u2026"

"""A model as the ChatGPT backend sees it (S6.1, S6.8)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from eukhe.core import quirks_directives as d
from eukhe.core.quirks import query, setting
from eukhe.models import responses
from eukhe.wire.openai_codex_responses import CODEX

if TYPE_CHECKING:
    from eukhe.models.registry import Model
    from eukhe.models.speak import Ask, Stream
    from eukhe.wire.openai_responses_body import Compat
    from eukhe.wire.request import Options

__all__ = ["codex_compat", "options_of", "stream_of"]


def codex_compat(model: Model) -> Compat:
    """Return what differs at the backend."""
    return replace(
        CODEX,
        strict=model.setting(d.SUPPORTS_STRICT_MODE, True),
        strict_cap=setting(None, query(model.quirks.rulebook, model.key, d.STRICT_CAP), None),
        max_output_tokens=model.setting(d.SUPPORTS_MAX_OUTPUT_TOKENS, False),
        cache_key=model.setting(d.SUPPORTS_PROMPT_CACHE_KEY, True),
        long_cache=False,
    )


def stream_of(model: Model) -> Stream:
    """Return the API as the backend takes it."""
    from eukhe.wire.openai_codex_responses import stream  # it brings the HTTP client along

    return partial(stream, compat=codex_compat(model))


def options_of(model: Model, ask: Ask) -> Options:
    """Return what a request asks for; the backend wants its choices said."""
    options = responses.options_of(model, ask, explicit_cache=False)
    extra = {"text": {"verbosity": "low"}, **options.extra}
    return replace(options, tool_choice="auto", parallel_tool_calls=True, extra=extra)

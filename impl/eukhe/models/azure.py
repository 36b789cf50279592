"""A model as Azure's Responses see it: the deployment that stands for it, and how the resource is asked (S6.1)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from eukhe.models import responses
from eukhe.wire.azure_openai_responses import VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eukhe.models.registry import Model
    from eukhe.models.speak import Ask, Stream
    from eukhe.wire.request import Options

__all__ = ["deployment", "options_of", "stream_of"]


def stream_of(model: Model) -> Stream:
    """Return the API as the model's resource takes it."""
    from eukhe.wire.azure_openai_responses import stream  # it brings the HTTP client along

    # Explicit cache marks are OpenAI's own; a resource answers 400 to what it does not know yet.
    compat = replace(responses.responses_compat(model), cache_breakpoints=False)
    return partial(
        stream,
        compat=compat,
        version=model.environ.get("AZURE_OPENAI_API_VERSION") or VERSION,
        token=model.environ.get("AZURE_OPENAI_AD_TOKEN", ""),
    )


def options_of(model: Model, ask: Ask) -> Options:
    """Return what a request asks for; the deployment stands for the model."""
    options = responses.options_of(model, ask, explicit_cache=False)
    name = deployment(model.entry.id, model.environ)
    return replace(options, extra={"model": name, **options.extra})


def deployment(model_id: str, environ: Mapping[str, str]) -> str:
    """Return what a resource calls a model: `AZURE_OPENAI_DEPLOYMENT_NAME_MAP` says so, else its id.

    The variable is `model=deployment,model2=deployment2`.
    """
    for pair in environ.get("AZURE_OPENAI_DEPLOYMENT_NAME_MAP", "").split(","):
        known, _, name = pair.partition("=")
        if known.strip() == model_id and name.strip():
            return name.strip()
    return model_id

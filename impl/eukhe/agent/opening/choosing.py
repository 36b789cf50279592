"""The model of a session is chosen: by the options, by what is stored, by default (S6).

A server that is named by `--base-url` needs nothing of the catalog, and nothing of it is imported for one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from eukhe.agent.opening.errors import OptionError
from eukhe.agent.opening.model import Choice
from eukhe.core.effort import LADDER, Level
from eukhe.settings.family import root
from eukhe.settings.issues import Issue
from eukhe.settings.table import (
    DEFAULT_THINKING_LEVEL,
    ENABLED_MODELS,
    PROMPT_CACHE,
    THINKING_BUDGETS,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from eukhe.agent.opening.options import RunOptions
    from eukhe.agent.rows.record import AgentDocument
    from eukhe.core.default_model import Row
    from eukhe.models.credentials import Credentials
    from eukhe.models.registry import Model, Registry
    from eukhe.settings.load import Config

__all__ = ["after_lines", "choose_model"]


def after_lines(options: RunOptions, now: AgentDocument | None) -> RunOptions:
    """The options after commands of the prompt: what they chose counts, not the command line."""
    changed = replace(options, thinking=None, tier=None)
    if now is None or not now.provider:
        return changed
    return replace(changed, model=None, base_url=None, api_key_env=None)


def choose_model(
    options: RunOptions,
    stored: AgentDocument | None,
    config: Config,
    environ: Mapping[str, str],
    *,
    sends: bool,
) -> Choice:
    """Choose the model of a run.

    Args:
        options: The options.
        stored: What the session has stored; None for a new one.
        config: The settings.
        environ: The environment.
        sends: Whether there is a prompt to send, so that a model is needed.

    Raises:
        OptionError: `--model`, `--thinking` or `--tier` names what is not there, or there is no key.
    """
    asked = _level(options.thinking)
    own_server = options.base_url is not None or options.api_key_env is not None
    own_server = own_server or (
        stored is not None and bool(stored.base_url) and not stored.provider
    )
    if own_server and (
        options.base_url is not None
        or not _names_provider(options.model, config.files.agent_dir, environ)
    ):
        if options.tier is not None:
            raise OptionError("tier", "--tier: only a model of the catalog has service tiers")
        return Choice(asked=asked)
    from eukhe.agent.opening.others import Peers
    from eukhe.models.credentials import Credentials
    from eukhe.models.registry import Registry

    home = config.files.agent_dir
    registry = Registry.of(home, environ)
    credentials = Credentials.of(home, environ, registry.custom)
    values = root(config).cvars.values
    found = _found(options, stored, registry, credentials, values)
    issues = _issues(registry, credentials)
    default = _level(str(values[DEFAULT_THINKING_LEVEL] or "") or None)
    if isinstance(found, _Named):
        asked = asked or found.level
        enabled = values[ENABLED_MODELS]
        scope = tuple(map(str, enabled)) if isinstance(enabled, (list, tuple)) else ()
        choice = Choice(
            found.model,
            asked,
            options.tier,
            default,
            row=found.row,
            issues=issues,
            peers=Peers(registry, credentials, scope, _budgets(values), _cache(values)),
        )
        return _with_key(choice, found.model, credentials, sends=sends)
    if sends and found.row is None:
        raise OptionError("model", f"--model is missing: {found.text}")
    return Choice(asked=asked, row=found.row, missing=found.text, issues=issues)


@dataclass(frozen=True, slots=True)
class _Named:
    """A model, by name or by default."""

    model: Model
    level: Level | None = None
    row: Row | None = None


@dataclass(frozen=True, slots=True)
class _Nothing:
    """No model: what to do, and why the saved default is not used."""

    text: str
    row: Row | None


def _found(
    options: RunOptions,
    stored: AgentDocument | None,
    registry: Registry,
    credentials: Credentials,
    values: Mapping[str, object],
) -> _Named | _Nothing:
    from eukhe.core.default_model import Ref
    from eukhe.models.default import NoModel, start
    from eukhe.models.patterns import Chosen, choose

    if options.model is not None:
        chosen = choose(registry, options.model, credentials)
        if not isinstance(chosen, Chosen):
            server = "; a model of a server of your own needs --base-url as well"
            raise OptionError("model", f"--model: {chosen.message}{server}")
        model = registry.find(chosen.ref)
        if model is not None:
            return _Named(model, chosen.level)
    if stored is not None and stored.provider:
        ref = Ref(stored.provider, stored.model)
        model = registry.find(ref)
        if model is None:
            raise OptionError(
                "model",
                f"the session's model {ref} is not in the catalog any more; choose another with --model",
            )
        return _Named(model)
    resolution = start(registry, credentials, values)
    model = None if resolution.model is None else registry.find(resolution.model)
    if model is None:
        text = NoModel.of(resolution, registry, credentials).message
        return _Nothing(text, resolution.row)
    return _Named(model, None, resolution.row)


def _issues(registry: Registry, credentials: Credentials) -> tuple[Issue, ...]:
    """What is wrong with the files that models and keys come from."""
    bundle = registry.built_in.bundle
    found = [Issue("Bundle", "", bundle.message)] if bundle.message else []
    found += [
        Issue("ModelsJson", str(one.file), one.said, one.id) for one in registry.custom.diagnostics
    ]
    if credentials.message:
        found.append(Issue("Auth", "", credentials.message))
    return tuple(found)


def _with_key(choice: Choice, model: Model, credentials: Credentials, *, sends: bool) -> Choice:
    """The choice with its key and headers; they are resolved only when something is sent."""
    from eukhe.models.addresses import missing_address
    from eukhe.models.credentials import NoKey
    from eukhe.models.headers import NoHeader, headers_of
    from eukhe.models.speak import SPOKEN

    provider = model.entry.provider
    if model.overlap is not None:
        overlap = Issue("FamilyOverlap", "", model.overlap.message, model.entry.id)
        choice = replace(choice, issues=(*choice.issues, overlap))
    if choice.tier is not None and choice.tier not in model.tiers:
        tiers = ", ".join(model.tiers)
        raise OptionError("tier", f"--tier: {model.ref} honours {tiers}, not {choice.tier}")
    choice = replace(choice, variables=credentials.variables(provider))
    if not sends:
        return choice
    if model.entry.api not in SPOKEN:
        raise OptionError(
            "model",
            f"--model: {model.ref} is reached over {model.entry.api}, which this eukhe does not speak; "
            f"it speaks {', '.join(SPOKEN)}",
        )
    if missing := missing_address(model.entry):
        raise OptionError("model", f"--model: {missing}")
    key = credentials.key(provider)
    if isinstance(key, NoKey):
        raise OptionError("model", f"--model: {key.message}")
    headers = headers_of(model, credentials, key.text)
    if isinstance(headers, NoHeader):
        raise OptionError("model", headers.message)
    return replace(choice, key=key.text, headers=headers)


def _names_provider(text: str | None, home: Path, environ: Mapping[str, str]) -> bool:
    """Whether `--model` names a provider that is known, so that a session leaves its own server for it."""
    if text is None or "/" not in text:
        return False
    from eukhe.models.custom import FILE, load_models_json
    from eukhe.models.provider_table import PROVIDERS

    named = text.partition("/")[0].lower()
    own = load_models_json(home / FILE, environ).providers
    return named in PROVIDERS or named in {one.lower() for one in own}


def _budgets(values: Mapping[str, object]) -> dict[str, int]:
    """The user's `thinkingBudgets`: tokens by level, those that are set."""
    found = ((level, values[name]) for level, name in THINKING_BUDGETS.items())
    return {level: tokens for level, tokens in found if isinstance(tokens, int)}


def _cache(values: Mapping[str, object]) -> Literal["none", "short", "long"]:
    match values[PROMPT_CACHE]:
        case "none" | "long" as asked:
            return asked
        case _:
            return "short"


def _level(text: str | None) -> Level | None:
    if text is None:
        return None
    if text not in LADDER:
        raise OptionError(
            "thinking", f"--thinking: there is no level {text}; there are: {', '.join(LADDER)}"
        )
    return Level(text)

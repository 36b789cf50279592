"""A row of a data set as a model of the catalog, and which rows are taken."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from catalog_levels import Levels, efforts, levels_of
from catalog_providers import COMPLETIONS, PROVIDERS, Provider, Source

#: The day that the catalog is of: models that are withdrawn by then are left out.
AS_OF = "2026-11-30"

_MILLION = 1_000_000
_LONGEST_REPLY = 131_072  # a source that repeats the window as the reply's limit says nothing
_PRICE_STEP = "input_cost_per_token_above_272k_tokens"
_STEP = 272_000
_NO_CHAT = re.compile(
    r"audio|realtime|embed|image|:batch|deep-research|computer-use|robotics|live|-tts|omni|customtools"
    r"|multi-agent|transcribe|safeguard"
)
#: Hosts that take no effort, but for models that name their words for it.
_EFFORT_BY_MODEL = frozenset(
    {"github-copilot", "moonshotai", "moonshotai-cn", "nvidia", "together", "xai", "zai"}
)
_EAGER_OFF = ("claude-haiku-4.5", "claude-sonnet-4", "claude-sonnet-4.5")
Facts = Mapping[str, object]


@dataclass(frozen=True)
class Row:
    """A model of the catalog."""

    id: str
    name: str
    api: str
    base_url: str
    reasoning: bool
    images: bool
    cost: tuple[float, float, float, float]
    window: int
    max_tokens: int
    levels: Levels | None
    compat: dict[str, object] | None
    featured: bool

    def to_json(self, spec: Provider) -> dict[str, object]:
        """The row as its file has it: what is the provider's or the default is left out."""
        found: dict[str, object] = {"id": self.id, "name": self.name}
        if self.api != spec.api:
            found["api"] = self.api
        if self.base_url != spec.base_url:
            found["baseUrl"] = self.base_url
        if self.reasoning:
            found["reasoning"] = True
        if self.images:
            found["input"] = ["text", "image"]
        found["cost"] = [int(price) if price == int(price) else price for price in self.cost]
        found["contextWindow"] = self.window
        found["maxTokens"] = self.max_tokens
        if self.levels is not None:
            found["thinkingLevelMap"] = self.levels
        if self.compat is not None:
            found["compat"] = self.compat
        if self.featured:
            found["featured"] = True
        return found


def rows_of(provider: str, documents: Mapping[Source, Mapping[str, Facts]]) -> list[Row]:
    """Return the models of a provider, sorted by id."""
    spec = PROVIDERS[provider]
    taken = _litellm if spec.source is Source.LITELLM else _models_dev
    rows = {row.id: row for row in taken(provider, spec, documents)}
    return [rows[model] for model in sorted(rows)]


def _usable(facts: Facts) -> bool:
    if facts.get("mode") not in ("chat", "responses") or not facts.get("supports_function_calling"):
        return False
    gone = str(facts.get("deprecation_date") or "9999")
    return gone > AS_OF and bool(
        _whole(facts, "max_input_tokens") and _whole(facts, "max_output_tokens")
    )


def _whole(facts: Facts, key: str) -> int:
    value = facts.get(key)
    return int(value) if isinstance(value, (int, float)) else 0


def _litellm(
    provider: str, spec: Provider, documents: Mapping[Source, Mapping[str, Facts]]
) -> list[Row]:
    document = documents[Source.LITELLM]
    found: dict[str, Facts] = {}
    # A key with the prefix comes last, so of two for a model it counts.
    for key in sorted(document, key=lambda one: one.startswith(spec.prefix or "\0")):
        facts = document[key]
        if facts.get("litellm_provider") == spec.name:
            found[key.removeprefix(spec.prefix)] = facts
    if spec.only:
        found = {ours: found[theirs] for ours, theirs in spec.only.items() if theirs in found}
    rows = []
    for model, facts in found.items():
        if re.search(spec.drop, model) or _NO_CHAT.search(model):
            continue
        whole = {**_twin(model, spec, document), **facts}
        if _usable(whole):
            rows.append(_litellm_row(provider, spec, model, whole, documents))
    return rows


def _twin(model: str, spec: Provider, document: Mapping[str, Facts]) -> Facts:
    """What the maker's own row says and a resold one leaves out: prices and effort flags."""
    own = document.get(model) or document.get(model.replace(".", "-")) or {}
    wanted = ("supports_", "thinking_", "reasoning_effort")
    prices = (
        ("input_cost", "output_cost", "cache_")
        if spec.copies or spec.name == "github_copilot"
        else ()
    )
    return {key: value for key, value in own.items() if key.startswith(wanted + prices)}


def _price(facts: Facts, key: str) -> float | None:
    value = facts.get(key)
    return round(float(value) * _MILLION, 6) if isinstance(value, (int, float)) else None


def _litellm_row(
    provider: str,
    spec: Provider,
    model: str,
    facts: Facts,
    documents: Mapping[Source, Mapping[str, Facts]],
) -> Row:
    price = _price(facts, "input_cost_per_token") or 0.0
    claude = "claude" in model
    read = _price(facts, "cache_read_input_token_cost")
    write = _price(facts, "cache_creation_input_token_cost")
    window = _whole(facts, "max_input_tokens")
    if _PRICE_STEP in facts:
        window = min(window, _STEP)
    reply = min(_whole(facts, "max_output_tokens"), window)
    reasoning = bool(
        facts.get("supports_reasoning")
        or facts.get("supports_adaptive_thinking")
        or facts.get("thinking_always_on")
        or facts.get("reasoning_effort_levels")
    )
    levels = levels_of(provider, model, facts) if reasoning else None
    compat: dict[str, object] = {}
    if provider == "github-copilot" and model in _EAGER_OFF:
        compat["supportsEagerToolInputStreaming"] = False
    completions = spec.api_of(model) == COMPLETIONS
    if completions and provider in _EFFORT_BY_MODEL and reasoning and efforts(levels) > 1:
        compat["supportsReasoningEffort"] = True
    if provider.startswith("moonshotai") and reasoning and "off" not in (levels or {}):
        compat["thinkingFormat"] = "deepseek"  # the toggle of Kimi has the same form
    return Row(
        model,
        _name(provider, model, documents),
        spec.api_of(model),
        spec.base_url_of(model),
        reasoning,
        bool(facts.get("supports_vision")),
        (
            price,
            _price(facts, "output_cost_per_token") or 0.0,
            read if read is not None else round(0.1 * price, 6) if claude else 0.0,
            write if write is not None else round(1.25 * price, 6) if claude else 0.0,
        ),
        window,
        min(reply, _LONGEST_REPLY) if reply == window else reply,
        levels,
        compat or None,
        _featured(provider, model),
    )


def _models_dev(
    provider: str, spec: Provider, documents: Mapping[Source, Mapping[str, Facts]]
) -> list[Row]:
    theirs = documents[Source.MODELS_DEV].get(spec.name, {})
    models = cast("Mapping[str, Facts]", theirs.get("models", {}))
    rows = []
    for model, facts in models.items():
        limit = cast("Facts", facts.get("limit", {}))
        window, reply = _whole(limit, "context"), _whole(limit, "output")
        shapes = cast("Mapping[str, list[str]]", facts.get("modalities", {}))
        texts = shapes.get("output", []) == ["text"]
        if not (facts.get("tool_call") and window and reply and texts) or re.search(
            spec.drop, model
        ):
            continue
        if _NO_CHAT.search(model) or facts.get("status") == "deprecated":
            continue
        cost = cast("Facts", facts.get("cost", {}))
        prices = [cost.get(key) for key in ("input", "output", "cache_read", "cache_write")]
        numbers = [float(one) if isinstance(one, (int, float)) else 0.0 for one in prices]
        reasoning = bool(facts.get("reasoning"))
        reply = min(reply, window)
        rows.append(
            Row(
                model,
                str(facts.get("name") or model),
                spec.api_of(model),
                spec.base_url_of(model),
                reasoning,
                "image" in shapes.get("input", []),
                (numbers[0], numbers[1], numbers[2], numbers[3]),
                window,
                min(reply, _LONGEST_REPLY) if reply == window else reply,
                levels_of(provider, model, facts) if reasoning else None,
                None,
                _featured(provider, model),
            )
        )
    return rows


# Names and the first page of the menu.

_ALIASES = {"amazon-bedrock": "amazon-bedrock", "azure": "azure", "openai-codex": "openai"}
_WORDS = {"gpt": "GPT", "glm": "GLM", "oss": "OSS", "ai": "AI", "vl": "VL", "us": "US", "eu": "EU"}


def _name(provider: str, model: str, documents: Mapping[Source, Mapping[str, Facts]]) -> str:
    listed = documents[Source.MODELS_DEV].get(_ALIASES.get(provider, provider), {})
    models = cast("Mapping[str, Facts]", listed.get("models", {}))
    known = models.get(model, {}).get("name")
    return str(known) if isinstance(known, str) and known.isprintable() else _derived(model)


def _derived(model: str) -> str:
    """A name out of an id: `claude-opus-5-5` is Claude Opus 5.5."""
    bare = re.sub(r"-v[0-9]+(?::[0-9]+)?$|@default$", "", model.rpartition("/")[2])
    found = re.match(r"(?:(us-gov|us|eu|au|jp|apac|global)\.)?(?:[a-z]+\.)?(?=[a-z])(.*)", bare)
    region, text = (found[1], found[2]) if found else (None, bare)
    text = re.sub(r"(?<=[0-9])-(?=[0-9]{1,2}(?:-|$))", ".", text)
    words = [_WORDS.get(word, word[:1].upper() + word[1:]) for word in text.split("-")]
    name = re.sub(r"^(GPT|GLM) ", r"\1-", " ".join(filter(None, words)))
    return f"{name} ({region.upper()})" if region else name


_FEATURED = {
    "amazon-bedrock": {"us.anthropic.claude-opus-5-5", "us.anthropic.claude-sonnet-5-5"},
    "anthropic": {"claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5", "claude-opus-4-8"},
    "azure": {"gpt-6.1-sol", "gpt-5.5"},
    "cerebras": {"gpt-oss-120b"},
    "deepseek": {"deepseek-v4-pro"},
    "github-copilot": {"gpt-6-sol", "claude-sonnet-5.5"},
    "google": {"gemini-3.1-pro-preview", "gemini-3.8-flash"},
    "google-vertex": {"gemini-3.1-pro-preview"},
    "groq": {"openai/gpt-oss-120b"},
    "mistral": {"devstral-medium-latest", "mistral-large-4"},
    "openai": {"gpt-5.5", "gpt-6.1-sol"},
    "openai-codex": {"gpt-5.5"},
    "openrouter": {"moonshotai/kimi-k2.6"},
    "prime-inference": {"z-ai/glm-5.3"},
    "xai": {"grok-4.6"},
    "zai": {"glm-5.3"},
}


def _featured(provider: str, model: str) -> bool:
    return model in _FEATURED.get(provider, ())

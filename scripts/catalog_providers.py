"""The providers of the compiled catalog: where their rows are in the sources, and how they are reached."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

COMPLETIONS = "openai-completions"
RESPONSES = "openai-responses"
MESSAGES = "anthropic-messages"

_BEDROCK = "https://bedrock-runtime.{}.amazonaws.com"
_REGIONS = {"eu": "eu-central-1", "au": "ap-southeast-2", "jp": "ap-northeast-1"}


class Source(Enum):
    """The data sets."""

    LITELLM = "litellm"
    MODELS_DEV = "models-dev"


@dataclass(frozen=True)
class Provider:
    """A provider of the catalog.

    Attributes:
        api: The wire API of its models.
        base_url: Their base URL; empty where it comes from the environment (a resource, a region).
        name: Its name in the source.
        source: The data set.
        prefix: What stands before the ids in the source.
        drop: Ids that are left out.
        apis: The wire API of some ids, by pattern; the first one that is found counts.
        url_of: The base URL by id.
        copies: A provider whose list prices fill rows that have none, by id.
        only: The ids that are taken, each with its id in the source; empty for all of the provider.
    """

    api: str
    base_url: str
    name: str
    source: Source = Source.LITELLM
    prefix: str = ""
    drop: str = r"$^"
    apis: tuple[tuple[str, str], ...] = ()
    url_of: Callable[[str], str] | None = None
    copies: str = ""
    only: dict[str, str] = field(default_factory=dict)

    def api_of(self, model: str) -> str:
        """The wire API of a model."""
        found = (api for pattern, api in self.apis if re.search(pattern, model))
        return next(found, self.api)

    def base_url_of(self, model: str) -> str:
        """The base URL of a model."""
        return self.base_url if self.url_of is None else self.url_of(model)


def _bedrock_url(model: str) -> str:
    return _BEDROCK.format(_REGIONS.get(model.partition(".")[0], "us-east-1"))


_DATED_TWIN = r"-20[0-9]{2}-?[01][0-9]-?[0-3][0-9]"
_OPENAI_DROP = rf"^ft:|search|{_DATED_TWIN}|daybreak|-cyber|chat-latest$|^chat-latest|-chat$"

PROVIDERS: dict[str, Provider] = {
    "anthropic": Provider(MESSAGES, "https://api.anthropic.com", "anthropic"),
    "openai": Provider(RESPONSES, "https://api.openai.com/v1", "openai", drop=_OPENAI_DROP),
    "openai-codex": Provider(
        "openai-codex-responses",
        "https://chatgpt.com/backend-api",
        "chatgpt",
        prefix="chatgpt/",
        copies="openai",
    ),
    "azure": Provider(
        "azure-openai-responses",
        "",
        "azure",
        prefix="azure/",
        drop=rf"^(?:eu|us|global|apac|[a-z-]+)/|^gpt-[34]-|^gpt-3|^mistral|^o1|{_OPENAI_DROP}",
    ),
    "google": Provider(
        "google-generative-ai",
        "https://generativelanguage.googleapis.com/v1beta",
        "gemini",
        prefix="gemini/",
    ),
    "google-vertex": Provider(
        "google-vertex", "", "vertex_ai-language-models", prefix="vertex_ai/"
    ),
    "amazon-bedrock": Provider(
        "bedrock-converse-stream",
        _BEDROCK.format("us-east-1"),
        "bedrock_converse",
        drop=r"/|jamba|mistral-7b",
        url_of=_bedrock_url,
    ),
    "mistral": Provider(
        "mistral-conversations", "https://api.mistral.ai", "mistral", prefix="mistral/"
    ),
    "openrouter": Provider(
        COMPLETIONS, "https://openrouter.ai/api/v1", "openrouter", Source.MODELS_DEV, drop=r"^~"
    ),
    "groq": Provider(COMPLETIONS, "https://api.groq.com/openai/v1", "groq", prefix="groq/"),
    "xai": Provider(
        COMPLETIONS, "https://api.x.ai/v1", "xai", prefix="xai/", drop=r"beta|experimental|gv2"
    ),
    "deepseek": Provider(COMPLETIONS, "https://api.deepseek.com", "deepseek", prefix="deepseek/"),
    "cerebras": Provider(COMPLETIONS, "https://api.cerebras.ai/v1", "cerebras", prefix="cerebras/"),
    "zai": Provider(COMPLETIONS, "https://api.z.ai/api/coding/paas/v4", "zai", prefix="zai/"),
    "huggingface": Provider(
        COMPLETIONS, "https://router.huggingface.co/v1", "huggingface", Source.MODELS_DEV
    ),
    "prime-inference": Provider(
        COMPLETIONS,
        "https://api.pinference.ai/api/v1",
        "zai",
        prefix="zai/",
        only={"z-ai/glm-5.3": "glm-5.3"},
    ),
    "github-copilot": Provider(
        COMPLETIONS,
        "https://api.individual.githubcopilot.com",
        "github_copilot",
        prefix="github_copilot/",
        drop=rf"^gpt-4-|{_DATED_TWIN}",
        apis=((r"^claude-", MESSAGES), (r"^(?:gpt-[5-9]|oswe)", RESPONSES)),
    ),
    "moonshotai": Provider(
        COMPLETIONS, "https://api.moonshot.ai/v1", "moonshot", prefix="moonshot/"
    ),
    "moonshotai-cn": Provider(
        COMPLETIONS, "https://api.moonshot.cn/v1", "moonshot", prefix="moonshot/"
    ),
    "minimax": Provider(MESSAGES, "https://api.minimax.io/anthropic", "minimax", prefix="minimax/"),
    "together": Provider(
        COMPLETIONS, "https://api.together.ai/v1", "together_ai", prefix="together_ai/"
    ),
    "nvidia": Provider(
        COMPLETIONS, "https://integrate.api.nvidia.com/v1", "nvidia", Source.MODELS_DEV
    ),
    "kimi-coding": Provider(
        MESSAGES, "https://api.kimi.com/coding", "kimi-for-coding", Source.MODELS_DEV
    ),
}

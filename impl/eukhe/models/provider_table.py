"""The providers that eukhe knows: what they are called and which environment variables hold their credentials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LOCAL_SERVERS", "PROVIDERS", "WIRE_APIS", "KnownProvider", "LocalServer"]

#: The wire APIs that a model can name.
WIRE_APIS: Final = (
    "openai-completions",
    "openai-responses",
    "openai-codex-responses",
    "azure-openai-responses",
    "anthropic-messages",
    "google-generative-ai",
    "google-vertex",
    "bedrock-converse-stream",
    "mistral-conversations",
)


@dataclass(frozen=True, slots=True)
class KnownProvider:
    """A provider.

    Attributes:
        name: Its display name.
        keys: The variables that hold its key, the first one that is set counts.
        ambient: Sets of variables that stand for a key; with every one of a set, the provider has credentials.
    """

    name: str
    keys: tuple[str, ...] = ()
    ambient: tuple[tuple[str, ...], ...] = ()


PROVIDERS: Final[Mapping[str, KnownProvider]] = {
    "anthropic": KnownProvider("Anthropic", ("ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY")),
    "openai": KnownProvider("OpenAI", ("OPENAI_API_KEY",)),
    "openai-codex": KnownProvider("OpenAI Codex", ("OPENAI_CODEX_TOKEN",)),
    "azure": KnownProvider(
        "Azure OpenAI", ("AZURE_OPENAI_API_KEY",), (("AZURE_OPENAI_AD_TOKEN",),)
    ),
    "google": KnownProvider("Google Gemini", ("GEMINI_API_KEY",)),
    "google-vertex": KnownProvider(
        "Google Vertex AI",
        ("GOOGLE_CLOUD_API_KEY",),
        (
            ("GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"),
            ("GCLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"),
        ),
    ),
    "amazon-bedrock": KnownProvider(
        "Amazon Bedrock",
        ("AWS_BEARER_TOKEN_BEDROCK",),
        (
            ("AWS_PROFILE",),
            ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
            ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",),
            ("AWS_CONTAINER_CREDENTIALS_FULL_URI",),
            ("AWS_WEB_IDENTITY_TOKEN_FILE",),
            ("AWS_BEDROCK_SKIP_AUTH",),
        ),
    ),
    "mistral": KnownProvider("Mistral", ("MISTRAL_API_KEY",)),
    "openrouter": KnownProvider("OpenRouter", ("OPENROUTER_API_KEY",)),
    "groq": KnownProvider("Groq", ("GROQ_API_KEY",)),
    "xai": KnownProvider("xAI", ("XAI_API_KEY",)),
    "deepseek": KnownProvider("DeepSeek", ("DEEPSEEK_API_KEY",)),
    "cerebras": KnownProvider("Cerebras", ("CEREBRAS_API_KEY",)),
    "zai": KnownProvider("Z.AI", ("ZAI_API_KEY",)),
    "huggingface": KnownProvider("Hugging Face", ("HF_TOKEN",)),
    "prime-inference": KnownProvider("Prime Inference", ("PRIME_API_KEY",)),
    "github-copilot": KnownProvider(
        "GitHub Copilot", ("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN")
    ),
    "moonshotai": KnownProvider("Moonshot AI", ("MOONSHOT_API_KEY",)),
    "moonshotai-cn": KnownProvider("Moonshot AI (China)", ("MOONSHOT_API_KEY",)),
    "minimax": KnownProvider("MiniMax", ("MINIMAX_API_KEY",)),
    "together": KnownProvider("Together AI", ("TOGETHER_API_KEY",)),
    "nvidia": KnownProvider("NVIDIA", ("NVIDIA_API_KEY",)),
    "kimi-coding": KnownProvider("Kimi Coding", ("KIMI_API_KEY",)),
}


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that people run on their own machine.

    Attributes:
        name: What it is called.
        base_url: Where it listens by default.
    """

    name: str
    base_url: str


#: The usual local servers, at their default loopback addresses.
LOCAL_SERVERS: Final = (
    LocalServer("Ollama", "http://127.0.0.1:11434/v1"),
    LocalServer("llama.cpp", "http://127.0.0.1:8080/v1"),
    LocalServer("LM Studio", "http://127.0.0.1:1234/v1"),
    LocalServer("vLLM", "http://127.0.0.1:8000/v1"),
)

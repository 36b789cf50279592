"""The dialects in which eukhe implements each operation (S6.7): what the rulebook may name.

Declarations only, so that reading the rulebook imports no operation. A test holds them to the modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DIALECTS"]

#: The dialects by the operation's name; an operation that is not here has no implementation.
DIALECTS: Final[Mapping[str, tuple[str, ...]]] = {
    "count_tokens": ("openai", "anthropic", "google", "vertex", "bedrock", "llama-cpp", "vllm"),
    "list_models": (
        *("openai", "anthropic", "google", "mistral", "llama-cpp", "openrouter", "ollama"),
        "prime-inference",
    ),
    "embed": ("openai", "google", "mistral", "ollama"),
    "generate_image": ("openai", "google", "openrouter"),
    "tokenize": ("llama-cpp", "vllm", "vertex"),
    "usage": ("openai", "anthropic", "openrouter", "deepseek"),
    "web_search": ("openai", "anthropic", "google", "openrouter", "mistral", "ollama"),
    "compact": ("openai",),
}

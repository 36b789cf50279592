"""The directives of the rulebook and the values that rules give them (S6.1, S6.7): declarations only, no rule."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TypeAlias

__all__ = [
    "Budgets",
    "Count",
    "Directive",
    "Entry",
    "Flag",
    "Kind",
    "Ladder",
    "Null",
    "Plain",
    "Split",
    "Text",
    "Unlisted",
    "Value",
    "Word",
]

#: A text: a tuple of code points, so that prefixes and patterns can be read off it.
Text: TypeAlias = tuple[int, ...]


class Directive(IntEnum):
    """The directives, by type: flags, choices, the three of a type of their own, and the operations."""

    SUPPORTS_STORE = 0
    SUPPORTS_DEVELOPER_ROLE = 1
    SUPPORTS_REASONING_EFFORT = 2
    SUPPORTS_REASONING_SUMMARY = 3
    SUPPORTS_USAGE_IN_STREAMING = 4
    SUPPORTS_FINISH_REASON = 5
    SUPPORTS_MAX_OUTPUT_TOKENS = 6
    SUPPORTS_LONG_CACHE_RETENTION = 7
    SUPPORTS_PROMPT_CACHE_KEY = 8
    SUPPORTS_STRICT_MODE = 9
    SUPPORTS_NAMED_TOOL_CHOICE = 10
    SUPPORTS_FORCED_TOOL_CHOICE = 11
    SUPPORTS_TEMPERATURE = 12
    REQUIRES_TOOL_RESULT_NAME = 13
    REQUIRES_TOOL_RESULT_ID = 14
    REQUIRES_ASSISTANT_AFTER_TOOL_RESULT = 15
    REQUIRES_THINKING_AS_TEXT = 16
    REQUIRES_REASONING_CONTENT = 17
    ZAI_TOOL_STREAM = 18
    SESSION_AFFINITY = 19
    EAGER_TOOL_INPUT_STREAMING = 20
    CACHE_CONTROL_ON_TOOLS = 21
    ALLOW_EMPTY_SIGNATURE = 22
    ADAPTIVE_THINKING = 23
    THINKING_BLOCK_BINDING = 24
    PROMPT_CACHING = 25
    EXPLICIT_CACHE_BREAKPOINTS = 26
    GOOGLE_THINKING_LEVEL = 27
    PROMPT_PROGRESS = 28
    MAX_TOKENS_FIELD = 29
    THINKING_FORMAT = 30
    THINKING_BUDGET_FIELD = 31
    CACHE_CONTROL_FORMAT = 32
    SESSION_AFFINITY_FORMAT = 33
    STRICT_CAP = 34
    THINKING_LADDER = 35
    THINKING_BUDGETS = 36
    COUNT_TOKENS = 37
    LIST_MODELS = 38
    EMBED = 39
    GENERATE_IMAGE = 40
    TOKENIZE = 41
    USAGE = 42
    WEB_SEARCH = 43
    COMPACT = 44


class Kind(Enum):
    """The types of the directives' values."""

    FLAG = 0
    CHOICE = 1
    COUNT = 2
    LADDER = 3
    BUDGETS = 4
    DIALECT = 5


@dataclass(frozen=True)
class Null:
    """A value of no directive's type."""


@dataclass(frozen=True)
class Unlisted:
    """A value by model id whose prefixes are no list, or a list of no texts: of no directive's type."""

    list: bool


@dataclass(frozen=True)
class Flag:
    """A yes or no."""

    on: bool


@dataclass(frozen=True)
class Count:
    """A whole number."""

    n: int


@dataclass(frozen=True)
class Word:
    """One of the words, by its number: a choice or the dialect of an endpoint."""

    word: int


@dataclass(frozen=True)
class Entry:
    """A ladder's entry for a level (0 `off` to 6 `max`; another number is no level): a wire word, or removed.

    A wire below 0 is no word.
    """

    level: int
    wire: int | None


@dataclass(frozen=True)
class Ladder:
    """A thinking ladder; the entries are in ladder order, each level at most once."""

    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Budgets:
    """The token budgets of the four levels that have one."""

    minimal: int
    low: int
    medium: int
    high: int


Plain: TypeAlias = Null | Unlisted | Flag | Count | Word | Ladder | Budgets


@dataclass(frozen=True)
class Split:
    """`then` for a model whose id starts with one of `ids`, `otherwise` for every other."""

    ids: tuple[Text, ...]
    then: Plain
    otherwise: Plain


Value: TypeAlias = Plain | Split

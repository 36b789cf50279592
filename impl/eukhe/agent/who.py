"""Who runs: what a run is given besides its session, and how it ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from eukhe.agent.compact.settings import Compaction
from eukhe.agent.inbox.entering import Modes
from eukhe.agent.prompt.system import PromptFiles
from eukhe.agent.retry.failover import NO_OTHERS, Others
from eukhe.agent.retry.policy import RetryPolicy
from eukhe.wire.request import Options, Timeouts

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping

    from eukhe.agent.compact.settings import Count
    from eukhe.agent.cost import Cost
    from eukhe.agent.retry.in_flight import InFlight
    from eukhe.agent.rows.record import AgentDocument
    from eukhe.tools import ToolContext, Toolset
    from eukhe.wire.errors import WireError
    from eukhe.wire.events import Event
    from eukhe.wire.request import Request

Stream: TypeAlias = "Callable[[Request], AsyncGenerator[Event, None]]"
"""A wire API, set up for one server."""

MAX_TOOL_ROUNDS = 200
"""Tool rounds that one run may have (`maxToolRounds`)."""

REPEAT_LIMIT = 64
"""The window of the repetition guard (`retry.provider.streamRepeatLimit`)."""


@dataclass(frozen=True, slots=True)
class Agent:
    """Who runs: the settings that are stored, and what belongs to this process only.

    Attributes:
        document: the settings that are stored with the session.
        tools: the tools on offer.
        context: what the tools may know.
        api_key: the key, empty for none; it is stored and shown nowhere.
        retry: when a failed request goes out again.
        max_tool_rounds: tool rounds that one run may have.
        timeouts: how long a server may be silent.
        repeat_limit: the window of the repetition guard in chunks (S6.5); 0 turns it off.
        prompt_files: what files say of the system prompt.
        headers: headers of the model's provider, which may hold secrets.
        options: what each request asks of the model.
        title_options: what the request for a title asks of it; None where no title is wanted.
        cost: what the tokens of a reply cost in US dollars; None where no price is known.
        others: finds the other providers that serve the model.
        in_flight: counts the requests in flight to each provider; None where nothing counts them.
        compaction: how the conversation is compacted.
        count: asks the provider for the tokens of a request; None where it cannot be asked.
        modes: how many queued messages enter at once.
    """

    document: AgentDocument
    tools: Toolset
    context: ToolContext
    api_key: str = field(default="", repr=False)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    max_tool_rounds: int = MAX_TOOL_ROUNDS
    timeouts: Timeouts = field(default_factory=Timeouts)
    repeat_limit: int = REPEAT_LIMIT
    prompt_files: PromptFiles = field(default_factory=PromptFiles)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    options: Options = field(default_factory=Options)
    title_options: Options | None = None
    cost: Cost | None = None
    others: Others = NO_OTHERS
    in_flight: InFlight | None = None
    compaction: Compaction = field(default_factory=Compaction)
    count: Count | None = None
    modes: Modes = field(default_factory=Modes)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended.

    Attributes:
        text: the final answer, None when there is none.
        error: why there is none.
        stored: whether every commit reached the disk.
    """

    text: str | None
    error: WireError | None
    stored: bool

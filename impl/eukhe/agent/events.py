"""What a run tells its listeners: one class an event, in the order in which things happen.

A run tells `AgentStart`, then turns, then `AgentEnd`. A turn is one request and the tool round that
its reply asks for. `to_json` is the form of `--mode json`: `type` and the fields in camel case.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar, Literal

from eukhe.agent.rows import transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eukhe.session.tree import Json
    from eukhe.wire.messages import AssistantMessage, ToolResultMessage

Status = Literal["done", "failed", "aborted"]


@dataclass(frozen=True, slots=True)
class AgentEvent:
    """Any event of a run."""

    type: ClassVar[str] = ""


@dataclass(frozen=True, slots=True)
class SessionHeader(AgentEvent):
    """Which session the events belong to; always the first event.

    Attributes:
        version: of the events, 1.
        id: the session.
        directory: where it is stored, None for nowhere.
        cwd: the working directory of the tools.
        model: the model id.
        base_url: the server.
    """

    type: ClassVar[str] = "session"
    version: int
    id: str
    directory: str | None
    cwd: str
    model: str
    base_url: str


@dataclass(frozen=True, slots=True)
class AgentStart(AgentEvent):
    """The run begins.

    Attributes:
        prompt: what the user said.
        resumed: whether it is an open run of a killed process that goes on.
    """

    type: ClassVar[str] = "agent_start"
    prompt: str
    resumed: bool = False


@dataclass(frozen=True, slots=True)
class AgentEnd(AgentEvent):
    """The run is over.

    Attributes:
        status: `done` with an answer, `failed`, or `aborted` by the user.
        stored: whether every commit reached the disk (true as well when nothing was to be stored).
    """

    type: ClassVar[str] = "agent_end"
    status: Status
    stored: bool


@dataclass(frozen=True, slots=True)
class TurnStart(AgentEvent):
    """A request is about to go out.

    Attributes:
        turn: its number in the run, from 1.
    """

    type: ClassVar[str] = "turn_start"
    turn: int


@dataclass(frozen=True, slots=True)
class TurnEnd(AgentEvent):
    """The reply and its tool round are stored.

    Attributes:
        turn: its number in the run, from 1.
    """

    type: ClassVar[str] = "turn_end"
    turn: int


@dataclass(frozen=True, slots=True)
class MessageStart(AgentEvent):
    """The reply begins."""

    type: ClassVar[str] = "message_start"


@dataclass(frozen=True, slots=True)
class PromptProgressed(AgentEvent):
    """The server works on the prompt, before the first token of the reply (S6.7).

    Attributes:
        total: tokens of the prompt.
        cache: those of them that the server's cache had.
        processed: those that are done so far, the cached ones included.
        time_ms: milliseconds since the server began with the prompt.
    """

    type: ClassVar[str] = "prompt_progress"
    total: int
    cache: int
    processed: int
    time_ms: int


@dataclass(frozen=True, slots=True)
class MessageUpdate(AgentEvent):
    """More of the reply.

    Attributes:
        kind: what it is more of; `arguments` is raw argument text of a tool call.
        text: the piece.
        call: number of the tool call in the reply, from 0, for `arguments`; else None.
    """

    type: ClassVar[str] = "message_update"
    kind: Literal["text", "thinking", "arguments"]
    text: str
    call: int | None = None


@dataclass(frozen=True, slots=True)
class ToolCallPreview(AgentEvent):
    """The arguments of a call as far as they have come, with what is open closed; for display only.

    Attributes:
        call: number of the tool call in the reply, from 0.
        tool: the tool's name as far as it is known.
        arguments: the arguments.
    """

    type: ClassVar[str] = "tool_call_preview"
    call: int
    tool: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class MessageEnd(AgentEvent):
    """The reply is over, whole or, with stop reason `error` or `aborted`, as far as it came."""

    type: ClassVar[str] = "message_end"
    message: AssistantMessage


@dataclass(frozen=True, slots=True)
class ToolExecutionStart(AgentEvent):
    """A tool begins to run.

    Attributes:
        call_id: the call.
        tool: its tool.
        arguments: the raw text of its arguments.
    """

    type: ClassVar[str] = "tool_execution_start"
    call_id: str
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolExecutionUpdate(AgentEvent):
    """More output of a running tool."""

    type: ClassVar[str] = "tool_execution_update"
    call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolExecutionEnd(AgentEvent):
    """A call has its result, whether its tool ran or not."""

    type: ClassVar[str] = "tool_execution_end"
    result: ToolResultMessage


@dataclass(frozen=True, slots=True)
class RetryStart(AgentEvent):
    """The request failed and goes out again after a wait.

    Attributes:
        attempt: number of the retry, from 1.
        max_attempts: how many there are at most.
        delay_ms: the wait, in milliseconds.
        reason: how it failed.
        purpose: what the request is for: `reply`, or `summary` (of a compaction, beside the run).
    """

    type: ClassVar[str] = "auto_retry_start"
    attempt: int
    max_attempts: int
    delay_ms: int
    reason: str
    purpose: str = "reply"


@dataclass(frozen=True, slots=True)
class RetryEnd(AgentEvent):
    """The wait of `RetryStart` is over and the request goes out, unless the run was stopped.

    Attributes:
        attempt: number of the retry, from 1.
        aborted: whether the run was stopped in the wait.
        purpose: as in `RetryStart`.
    """

    type: ClassVar[str] = "auto_retry_end"
    attempt: int
    aborted: bool = False
    purpose: str = "reply"


@dataclass(frozen=True, slots=True)
class NotedRetry(AgentEvent):
    """The reply was none, and the request goes out again at once, with a note at its end (H4.7, H4.8).

    Attributes:
        attempt: number of the note, from 1.
        max_attempts: how many notes a generation has.
        trouble: `stream_repeating`, `empty_reply`, `length_without_answer` or `leaked_tool_call`.
        reason: the trouble in words.
        note: what the model gets to read.
    """

    type: ClassVar[str] = "note"
    attempt: int
    max_attempts: int
    trouble: str
    reason: str
    note: str


@dataclass(frozen=True, slots=True)
class Notice(AgentEvent):
    """Something the user should know; the run goes on."""

    type: ClassVar[str] = "notice"
    text: str


@dataclass(frozen=True, slots=True)
class SettingsErrorFound(AgentEvent):
    """Something is wrong with a file that settings come from; told once each time a session is opened.

    Attributes:
        kind: the rule: `Undeclared`, `BadValue`, `Global`, `Withheld`, ...
        id: the setting, or empty.
        file: where it stands, empty for the session itself.
        line: the line of the file, None for the whole file.
        text: the error as a user reads it.
    """

    type: ClassVar[str] = "settings_error"
    kind: str
    id: str
    file: str
    line: int | None
    text: str


@dataclass(frozen=True, slots=True)
class ModelState(AgentEvent):
    """The model of the session and what it offers, told when a session with a catalog model is opened (S10).

    Attributes:
        provider: its provider.
        id: its id.
        thinking_level: the level that requests send; `default` for an unset one.
        available_thinking_levels: the levels on offer, in ladder order.
        service_tier: the tier that requests ask for, None for none.
        available_service_tiers: the tiers that the model honours.
    """

    type: ClassVar[str] = "model"
    provider: str
    id: str
    thinking_level: str
    available_thinking_levels: tuple[str, ...]
    service_tier: str | None
    available_service_tiers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DefaultModelRow(AgentEvent):
    """Why the session does not run on the saved default model, and on what it runs (S6).

    Attributes:
        saved: the saved default.
        reason: why it is not used.
        instead: the model in its place, None for none.
        text: all of it in a sentence.
    """

    type: ClassVar[str] = "default_model"
    saved: str
    reason: str
    instead: str | None
    text: str


@dataclass(frozen=True, slots=True)
class SessionTitle(AgentEvent):
    """The session has a title.

    Attributes:
        text: the title.
        by: who gave it; `model`.
    """

    type: ClassVar[str] = "session_title"
    text: str
    by: str


@dataclass(frozen=True, slots=True)
class SlashCommandEnd(AgentEvent):
    """A session command was run or refused.

    Attributes:
        name: the command.
        success: whether all of it holds.
        text: what holds now, for the user.
        error: `kind`, `id` and `message` of the refusal, None without one.
    """

    type: ClassVar[str] = "session_slash_command_result"
    name: str
    success: bool
    text: str
    error: Mapping[str, Json] | None


@dataclass(frozen=True, slots=True)
class RunFailed(AgentEvent):
    """Why the run failed.

    Attributes:
        kind: the kind of failure.
        text: what happened, with what the server said.
        status: the HTTP status, None without a reply.
    """

    type: ClassVar[str] = "error"
    kind: str
    text: str
    status: int | None = None


@dataclass(frozen=True, slots=True)
class StorageFailed(AgentEvent):
    """The session could not be stored; the run goes on in memory."""

    type: ClassVar[str] = "storage_failed"
    text: str


if TYPE_CHECKING:
    Listener = Callable[[AgentEvent], None]


def to_json(event: AgentEvent) -> dict[str, Json]:
    """The form of an event in `--mode json`."""
    form: dict[str, Json] = {"type": event.type}
    match event:
        case MessageEnd(message=message):
            form["message"] = transcript.assistant_to_json(message)
        case ToolExecutionEnd(result=result):
            form.update(transcript.result_to_json(result))
        case _:
            for field in fields(event):
                head, *rest = field.name.split("_")
                form[head + "".join(map(str.capitalize, rest))] = getattr(event, field.name)
    return form

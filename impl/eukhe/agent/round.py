"""One tool round: the calls of a reply run side by side, their results come in the calls' order."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from eukhe.agent.events import ToolExecutionEnd, ToolExecutionStart, ToolExecutionUpdate
from eukhe.core.arguments_names import tool_unavailable
from eukhe.tools.arguments import BadArguments
from eukhe.tools.tool import ToolFailedError
from eukhe.wire.messages import TextBlock, ToolResultMessage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eukhe.agent.events import Listener
    from eukhe.tools import ToolContext, Toolset
    from eukhe.wire.messages import ToolCall, UserBlock

TRUNCATED = (
    "truncated: the reply hit the output limit, so this call did not run. Make the call again with "
    "complete arguments. Write large content as a minimal version first, then extend it with edits."
)
INTERRUPTED = (
    "interrupted: eukhe was ended before the result of this call was stored. The call may have run "
    "in part; it was not run again. Look at the state of things before you repeat it."
)
SIDE_BY_SIDE = 16
"""Calls of one reply that run at the same time; the others wait for their turn."""

ABORTED = "aborted: the user stopped the run before this call was done."
_SAID = "Its output until then:"
ROUNDS_SPENT = "not run: the run has had all the tool rounds that it may have."


@dataclass(frozen=True, slots=True)
class Round:
    """What a round came to.

    Attributes:
        results: one for each call, in the order of the calls.
        aborted: whether the round was cancelled; the results say which calls were done by then.
    """

    results: tuple[ToolResultMessage, ...]
    aborted: bool


async def run_round(
    calls: Iterable[ToolCall], tools: Toolset, context: ToolContext, emit: Listener
) -> Round:
    """Run the calls: one after another if a tool of them is sequential, else side by side.

    A cancelled round ends its tools first and then returns: its caller goes on to store the
    results and to cancel itself.
    """
    calls = tuple(calls)
    done: dict[int, ToolResultMessage] = {}
    cut: dict[int, str] = {}

    # A turn is given in the order in which it was asked for, so one at a time keeps the calls' order.
    one_by_one = any(tools.is_sequential(call.name) for call in calls)
    turns = asyncio.Semaphore(1 if one_by_one else SIDE_BY_SIDE)

    async def run(position: int, call: ToolCall) -> None:
        # A task that is cancelled in its last step loses what it returns: the result is kept here.
        async with turns:
            heard = replace(context, on_cut=lambda text: cut.update({position: text.rstrip()}))
            done[position] = await _result_of(call, tools, heard, emit)
        emit(ToolExecutionEnd(done[position]))

    tasks = [asyncio.create_task(run(position, call)) for position, call in enumerate(calls)]
    aborted = False
    try:
        await asyncio.gather(*tasks)
    except asyncio.CancelledError:
        aborted = True
        await _end(tasks)
    except BaseException:
        await _end(tasks)
        raise
    for position, call in enumerate(calls):
        if position not in done:
            said = cut.get(position)
            why = f"{ABORTED} {_SAID}\n{said}" if said else ABORTED
            (done[position],) = refuse_calls((call,), why, emit)
    return Round(tuple(done[position] for position in range(len(calls))), aborted)


async def _end(tasks: Iterable[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def refuse_calls(
    calls: Iterable[ToolCall], reason: str, emit: Listener
) -> tuple[ToolResultMessage, ...]:
    """Give every call the same error result; none runs."""
    results = tuple(ToolResultMessage.of(call, reason, is_error=True) for call in calls)
    for result in results:
        emit(ToolExecutionEnd(result))
    return results


async def _result_of(
    call: ToolCall, tools: Toolset, context: ToolContext, emit: Listener
) -> ToolResultMessage:
    tool = tools.get(call.name)
    if tool is None:
        return ToolResultMessage.of(call, tool_unavailable(call.name, tools.names), is_error=True)
    arguments = tools.arguments(call.name, call.arguments)
    warnings = arguments.repairs
    if isinstance(arguments, BadArguments):
        said = f"invalid_arguments: {arguments.reason}"
        return ToolResultMessage.of(call, said, is_error=True, warnings=warnings)
    emit(ToolExecutionStart(call.id, call.name, call.arguments))
    heard = replace(
        context, on_output=lambda text: emit(ToolExecutionUpdate(call.id, text)) if text else None
    )
    try:
        output = await tool.run(arguments.value, heard)
    except ToolFailedError as error:
        return ToolResultMessage.of(call, str(error), is_error=True, warnings=warnings)
    content: tuple[UserBlock, ...] = (TextBlock(output.text or "[no output]"), *output.images)
    return ToolResultMessage(call.id, call.name, content, output.is_error, warnings)

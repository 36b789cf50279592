"""How a run writes itself down: documents and rows of the session, one commit a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from eukhe.agent.events import Notice, StorageFailed
from eukhe.agent.inbox.entering import Queue
from eukhe.agent.noted import Noted
from eukhe.agent.round import INTERRUPTED
from eukhe.agent.rows import naming, transcript
from eukhe.agent.rows.context import COMPACTION, COMPACTION_END, Standing, context_of
from eukhe.agent.rows.documents import (
    AGENT,
    INBOX,
    RUN,
    SESSION,
    AgentDocument,
    agent_document,
    main_conversation,
    open_main,
)
from eukhe.agent.rows.spent import USAGE, Spent
from eukhe.agent.rows.transcript import usage_to_json
from eukhe.session.errors import CommitFailedError
from eukhe.wire.messages import AssistantMessage, ToolResultMessage, UserMessage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eukhe.agent.events import Listener
    from eukhe.agent.inbox.entering import Queued
    from eukhe.session.store import Draft, Session
    from eukhe.session.tree import Json
    from eukhe.wire.errors import WireError
    from eukhe.wire.messages import Message

__all__ = [
    "AGENT",
    "INBOX",
    "OPEN",
    "RUN",
    "SESSION",
    "AgentDocument",
    "Phase",
    "Recorder",
    "agent_document",
    "main_conversation",
    "open_main",
]

Phase = Literal["request", "retry", "tools", "done", "failed", "aborted"]

OPEN: tuple[Phase, ...] = ("request", "retry", "tools")
"""Phases of a run that is not over."""

_NOTED: tuple[Phase, ...] = ("request", "retry")
"""Phases in which a generation can have notes; every other phase ends it."""


class Recorder:
    """Commits the steps of a run and keeps the messages that the model gets next.

    A commit that fails is told once, as `StorageFailed`; from then on the session lives in memory.

    Args:
        session: the session.
        emit: the listener.
    """

    def __init__(self, session: Session, emit: Listener) -> None:
        self._session = session
        self._emit = emit
        self.stored = True
        self.spent = Spent()
        """What the rows tell that were committed since the run began."""
        self.noted: Noted | None = None
        """Where the generation stands if it was retried with a note; a commit of a request stores it."""
        self._phase_now: Phase | None = None
        self._main = main_conversation(session)
        self.context = context_of(session, self._main)
        """What the model gets of the conversation."""

    def reread(self) -> None:
        """Take the context from the rows again."""
        self._main = main_conversation(self._session)
        self.context = context_of(self._session, self._main)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation as the model gets it, without the system prompt."""
        return self.context.messages

    @property
    def queue(self) -> Queue:
        """The messages that wait. They are the session's, so that no rewind and no fork brings one back."""
        return Queue.from_json(self._session.document(INBOX))

    def keep(self, queue: Queue) -> None:
        """Commit the messages that wait."""
        draft = self._session.draft()
        draft.document(INBOX, queue.to_json())
        self._commit(draft)

    def prepare(self, agent: AgentDocument, prompt: str, placed: Sequence[Queued] = ()) -> None:
        """Commit the user's message, after a result for each call that an earlier process left open.

        Queued messages that enter here stand above it: they were said before.

        A generation that an earlier process left open goes on: its notes stay spent.
        """
        draft = self._session.draft()
        self._main = open_main(draft, self._session, agent)
        left_open = self._take_up(draft)
        self._place(draft, placed)
        self._add(draft, transcript.USER, UserMessage.of(prompt))
        self._phase(draft, "request", 0)
        self._commit(draft)
        self._tell(left_open)

    @property
    def left_open(self) -> bool:
        """Whether a call has no result: the tool round that an earlier process left ends when the run goes on."""
        return bool(transcript.open_calls(self.messages))

    def resume(self, agent: AgentDocument, rounds: int, placed: Sequence[Queued] = ()) -> int:
        """Commit that an open run goes on, after a result for each call that its process left open.

        Args:
            agent: the agent's settings.
            rounds: the tool rounds that the run had by the last commit.
            placed: queued messages that enter after such results.

        Returns:
            Those that it has had now: calls that are reported as interrupted are a round.
        """
        draft = self._session.draft()
        self._main = open_main(draft, self._session, agent)
        left_open = self._take_up(draft)
        rounds += bool(left_open)
        self._place(draft, placed)
        self._phase(draft, "request", rounds)
        self._commit(draft)
        self._tell(left_open)
        return rounds

    def _take_up(self, draft: Draft) -> int:
        """Take up what an earlier process left: its notes, and its calls without a result; how many."""
        self.noted = self._left_noted()
        left_open = transcript.open_calls(self.messages)
        for call in left_open:
            result = ToolResultMessage.of(call, INTERRUPTED, is_error=True)
            self._add(draft, transcript.TOOL_RESULT, result)
        return len(left_open)

    def _tell(self, left_open: int) -> None:
        if left_open:
            self._emit(
                Notice(f"{left_open} tool call(s) of the last run had no result: interrupted")
            )

    def note(self, noted: Noted, reply: AssistantMessage, rounds: int) -> None:
        """Commit that the request goes out again, with a note at its end. The note leaves no row (H4.7)."""
        self.noted = noted
        self.reply(reply, "request", rounds)

    def request(self, rounds: int) -> None:
        """Commit that the next request goes out."""
        self._only_phase("request", rounds)

    def retry(self, body: Mapping[str, Json], partial: AssistantMessage, rounds: int) -> None:
        """Commit that the request failed and waits to go out again: a row that no model sees."""
        self._failed(transcript.RETRY, body, partial, "retry", rounds)

    def retry_of_summary(self, body: Mapping[str, Json]) -> None:
        """Commit that the request for a summary failed and waits: a row beside the run, whose phase stays."""
        draft = self._session.draft()
        draft.entry(self._conversation, transcript.RETRY, body)
        self._commit(draft)

    def failover(self, body: Mapping[str, Json], partial: AssistantMessage, rounds: int) -> None:
        """Commit that the request failed and goes to another provider: a row that no model sees."""
        self._failed(transcript.FAILOVER, body, partial, "request", rounds)

    def aborted(self, rounds: int) -> None:
        """Commit that the run was aborted, unless a commit says so already."""
        if self._phase_now in OPEN:
            self._only_phase("aborted", rounds)

    def reply(
        self,
        message: AssistantMessage,
        phase: Phase,
        rounds: int,
        placed: Sequence[Queued] = (),
    ) -> None:
        """Commit a reply: whole, or as far as it came. A reply without any content leaves no row."""
        draft = self._session.draft()
        self._add_reply(draft, message)
        if placed:
            self.noted = None  # the reply was the answer; another generation begins
            self._place(draft, placed)
        self._phase(draft, phase, rounds)
        self._commit(draft)

    def results(
        self,
        results: tuple[ToolResultMessage, ...],
        phase: Phase,
        rounds: int,
        placed: Sequence[Queued] = (),
    ) -> None:
        """Commit the results of a tool round, in the order of the calls, and the messages that enter after it."""
        draft = self._session.draft()
        for result in results:
            self._add(draft, transcript.TOOL_RESULT, result)
        self._place(draft, placed)
        self._phase(draft, phase, rounds)
        self._commit(draft)

    def failure(self, error: WireError, partial: AssistantMessage, rounds: int) -> None:
        """Commit what came of a reply that failed, and why it failed."""
        body: dict[str, Json] = {
            "kind": error.kind.value,
            "message": error.message,
            "status": error.status,
            "retryAfter": error.retry_after,
        }
        self._failed(transcript.ERROR, body, partial, "failed", rounds)

    def compaction(self, body: Mapping[str, Json], summary: str, first_kept: int | None) -> int:
        """Commit a summary in the place of the rows before the first that is kept; none is deleted (S6.6).

        Args:
            body: what else is to be known of it.
            summary: the summary.
            first_kept: the id of the first row that is kept, as in `Row`; None where no row is.

        Returns:
            The id of its row.
        """
        draft = self._session.draft()
        row = {"summary": summary, "firstKept": first_kept, **body}
        row_id = draft.entry(self._conversation, COMPACTION, row)
        self._commit(draft)
        self.context = self.context.compacted(Standing(row_id, summary), first_kept)
        return row_id

    def compaction_end(self, body: Mapping[str, Json]) -> None:
        """Commit how a compaction ended that placed no summary."""
        if self._main is None:
            return
        draft = self._session.draft()
        draft.entry(self._conversation, COMPACTION_END, body)
        self._commit(draft)

    def title(self, title: str, body: Mapping[str, Json]) -> bool:
        """Commit what came of a request for a title; whether the session is called so now.

        Args:
            title: the title, empty for none. A session that has a name by now keeps it.
            body: the row of the request.
        """
        draft = self._session.draft()
        draft.entry(self._conversation, naming.TITLED, body)
        named = naming.draft_title(draft, self._session, title)
        self._commit(draft)
        return named

    @property
    def _conversation(self) -> int:
        if self._main is None:
            raise RuntimeError("a run is prepared before anything of it is recorded")
        return self._main

    def _failed(
        self,
        kind: str,
        body: Mapping[str, Json],
        partial: AssistantMessage,
        phase: Phase,
        rounds: int,
    ) -> None:
        draft = self._session.draft()
        self._add_reply(draft, partial)
        draft.entry(self._conversation, kind, body)
        self._phase(draft, phase, rounds)
        self._commit(draft)

    def _only_phase(self, phase: Phase, rounds: int) -> None:
        draft = self._session.draft()
        self._phase(draft, phase, rounds)
        self._commit(draft)

    def _phase(self, draft: Draft, phase: Phase, rounds: int) -> None:
        self._phase_now = phase
        body: dict[str, Json] = {"phase": phase, "round": rounds}
        if phase not in _NOTED:
            self.noted = None
        elif self.noted is not None:
            body["noted"] = self.noted.to_json()
        draft.document(RUN, body, self._conversation)

    def _left_noted(self) -> Noted | None:
        body = self._session.document(RUN, self._conversation)
        return None if body is None else Noted.from_json(body.get("noted"))

    def _place(self, draft: Draft, placed: Sequence[Queued]) -> None:
        """Put queued messages into a commit as rows, and take them out of the queue: both or neither."""
        if not placed:
            return
        for one in placed:
            self._add(draft, transcript.USER, UserMessage.of(one.text))
        draft.document(INBOX, self.queue.without(placed).to_json())

    def _add_reply(self, draft: Draft, message: AssistantMessage) -> None:
        """Put a reply into a commit; of one without any content only what it used."""
        if message.content:
            self._add(draft, transcript.ASSISTANT, message)
        elif message.usage is not None:
            body: dict[str, Json] = {
                "model": message.origin.model,
                "usage": usage_to_json(message.usage),
            }
            draft.entry(self._conversation, USAGE, body)

    def _add(
        self,
        draft: Draft,
        kind: str,
        message: UserMessage | AssistantMessage | ToolResultMessage,
    ) -> None:
        match message:
            case UserMessage():
                body = transcript.user_to_json(message)
            case AssistantMessage():
                body = transcript.assistant_to_json(message)
            case ToolResultMessage():
                body = transcript.result_to_json(message)
        self.context.add(draft.entry(self._conversation, kind, body), message)

    def _commit(self, draft: Draft) -> None:
        try:
            self._session.commit(*draft.records)
        except CommitFailedError as error:
            self._session.detach()
            self._session.commit(*draft.records)
            self.lost(error)
        self.spent.add_records(draft.records)

    def lost(self, error: CommitFailedError) -> None:
        """Tell that the session is not stored from here on."""
        self.stored = False
        self._emit(StorageFailed(str(error)))

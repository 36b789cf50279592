"""How long the next request of a run is: the provider's count where it is asked for, else the estimate (S6.6)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from eukhe.agent.compact.settings import CountFailedError
from eukhe.agent.compact.tokens import estimate
from eukhe.agent.events import Notice
from eukhe.agent.rows.context import Standing
from eukhe.wire.messages import SystemMessage

if TYPE_CHECKING:
    from collections.abc import Callable

    from eukhe.agent.compact.settings import Count
    from eukhe.agent.events import Listener
    from eukhe.agent.rows.record import Recorder
    from eukhe.wire.request import Request

__all__ = ["Gauge"]


class Gauge:
    """Measures the next request.

    Args:
        recorder: has the context.
        request: makes the next request as it would go out now.
        emit: the listener.
        counts: whether the provider is asked first (`compaction.providerTokenCount`).
        count: asks it; None where it cannot be asked.

    Attributes:
        request: makes the next request as it would go out now.
    """

    def __init__(
        self,
        recorder: Recorder,
        request: Callable[[], Request],
        emit: Listener,
        *,
        counts: bool,
        count: Count | None,
    ) -> None:
        self.request = request
        self._recorder = recorder
        self._emit = emit
        self._counts = counts
        self._count = count
        self._warned: set[str] = set()

    async def tokens(self) -> int:
        """The input tokens of the next request. A provider that gives no count is named, once for each reason."""
        if not self._counts:
            return self.estimated()
        try:
            if self._count is None:
                raise CountFailedError("the provider of this model has no counter of tokens")
            return await self._count(self.request())
        except CountFailedError as error:
            if error.text not in self._warned:
                self._warned.add(error.text)
                said = (
                    f"compaction.providerTokenCount: {error.text}; the tokens are estimated instead"
                )
                self._emit(Notice(said))
        return self.estimated()

    def estimated(self) -> int:
        """The local estimate of the next request."""
        request = self.request()
        return estimate(request, len(_systems(request)) + self._recorder.context.counted)

    def with_summary(self, summary: str, first_kept: int | None) -> int:
        """The local estimate of the next request with a summary in its place.

        Args:
            summary: the summary.
            first_kept: the id of the first row that stays, as in `Row`; None for none.
        """
        context = self._recorder.context.compacted(Standing(0, summary), first_kept)
        request = self.request()
        messages = (*_systems(request), *context.messages)
        return estimate(replace(request, messages=messages), len(messages))


def _systems(request: Request) -> tuple[SystemMessage, ...]:
    """The system prompt of a request, in as many messages as it has."""
    return tuple(one for one in request.messages if isinstance(one, SystemMessage))

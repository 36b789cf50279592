"""What the tokens of a reply cost, whatever the request was for (S6.12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eukhe.agent.cost import priced
from eukhe.agent.rows.context import COMPACTION
from eukhe.wire.messages import AssistantMessage, Usage
from tests.agent.compaction_lab import CompactionServer, Lab, fill, say
from tests.servers.chat import Reply, delta

if TYPE_CHECKING:
    from pathlib import Path


def _cost(usage: Usage, answered: str = "") -> float:
    return usage.output * (0.5 if answered == "flex" else 1.0)


def test_a_reply_costs_what_its_service_tier_costs() -> None:
    reply = AssistantMessage((), usage=Usage(output=8), service_tier="flex")
    assert priced(reply, _cost).usage == Usage(output=8, cost=4.0)
    assert priced(AssistantMessage((), usage=Usage(output=8)), _cost).usage == Usage(
        output=8, cost=8.0
    )


def test_a_price_that_the_server_told_stays_and_an_unknown_one_is_none() -> None:
    told = AssistantMessage((), usage=Usage(output=8, cost=0.25))
    assert priced(told, _cost) is told
    unknown = AssistantMessage((), usage=Usage(output=8))
    assert priced(unknown, None) is unknown
    assert priced(AssistantMessage(()), _cost).usage is None


def test_a_summary_costs_what_the_tier_costs_that_it_was_served_at(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 40, "completion_tokens": 8, "total_tokens": 48}
    chunk = delta({"content": "S"}, "stop", usage=usage, service_tier="flex")
    with CompactionServer([say(50), say(60)], [Reply(chunks=[chunk])]) as server:
        lab = Lab(server, tmp_path, cost=_cost)
        lab.prompt(*fill(2))
        lab.compact()
    (row,) = lab.rows(COMPACTION)
    assert row["usage"]["cost"] == 4.0

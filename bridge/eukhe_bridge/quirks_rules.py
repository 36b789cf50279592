"""The rules that the bridge of the quirks rulebook must reach, and how a scenario is seen to reach one."""

from __future__ import annotations

from eukhe_bridge.quirks_scenarios import Scenario
from eukhe_spec import quirks_types as s

__all__ = ["RULES", "reached"]

RULES = (
    "S6.1 unknown directive",
    "S6.1 wrong type",
    "S6.1 clash",
    "S6.1 host wins",
    "S6.1 model gives",
    "S6.1 family gives",
    "S6.1 Unknown",
    "S6.1 swapped rules compile",
    "S6.1 swapped rules are refused",
    "S6.1 a query without family or host",
    "S6.2 undeclared target",
    "S6.2 declared twice",
    "S6.2 API named twice",
    "S6.2 provider named twice",
    "S6.2 bad pattern",
    "S6.2 bad range",
    "S6.2 one family",
    "S6.2 overlap names no family",
    "S6.2 revision given",
    "S6.2 revision 0",
    "S6.2 range met",
    "S6.2 range not met",
    "S6.2 host by API",
    "S6.2 host by provider",
    "S6.2 host by fragment",
    "S6.2 no host",
    "S6.2 a value by model id",
    "S6.7 wrong scope",
    "S6.7 no implementation",
    "S6.7 another host for capabilities",
    "S6.7 dialect",
    "S6.7 unsupported",
    "S6.8 default only",
    "S6.8 more tiers",
    "S6.8 tiers of a family",
    "S6.11 default",
    "S6.11 no default",
    "S6.12 priced without model",
    "S6.12 priced by model",
    "S6.12 base price",
    "S6.12 no number",
    "S6.12 1h row",
    "S6.12 no 1h row",
    "S6.13 the user's, held",
    "S6.13 the rule's",
    "S6.13 the default",
    "S6.13 dynamic",
    "S6.13 no budget",
)

_BY_LINE = {
    "S6.1 unknown directive": "refused UNKNOWN_DIRECTIVE",
    "S6.1 wrong type": "refused WRONG_TYPE",
    "S6.1 clash": "refused CLASH RULES",
    "S6.1 host wins": " by HOST ",
    "S6.1 model gives": " by MODEL ",
    "S6.1 family gives": " by FAMILY ",
    "S6.1 Unknown": " Unknown\n",
    "S6.1 swapped rules compile": "swapped\nmodel",
    "S6.1 swapped rules are refused": "swapped\nrefused",
    "S6.2 undeclared target": "refused UNDECLARED RULES",
    "S6.2 declared twice": "refused DECLARED_TWICE",
    "S6.2 API named twice": "refused API_TWICE",
    "S6.2 provider named twice": "refused PROVIDER_TWICE",
    "S6.2 bad pattern": "refused BAD_PATTERN FAMILIES",
    "S6.2 bad range": "refused BAD_RANGE",
    "S6.2 one family": "\ntargets Targets(family='",
    "S6.2 overlap names no family": "overlap=('",
    "S6.2 revision 0": "' (0, 0, 0)\n",
    "S6.2 revision given": "' (3, 8, 0)\n",
    "S6.2 range met": ") True\n",
    "S6.2 range not met": ") False\n",
    "S6.2 no host": " host=None",
    "S6.7 wrong scope": "refused WRONG_SCOPE",
    "S6.7 no implementation": "refused NO_IMPLEMENTATION",
    "S6.7 dialect": " speaks ",
    "S6.7 unsupported": " unsupported by ",
    "S6.8 default only": "tiers ['default']\n",
    "S6.8 more tiers": "tiers ['default', ",
    "S6.11 no default": "  default None\n",
    "S6.11 default": "  default qwen",
    "S6.12 priced without model": ", 3.0",
    "S6.12 priced by model": ", 5.0",
    "S6.12 base price": "multipliers [1.0, 1.0, 1.0, 1.0]",
    "S6.12 no number": "refused BAD_NUMBER",
    "S6.12 no 1h row": "1h cache writes None",
    "S6.12 1h row": "1h cache writes 2.0",
    "S6.13 dynamic": ") -1\n",
    "S6.13 no budget": ") None\n",
}


def reached(scenario: Scenario, transcript: str) -> frozenset[str]:
    """Name the rules that a scenario reached, from what it asks and what the spec said.

    Args:
        scenario: The scenario.
        transcript: The spec's transcript.
    """
    found = {rule for rule, line in _BY_LINE.items() if line in transcript}
    if "swapped\nmodel" in transcript:
        wire = [host for host in scenario.book.hosts if host.scope is s.Scope.WIRE]
        for model in scenario.models:
            if any(model.api in host.apis for host in wire):
                found.add("S6.2 host by API")
            elif any(model.provider in host.providers for host in wire):
                found.add("S6.2 host by provider")
            elif "host='" in transcript:
                found.add("S6.2 host by fragment")
        if any(query.family is None and query.host is None for query in scenario.queries):
            found.add("S6.1 a query without family or host")
        sets = [one for rule in scenario.book.rules for one in rule.sets]
        if any(isinstance(one.value, s.Split) for one in sets):
            found.add("S6.2 a value by model id")
        if any(entry.family is not None for entry in scenario.book.services):
            found.add("S6.8 tiers of a family")
        if any(line.count("None, capability_host='") for line in transcript.splitlines()):
            found.add("S6.7 another host for capabilities")
    for one in scenario.budgets:
        if 1 <= one.level <= 6:
            place = min(one.level, 4) - 1
            own = (one.user.minimal, one.user.low, one.user.medium, one.user.high)[place]
            if one.rule is not None:
                found.add("S6.13 the rule's" if own is None else "S6.13 the user's, held")
            elif own is None and one.otherwise is not None:
                found.add("S6.13 the default")
    return frozenset(found)

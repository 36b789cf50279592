"""`eukhe inspect compaction`: limit, threshold, kept part, and where a context is cut (S6.6)."""

from __future__ import annotations

import click

from eukhe.cli.inspect.given import as_json, read_json, show
from eukhe.core.compaction import IDLE, Effect, Policy, cut, prepare

_NAT = click.IntRange(0)


def _entries(name: str) -> tuple[list[int], list[bool]]:
    value = read_json(name)
    if not isinstance(value, list):
        raise click.UsageError(f"{name}: the entries are a JSON list, oldest first")
    tokens, results = [], []
    for place, item in enumerate(value):
        match item:
            case {"tokens": int(count), "result": bool(result)} if count >= 0:
                tokens.append(count)
                results.append(result)
            case {"tokens": int(count)} if count >= 0 and "result" not in item:
                tokens.append(count)
                results.append(False)
            case _:
                raise click.UsageError(
                    f'{name}[{place}]: an entry is {{"tokens": N}}, with "result": true for a tool result'
                )
    return tokens, results


@click.command("compaction")
@click.option("--window", type=_NAT, required=True, help="The context window, in tokens.")
@click.option("--used", type=_NAT, required=True, help="The tokens of the next request.")
@click.option("--reserve", type=_NAT, default=16_384, show_default=True, help="Kept free below it.")
@click.option("--keep", type=_NAT, default=40_000, show_default=True, help="Kept of the newest.")
@click.option("--margin-percent", type=_NAT, default=10, show_default=True, help="Of the window.")
@click.option("--margin", type=_NAT, help="The margin in tokens, in place of a percentage.")
@click.option(
    "--entries", metavar="FILE", help='A JSON list of {"tokens", "result"}: show the cut.'
)
@as_json
def compaction(
    window: int,
    used: int,
    reserve: int,
    keep: int,
    margin_percent: int,
    margin: int | None,
    entries: str | None,
    as_json: bool,
) -> None:
    """Show when a context of a session is compacted, and what is kept."""
    percent = margin_percent if margin is None else None
    policy = Policy(window, reserve, margin or 0, percent, keep)
    _, effects = prepare(IDLE, policy, used)
    said: dict[str, object] = {
        "limit": policy.limit,
        "threshold": policy.threshold,
        "keeps": policy.keeps,
        "starts": Effect.START in effects,
        "waits": Effect.WAIT in effects,
    }
    if entries is not None:
        tokens, results = _entries(entries)
        place = cut(tokens, results, policy.keeps)
        said |= {"summarized": place, "kept": len(tokens) - place}
    if as_json:
        show(said)
        return
    for name, value in said.items():
        shown = ("yes" if value else "no") if isinstance(value, bool) else f"{value:,}"
        click.echo(f"{name:<10}  {shown}")

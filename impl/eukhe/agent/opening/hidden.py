"""Which variables of the environment hold credentials that eukhe itself was told of; the tools do not get them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from eukhe.agent.opening.model import Choice

__all__ = ["hidden_variables"]


def hidden_variables(
    choice: Choice, key_env: str | None, agent_dir: Path, environ: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the names: whatever server a run asks, the keys of the others are no tool's business either.

    Args:
        choice: The model of the run.
        key_env: The variable of `--api-key-env`; None for none.
        agent_dir: Where `models.json` is.
        environ: The environment.
    """
    names = (*choice.variables, *([key_env] if key_env else []))
    if choice.peers is not None:
        return (*names, *choice.peers.registry.custom.variables(environ))
    path = agent_dir / "models.json"
    if not path.exists():  # a run on a server of one's own does not pay for the imports
        return names
    from eukhe.models.custom import load_models_json

    return (*names, *load_models_json(path, environ).variables(environ))

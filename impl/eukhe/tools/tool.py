"""What a tool is: a name, a schema, and a run that gives text back to the model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from eukhe.wire.messages import ImageBlock, ToolSpec


class ToolFailedError(Exception):
    """A tool could not do what it was asked for; the text goes to the model."""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool gives back.

    Attributes:
        text: for the model, bounded in size by the tool.
        is_error: whether the model should read it as a failure.
        images: pictures for the model, after the text.
    """

    text: str
    is_error: bool = False
    images: tuple[ImageBlock, ...] = ()


def _ignore(_: str) -> None:
    """Nobody listens."""


def _no() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may know of the run it is called in.

    Attributes:
        cwd: the working directory; relative paths start here.
        environ: the environment for child processes, without credentials.
        outputs_dir: where a tool may leave the full text of a long output; None for nowhere.
        on_output: told the output as it comes, in pieces.
        on_cut: told what a cancelled call had for the model by then, bounded in size like a result.
        shell: the shell that runs commands; None for bash, else /bin/sh.
        command_prefix: what is put on a line before each command; empty for nothing.
        takes_images: whether the model can be shown pictures.
    """

    cwd: Path
    environ: Mapping[str, str] = field(repr=False)
    outputs_dir: Path | None = None
    on_output: Callable[[str], None] = _ignore
    on_cut: Callable[[str], None] = _ignore
    shell: str | None = None
    command_prefix: str = ""
    takes_images: Callable[[], bool] = _no


class Tool(Protocol):
    """One tool. It has no state: all it needs comes in with the call.

    A tool whose attribute `sequential` is true makes the calls of its round run one after another, in their order.
    """

    @property
    def spec(self) -> ToolSpec:
        """Name, description and schema, as the model sees them."""

    async def run(self, arguments: Mapping[str, object], context: ToolContext) -> ToolOutput:
        """Do it. The arguments fit the schema.

        A cancelled run leaves no process behind.

        Raises:
            ToolFailedError: it could not be done.
        """

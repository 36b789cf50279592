"""The tools of a run: chosen by name, imported when they are chosen."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from eukhe.tools.arguments import ArgumentReader
from eukhe.tools.names import suggested_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eukhe.tools.arguments import BadArguments, GoodArguments
    from eukhe.tools.tool import Tool
    from eukhe.wire.messages import ToolSpec

BUILT_IN = {
    "read": "eukhe.tools.read:ReadTool",
    "bash": "eukhe.tools.bash:BashTool",
    "edit": "eukhe.tools.edit:EditTool",
    "write": "eukhe.tools.write:WriteTool",
    "ls": "eukhe.tools.ls:LsTool",
    "grep": "eukhe.tools.grep:GrepTool",
    "find": "eukhe.tools.find:FindTool",
}
"""Name of each built-in tool and the class that makes it."""

DEFAULT = ("read", "bash", "edit", "write")
"""The tools on offer when nobody says which; bash does what the others do, and each costs tokens a request."""


class UnknownToolError(Exception):
    """A tool was asked for by a name that no tool has.

    Attributes:
        name: the name.
        near: names like it.
    """

    def __init__(self, name: str, near: tuple[str, ...]) -> None:
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(BUILT_IN)}"
        super().__init__(f"there is no tool {name!r}; {hint}")
        self.name = name
        self.near = near


class Toolset:
    """Tools by name, in the order in which the model sees them."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}
        self._readers = {
            name: ArgumentReader(tool.spec.schema) for name, tool in self._tools.items()
        }

    @classmethod
    def built_in(cls, names: Iterable[str] = DEFAULT) -> Toolset:
        """The built-in tools of these names; a name given twice counts once.

        Raises:
            UnknownToolError: no built-in tool has the name.
        """
        tools = []
        for name in names:
            if name not in BUILT_IN:
                raise UnknownToolError(name, suggested_names(name, BUILT_IN))
            module, _, attribute = BUILT_IN[name].partition(":")
            tools.append(getattr(import_module(module), attribute)())
        return cls(tools)

    @property
    def names(self) -> tuple[str, ...]:
        """Names, in order."""
        return tuple(self._tools)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model is told, in order."""
        return tuple(tool.spec for tool in self._tools.values())

    def is_sequential(self, name: str) -> bool:
        """Whether a round with a call of this tool runs its calls one after another."""
        return getattr(self._tools.get(name), "sequential", False) is True

    def get(self, name: str) -> Tool | None:
        """The tool of this name, or None."""
        return self._tools.get(name)

    def arguments(self, name: str, text: str) -> GoodArguments | BadArguments:
        """Read the argument text of a call of the tool of this name, which must be there."""
        return self._readers[name].read(text)

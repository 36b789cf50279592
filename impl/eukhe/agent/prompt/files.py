"""The files of the system prompt: `SYSTEM.md`, `APPEND_SYSTEM.md`, and the `AGENTS.md` from the directory upwards.

They are read when a session is opened and not stored with it: the same files make the same bytes, so a provider's
prompt cache stays valid over a resume, and an edited file counts from the next start on.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eukhe.agent.prompt.system import Part, PromptFiles
from eukhe.settings.disk import read_text
from eukhe.settings.issues import Issue, printable, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eukhe.settings.load import Config

__all__ = ["CONTEXT_BYTES", "CONTEXT_NAMES", "FILE_BYTES", "read_prompt_files"]

#: The names of a directory's context file; the first one that is there counts.
CONTEXT_NAMES: Final = ("AGENTS.md", "CLAUDE.md")

#: The most bytes of one context file that are sent.
FILE_BYTES: Final = 64 * 1024

#: The most bytes of all context files together.
CONTEXT_BYTES: Final = 128 * 1024

#: A file that has to be cut to fewer bytes is left out.
_WORTH: Final = 1024


def read_prompt_files(config: Config, cwd: Path, *, context: bool = True) -> PromptFiles:
    """Read the files; nothing is raised, whatever is there.

    Args:
        config: The settings of the directory; they say which files are trusted (S4b.5).
        cwd: The working directory of the tools.
        context: Whether context files are wanted.
    """
    reader = _Reader(config, Path(os.path.realpath(cwd)))
    own = {name: reader.own(path) for name, path in config.prompts.items()}
    found = reader.context() if context else ()
    return PromptFiles(
        own.get("SYSTEM.md"), own.get("APPEND_SYSTEM.md"), found, shown(reader.issues)
    )


class _Reader:
    """Reads the files of one start, and notes what is wrong with them."""

    def __init__(self, config: Config, cwd: Path) -> None:
        self._config = config
        self._upwards, self._repository = _upwards(cwd)
        self._left = CONTEXT_BYTES
        self._seen: set[Path] = set()
        self.issues: list[Issue] = []

    def own(self, path: Path) -> Part | None:
        """A `SYSTEM.md` or `APPEND_SYSTEM.md`; None when it cannot be read."""
        files = self._config.files
        of_project = files.project is not None and path.parent == files.project_dir
        target = Path(os.path.realpath(path))
        if of_project and not target.is_relative_to(self._repository or files.project or path):
            self._link(path, target)
            return None
        if of_project and not self._config.trusts(target.parent):
            self._withheld([target])
            return None
        text = self._text(path)
        return None if text is None else Part(str(path), text.strip())

    def context(self) -> tuple[Part, ...]:
        """The context files that count, the outermost first."""
        home = self._config.files.agent_dir / CONTEXT_NAMES[0]
        of_user = self._part(home, Path(os.path.realpath(home))) if os.path.lexists(home) else None
        withheld: list[Path] = []
        # The nearest ones first: when there is too much, the outermost are those that are cut.
        parts = [of_user] if of_user else []
        inner: list[Part] = []
        for path in _context_files(self._upwards):
            target = Path(os.path.realpath(path))
            if not self._config.trusts(path.parent):
                withheld.append(path)
            elif not target.is_relative_to(self._repository or path.parent):
                self._link(path, target)
            elif not self._config.trusts(target.parent):
                withheld.append(target)  # a link lends its trust to nothing
            elif (part := self._part(path, target)) is not None:
                inner.append(part)
        if withheld:
            self._withheld(list(dict.fromkeys(withheld)))
        return (*parts, *reversed(inner))

    def _part(self, path: Path, target: Path) -> Part | None:
        """One context file, as far as there is room for it; None when nothing of it is sent."""
        if target in self._seen:  # a link to one that is there already
            return None
        self._seen.add(target)
        text = self._text(target, path)
        if text is None or not text.strip():
            return None
        data = text.strip().encode()
        room = min(FILE_BYTES, self._left)
        kept = _cut(data, room) if len(data) <= room or room >= _WORTH else b""
        self._left -= len(kept)
        if len(kept) < len(data):
            message = (
                f"the first {len(kept)} of its {len(data)} bytes are in the prompt, which takes "
                f"{FILE_BYTES} of one such file and {CONTEXT_BYTES} of all; shorten it"
            )
            self.issues.append(Issue("Cut", str(path), message))
            if not kept:
                return None
        said = kept.decode()
        name = printable(str(path))
        if len(kept) < len(data):
            said += f"\n[cut: {len(data) - len(kept)} more bytes are in {name}]"
        return Part(str(path), f"Instructions from {name}:\n\n{said}")

    def _text(self, target: Path, path: Path | None = None) -> str | None:
        found = read_text(target)
        why = found.unreadable or ("there is no such file" if found.missing else "")
        if not why and "\0" in found.text:
            why = "it is binary: it holds a zero byte"
        if not why:
            return found.text
        message = f"the file cannot be read ({why}), so it is not in the prompt; repair it"
        self.issues.append(Issue("Unreadable", str(path or target), message))
        return None

    def _link(self, path: Path, target: Path) -> None:
        message = (
            f"the link leads out of the project, to {target}, so it is not in the prompt; "
            "put a file in its place"
        )
        self.issues.append(Issue("Link", str(path), message))

    def _withheld(self, paths: list[Path]) -> None:
        # Outside of a repository the directories above belong to who knows whom: nobody should trust all of /tmp.
        outermost = min(paths, key=lambda path: len(path.parts)) if self._repository else paths[0]
        names = ", ".join(str(path) for path in reversed(paths))
        message = (
            f"the project is not trusted, so these were withheld: {names}; "
            f"to let them apply: eukhe trust {outermost.parent}"
        )
        self.issues.append(Issue("Withheld", str(outermost.parent), message))


def _upwards(cwd: Path) -> tuple[tuple[Path, ...], Path | None]:
    """The directory and those above it, up to the root of its repository, else of the file system.

    Returns:
        The directories, the innermost first, and the root of the repository; None outside of one.
    """
    upwards = (cwd, *cwd.parents)
    for number, directory in enumerate(upwards, 1):
        if os.path.exists(directory / ".git"):  # noqa: PTH110 - a directory that may not be searched has none
            return upwards[:number], directory
    return upwards, None


def _context_files(directories: tuple[Path, ...]) -> Iterator[Path]:
    """The context file of each directory that has one; a link counts as one wherever it leads."""
    for directory in directories:
        paths = (directory / name for name in CONTEXT_NAMES)
        found = next((path for path in paths if os.path.lexists(path)), None)
        if found is not None:
            yield found


def _cut(data: bytes, most: int) -> bytes:
    """The start of a UTF-8 text, at most so many bytes: whole characters, and whole lines where one ends near."""
    if len(data) <= most:
        return data
    head = data[:most].decode(errors="ignore").encode()
    line = head.rfind(b"\n")
    return head[:line] if line > most // 2 else head

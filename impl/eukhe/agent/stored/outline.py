"""The tree of a session as lines: conversations, their rows with their ids, and their forks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eukhe.agent.rows.record import main_conversation
from eukhe.agent.rows.shown import TALK, describe
from eukhe.session import nodes
from eukhe.session.history import is_copy
from eukhe.session.nodes import Conversation, Entry, Fork
from eukhe.session.tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eukhe.session.store import Session
    from eukhe.session.tree import Node


class _Branch:
    """A conversation with what is drawn below it, in order: rows and forks."""

    def __init__(self, conversation: int, fork: Fork | None) -> None:
        self.id = conversation
        self.fork = fork
        self.items: list[str | _Branch] = []


def outline(session: Session, *, everything: bool = False) -> Iterator[str]:
    """Draw a session, a line for each row and each conversation.

    Args:
        session: the session.
        everything: also the results of tools and the rows that no one said.
    """
    main = main_conversation(session)
    roots = [node for node in session.tree.children(ROOT) if _conversation(node) is not None]
    for root in roots:
        top = _branch(session, root, everything=everything)
        yield _header(top, main)
        # A stack and no recursion: forks of forks have no limit.
        stack = [("", iter(top.items), len(top.items))]
        while stack:
            prefix, items, left = stack.pop()
            item = next(items, None)
            if item is None:
                continue
            stack.append((prefix, items, left - 1))
            corner, below = ("├─ ", "│  ") if left > 1 else ("└─ ", "   ")
            if isinstance(item, str):
                yield prefix + corner + item
            else:
                yield prefix + corner + _header(item, main)
                stack.append((prefix + below, iter(item.items), len(item.items)))


def _branch(session: Session, root: Node, *, everything: bool) -> _Branch:
    top = _Branch(root.id, None)
    waiting = [top]
    while waiting:
        branch = waiting.pop()
        rows: dict[int, str | None] = {}
        forks: list[_Branch] = []
        for node in session.tree.children(branch.id):
            match nodes.from_json(node.value):
                case Entry() as row:
                    shown = not is_copy(node) and (everything or row.kind in TALK)
                    rows[node.id] = (
                        f"{node.id:>5}  {row.kind:<11} {describe(row)}" if shown else None
                    )
                case Conversation(fork=fork):
                    forks.append(_Branch(node.id, fork))
        waiting.extend(forks)
        _order(branch, rows, forks)
    return top


def _order(branch: _Branch, rows: Mapping[int, str | None], forks: list[_Branch]) -> None:
    """Put each fork behind the row that it was forked after; one whose row is gone comes last."""
    behind: dict[int, list[_Branch]] = {}
    for fork in forks:
        entry = 0 if fork.fork is None else fork.fork.entry
        behind.setdefault(entry if entry in rows or entry == 0 else -1, []).append(fork)
    branch.items.extend(behind.pop(0, ()))
    for node_id, line in rows.items():
        if line is not None:
            branch.items.append(line)
        branch.items.extend(behind.pop(node_id, ()))
    branch.items.extend(behind.pop(-1, ()))


def _header(branch: _Branch, main: int | None) -> str:
    text = f"conversation {branch.id}"
    if branch.fork is not None:
        entry = branch.fork.entry
        text += f", forked after {entry}" if entry else ", forked at the start"
    return text + (" (main)" if branch.id == main else "")


def _conversation(node: Node) -> Conversation | None:
    value = nodes.from_json(node.value)
    return value if isinstance(value, Conversation) else None

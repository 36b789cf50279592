"""What a list shows of a session, added up commit by commit, so that a list need not replay whole journals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from eukhe.agent.rows import transcript
from eukhe.agent.rows.naming import TITLE
from eukhe.agent.rows.record import AGENT, SESSION
from eukhe.agent.rows.spent import Spent
from eukhe.session import nodes
from eukhe.session.fork import ORIGIN
from eukhe.session.nodes import Document, Entry
from eukhe.session.tree import Put, Tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eukhe.session.journal import Commit
    from eukhe.session.tree import Json, Node

TITLE_CHARACTERS = 60


@dataclass(slots=True)
class Talk:
    """One conversation of a session: its agent, how many prompts it has, and the first of them."""

    model: str = ""
    cwd: str = ""
    prompts: int = 0
    first: str = ""


@dataclass(slots=True)
class Digest:
    """The sum over the commits of a session.

    Attributes:
        at: time of the newest commit, milliseconds since 1970.
        last: the greatest id so far.
        main: the main conversation, 0 for none.
        name: the session's name, empty for none.
        named_by: who gave it, `user` or `model`; empty for none.
        origin: the session that it comes from, empty for none.
        spent: tokens and money since it was made.
        talks: its conversations.
    """

    at: int = 0
    last: int = 0
    main: int = 0
    name: str = ""
    named_by: str = ""
    origin: str = ""
    spent: Spent = field(default_factory=Spent)
    talks: dict[int, Talk] = field(default_factory=dict)

    @property
    def talk(self) -> Talk:
        """The main conversation."""
        return self.talks.get(self.main) or Talk()

    def add(self, commit: Commit) -> bool:
        """Add a commit; False when it takes something back, which no sum can follow."""
        self.at = commit.at
        for record in commit.records:
            if not isinstance(record, Put):
                return False
            value = nodes.from_json(record.value)
            if isinstance(value, Entry) and record.id <= self.last:
                return False
            self._node(record, value)
            self._spend(record, value)
        return True

    def follow(self, tree: Tree, commits: Iterable[Commit]) -> None:
        """Add commits of any kind, by way of the tree that they make."""
        for commit in commits:
            self.at = commit.at
            for record in commit.records:
                tree.load(record)
                if isinstance(record, Put):
                    self._spend(record, nodes.from_json(record.value))
        for node in tree.nodes():
            self._node(node, nodes.from_json(node.value))

    def _node(self, node: Node, value: nodes.Value | None) -> None:
        if node.id > self.last:
            self.last = node.id
        match value:
            case Entry(kind=transcript.USER, body=body):
                talk = self._talk(node.parent)
                talk.prompts += 1
                if not talk.first:
                    talk.first = title_of(text_of(body))
            case Document(name=name, body=body):
                self._document(name, body, node.parent)

    def _document(self, name: str, body: Mapping[str, Json], parent: int) -> None:
        def text(key: str) -> str:
            value = body.get(key)
            return value if isinstance(value, str) else ""

        match name:
            case _ if name == AGENT:
                talk = self._talk(parent)
                talk.model, talk.cwd = text("model"), text("cwd")
            case _ if name == SESSION:
                main = body.get("main")
                self.main = main if isinstance(main, int) else 0
            case _ if name == TITLE:
                self.name, self.named_by = text("text"), text("by")
            case _ if name == ORIGIN:
                self.origin = text("session")

    def _spend(self, record: Put, value: nodes.Value | None) -> None:
        match value:
            case Entry():
                self.spent.add_records((record,))
            case Document(name=name) if name == ORIGIN:
                self.spent = (
                    Spent()
                )  # what the session spent that this one comes from is not its own

    def _talk(self, conversation: int) -> Talk:
        return self.talks.setdefault(conversation, Talk())

    def to_json(self) -> dict[str, Any]:
        """The form in the side cache."""
        return asdict(self)

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> Digest:
        """Read the form in the side cache.

        Raises:
            TypeError, KeyError, ValueError: it is none.
        """
        plain = {name: form[name] for name in ("at", "last", "main", "name", "named_by", "origin")}
        return cls(
            **plain,
            spent=Spent(**{one.name: form["spent"][one.name] for one in fields(Spent)}),
            talks={int(key): Talk(**talk) for key, talk in form["talks"].items()},
        )


def text_of(body: Mapping[str, Json]) -> str:
    """The text blocks of a row."""
    content = body.get("content")
    if not isinstance(content, (list, tuple)):
        return ""
    texts = [block.get("text") for block in content if isinstance(block, Mapping)]
    return "".join(text for text in texts if isinstance(text, str))


def title_of(text: str) -> str:
    """The start of a text on one line."""
    line = " ".join(text[: TITLE_CHARACTERS * 20].split())
    return line if len(line) <= TITLE_CHARACTERS else line[: TITLE_CHARACTERS - 1] + "\u2026"

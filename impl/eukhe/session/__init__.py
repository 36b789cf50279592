"""The durable store of sessions: one tree of nodes, kept as an append-only journal (S1)."""

from eukhe.session.errors import (
    CommitFailedError,
    JournalDamagedError,
    SessionBusyError,
    SessionError,
    SessionNotFoundError,
    SessionUnreadableError,
    UnsoundRecordError,
)
from eukhe.session.nodes import Conversation, Document, Entry
from eukhe.session.store import Session
from eukhe.session.tree import Del, Json, Node, Put, Record, Rewind, Tree

__all__ = [
    "CommitFailedError",
    "Conversation",
    "Del",
    "Document",
    "Entry",
    "JournalDamagedError",
    "Json",
    "Node",
    "Put",
    "Record",
    "Rewind",
    "Session",
    "SessionBusyError",
    "SessionError",
    "SessionNotFoundError",
    "SessionUnreadableError",
    "Tree",
    "UnsoundRecordError",
]

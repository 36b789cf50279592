from eukhe.agent.compact.compactor import CompactionFailedError, NothingToCompactError
from eukhe.agent.inbox.entering import Queued, RefusedMessageError
from eukhe.agent.opening.errors import OptionError
from eukhe.agent.rows.unfinished import NothingOpenError
from eukhe.agent.stored.branches import NothingToDoError, Rewound
from eukhe.agent.who import Outcome
from eukhe.api import events
from eukhe.api.errors import OtherLoopError, PromptRunningError, SessionClosedError
from eukhe.api.prompting import Prompting
from eukhe.api.session import Session, SessionOpening
from eukhe.session.errors import (
    CommitFailedError,
    JournalDamagedError,
    NoSuchEntryError,
    SessionBusyError,
    SessionError,
)
from eukhe.settings.errors import SettingsError
from eukhe.wire.errors import WireError

__all__ = [
    "CommitFailedError",
    "CompactionFailedError",
    "JournalDamagedError",
    "NoSuchEntryError",
    "NothingOpenError",
    "NothingToCompactError",
    "NothingToDoError",
    "OptionError",
    "OtherLoopError",
    "Outcome",
    "PromptRunningError",
    "Prompting",
    "Queued",
    "RefusedMessageError",
    "Rewound",
    "Session",
    "SessionBusyError",
    "SessionClosedError",
    "SessionError",
    "SessionOpening",
    "SettingsError",
    "WireError",
    "__version__",
    "events",
]

__version__: str

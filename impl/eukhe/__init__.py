"""eukhe: a coding-agent harness for the terminal whose decision core is formally checked.

The Python API is `Session`, with its events and errors. Its names are loaded when they are asked for, so that
`import eukhe` costs nothing; `__init__.pyi` tells type checkers of them.
"""

__version__ = "0.1.0"

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


def _places() -> dict[str, str]:
    """Where each name of the API comes from; built when one is asked for."""
    rooms = {
        "eukhe.agent.compact.compactor": "CompactionFailedError NothingToCompactError",
        "eukhe.agent.stored.branches": "NothingToDoError Rewound",
        "eukhe.agent.inbox.entering": "Queued RefusedMessageError",
        "eukhe.agent.opening.errors": "OptionError",
        "eukhe.agent.rows.unfinished": "NothingOpenError",
        "eukhe.agent.who": "Outcome",
        "eukhe.api.errors": "OtherLoopError PromptRunningError SessionClosedError",
        "eukhe.api.prompting": "Prompting",
        "eukhe.api.session": "Session SessionOpening",
        "eukhe.session.errors": (
            "CommitFailedError JournalDamagedError NoSuchEntryError SessionBusyError SessionError"
        ),
        "eukhe.settings.errors": "SettingsError",
        "eukhe.wire.errors": "WireError",
    }
    return {name: room for room, names in rooms.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'eukhe' has no attribute {name!r}")
    from importlib import import_module

    if name == "events":
        found: object = import_module("eukhe.api.events")
    else:
        found = getattr(import_module(_places()[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

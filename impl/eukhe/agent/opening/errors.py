"""What can be wrong with what a caller asks of a session."""

from __future__ import annotations


class OptionError(Exception):
    """What was asked for does not fit together or names what is not there; nothing was sent or stored.

    Attributes:
        option: the option, named as in `RunOptions`; empty where it is none of them alone.
    """

    def __init__(self, option: str, message: str) -> None:
        super().__init__(message)
        self.option = option

"""The environment of child processes: everything but credentials."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_CREDENTIAL = re.compile(
    r"(.*_)?(API)?KEY(_ID)?|(.*_)?TOKEN(_.*)?|(.*_)?PA(T|SS)|.*(SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL).*|EUKHE_.*KEY.*",
    re.IGNORECASE,
)


def without_credentials(environ: Mapping[str, str], also: Collection[str] = ()) -> dict[str, str]:
    """The environment that a model's commands may see.

    Variables whose name is or ends in `_KEY`, `_APIKEY`, `_KEY_ID`, `_TOKEN`, `_PAT` or `_PASS` (the underscore
    may be missing at the start), has the word `TOKEN` between underscores, holds `SECRET`, `PASSWORD`, `PASSWD`,
    `PASSPHRASE` or `CREDENTIAL`, or is like `EUKHE_*KEY*` are left out, in any case of the letters.

    Args:
        environ: the environment of eukhe.
        also: further names to leave out, such as the variable that holds the key in use.
    """
    return {
        name: value
        for name, value in environ.items()
        if name not in also and not _CREDENTIAL.fullmatch(name)
    }

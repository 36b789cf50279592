"""The contracts of the reference models, on unless `EUKHE_CONTRACTS=0` was set before the first import.

They stay on in the bridge and in tests. Engines that call a model a hundred thousand times, and CrossHair,
which checks a law's own condition, start with them off: a switched-off contract costs nothing at all.
"""

import functools
import os

import icontract

__all__ = ["ensure", "require", "snapshot"]

_ON = os.environ.get("EUKHE_CONTRACTS", "1") != "0"

require = functools.partial(icontract.require, enabled=_ON)
ensure = functools.partial(icontract.ensure, enabled=_ON)
snapshot = functools.partial(icontract.snapshot, enabled=_ON)

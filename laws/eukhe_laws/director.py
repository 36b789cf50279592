"""The laws of the Director stack (S5), in two files, and where spec and core are compared.

Every verdict is free: each layer of each step says what it likes.
"""

from __future__ import annotations

from eukhe_laws import _director_stack, _director_subject, _director_tree
from eukhe_laws._director_subject import Director
from eukhe_laws.engine.agree import Agree
from eukhe_laws.engine.domain import Scope

__all__ = ["AGREEMENT", "CORE", "PARTS", "SPEC"]

SPEC: Director = _director_subject.SPEC
CORE: Director = _director_subject.CORE

#: The files of the laws, in the order of the report.
PARTS = (_director_stack, _director_tree)

_KINDS = ("kind", Scope(1))
_STEP = Scope(2, 2, over=(_KINDS, ("cap", Scope(4))))
_NODES = Scope(2, 1, over=(_KINDS,))

#: Where agreement of spec and core needs bounds of its own.
AGREEMENT = {
    "decide": Agree(_STEP),
    "tick": Agree(Scope(2, 1, over=(_KINDS, ("says", Scope(2, 2))))),
    "run": Agree(Scope(2, 1, over=(_KINDS,))),
    "sound": Agree(_NODES, Scope(4, 4)),
    "apply": Agree(_NODES, Scope(4, 3)),
    "rewind": Agree(_NODES, Scope(4, 3)),
    "encode": Agree(_NODES, Scope(4, 2)),
    "decode": Agree(_NODES, Scope(4, 3)),
    "replay": Agree(_NODES, Scope(4, 3)),
    "resume": Agree(_NODES, Scope(4, 3)),
}

"""The law engine: one statement of a law, read by every engine."""

from eukhe_laws.engine.domain import Among, Domain, Range, Scope, Sized
from eukhe_laws.engine.law import Law, law

__all__ = ["Among", "Domain", "Law", "Range", "Scope", "Sized", "law"]

"""A law that is false."""

from eukhe_laws.engine import law
from tests.engine.toy.laws import CORE, SPEC, Toy

__all__ = ["CORE", "SPEC", "toy_false"]


@law(section="T0")
def toy_false(S: Toy, coins: int) -> bool:
    """Every number is 0."""
    return coins == 0

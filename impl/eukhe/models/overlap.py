"""Two families that match one model (S6.2): rejected in the catalog, told once where it comes from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eukhe.core.quirks import targets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eukhe.core.quirks import Rulebook
    from eukhe.core.quirks_types import ModelKey

__all__ = ["FamilyOverlap", "check_catalog"]


@dataclass(frozen=True, slots=True)
class FamilyOverlap:
    """A model that more than one family matches: it is in none of them, so their directives are Unknown.

    Attributes:
        model: The model id.
        families: The families, in the order of the rulebook.
    """

    model: str
    families: tuple[str, ...]

    @property
    def message(self) -> str:
        """The error in a sentence."""
        return (
            f"the families {' and '.join(self.families)} {'both' if len(self.families) == 2 else 'all'} match the "
            f"model {self.model}, so it is in none of them; narrow a pattern, a range or an except of one"
        )


def check_catalog(rulebook: Rulebook, models: Iterable[ModelKey]) -> tuple[FamilyOverlap, ...]:
    """Return every overlap on the given models, each model id once; the catalog must have none.

    Args:
        rulebook: The rulebook.
        models: The models, for example those of the catalog.
    """
    found: dict[str, FamilyOverlap] = {}
    for model in models:
        overlap = targets(rulebook, model).overlap
        if overlap:
            found.setdefault(model.id, FamilyOverlap(model.id, overlap))
    return tuple(found.values())

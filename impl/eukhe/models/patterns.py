"""What people write for a model: `provider/id`, an id, a pattern, each with `:level` behind it if they like."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from eukhe.core.default_model import Ref
from eukhe.core.effort import LADDER, Level

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

    from eukhe.models.registry import Registry

__all__ = ["Ambiguous", "Chosen", "NoSuchModel", "choose", "includes", "matching"]

_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Chosen:
    """The one model that a text names.

    Attributes:
        ref: The model.
        level: The level that was written behind it; None for none.
    """

    ref: Ref
    level: Level | None


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """More than one model has the name.

    Attributes:
        text: What was written.
        candidates: The models.
    """

    text: str
    candidates: tuple[Ref, ...]

    @property
    def message(self) -> str:
        """The candidates in a sentence."""
        shown = ", ".join(map(str, self.candidates[:_SHOWN]))
        more = len(self.candidates) - _SHOWN
        rest = f" and {more} more" if more > 0 else ""
        return f"{self.text} names more than one model, write one of: {shown}{rest}"


@dataclass(frozen=True, slots=True)
class NoSuchModel:
    """No model has the name.

    Attributes:
        text: What was written.
        near: Models with a name like it.
    """

    text: str
    near: tuple[str, ...]

    @property
    def message(self) -> str:
        """What is near in a sentence."""
        hint = f"did you mean {' or '.join(self.near)}?" if self.near else ""
        name = self.text.strip() or "without a name"
        return f"there is no model {name}; {hint or '`eukhe model list` shows what there is'}"


def choose(
    registry: Registry, text: str, keyed: Container[str] | None = None
) -> Chosen | Ambiguous | NoSuchModel:
    """Return the model that a text names.

    A whole name counts before a part of one: `provider/id`, then an id, each as it is written and then in any
    case, then a pattern with `*` or `?`, or a part of a name. Of several models, those whose provider has
    credentials count.

    Args:
        registry: The models.
        text: What was written; `:LEVEL` behind it is a thinking level, unless a model has the whole name.
        keyed: The providers with credentials, to tell models of one name apart; None for not at all.
    """
    whole = _choose(registry, text, keyed)
    if not isinstance(whole, NoSuchModel):
        return whole
    name, colon, word = text.rpartition(":")
    if colon and name and word in LADDER:
        found = _choose(registry, name, keyed)
        if isinstance(found, Chosen):
            return Chosen(found.ref, Level(word))
        return found
    return whole


def _choose(
    registry: Registry, text: str, keyed: Container[str] | None
) -> Chosen | Ambiguous | NoSuchModel:
    wanted = text.strip()
    for found in (
        _named(registry, wanted, str),
        _named(registry, wanted, str.lower),
        _of_id(registry, wanted, str),
        _of_id(registry, wanted, str.lower),
        _like(registry, wanted.lower()),
    ):
        if len(found) > 1 and keyed is not None:
            found = tuple(one for one in found if one.provider in keyed) or found
        if len(found) == 1:
            return Chosen(found[0], None)
        if found:
            return Ambiguous(text, found)
    from difflib import get_close_matches  # only a mistake pays for the import

    names = [str(ref) for ref in _refs(registry)]
    bare = {ref.id: str(ref) for ref in _refs(registry)}
    near = get_close_matches(wanted.lower(), names, 2, 0.75)
    near += [bare[one] for one in get_close_matches(wanted.lower(), bare, 2, 0.75)]
    return NoSuchModel(text, tuple(dict.fromkeys(near))[:2])


def _refs(registry: Registry) -> Iterable[Ref]:
    return (Ref(provider, id_) for provider, ids in registry.ids.items() for id_ in ids)


def _named(registry: Registry, wanted: str, fold: Callable[[str], str]) -> tuple[Ref, ...]:
    """The models of a `provider/id`, their names compared after `fold`."""
    provider, _, id_ = fold(wanted).partition("/")
    return tuple(
        ref for ref in _refs(registry) if (fold(ref.provider), fold(ref.id)) == (provider, id_)
    )


def _of_id(registry: Registry, wanted: str, fold: Callable[[str], str]) -> tuple[Ref, ...]:
    id_ = fold(wanted)
    return tuple(ref for ref in _refs(registry) if fold(ref.id) == id_)


def _like(registry: Registry, wanted: str) -> tuple[Ref, ...]:
    if not wanted:
        return ()
    pattern = wanted if any(sign in wanted for sign in "*?[") else f"*{wanted}*"
    return tuple(ref for ref in _refs(registry) if includes(pattern, ref))


def includes(pattern: str, ref: Ref) -> bool:
    """Whether a pattern of `enabledModels` includes a model: by `provider/id` or by id, without case."""
    lowered = pattern.lower()
    return any(fnmatchcase(name.lower(), lowered) for name in (str(ref), ref.id))


def matching(registry: Registry, patterns: Iterable[str]) -> frozenset[Ref]:
    """Return the models that a list of patterns includes; a `:level` behind a pattern is left out."""
    bare = []
    for one in patterns:
        name, colon, word = one.rpartition(":")
        bare.append(name if colon and word in LADDER else one)
    return frozenset(ref for ref in _refs(registry) if any(includes(one, ref) for one in bare))

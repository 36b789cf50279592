"""Profiles: how much work a run gives each law. Counts decide; seconds are only the net."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["DEEP", "QUICK", "Profile"]


@dataclass(frozen=True)
class Profile:
    """The budget of a run.

    Attributes:
        name: `quick` or `deep`.
        exhaust: The most inputs that exhaustion enumerates for one law and subject.
        grow: Whether exhaustion goes beyond the declared scope as far as `exhaust` allows.
        sample: How many inputs the sampler draws.
        hypothesis: How many examples Hypothesis tries on a law over strings.
        seed: The seed of everything drawn.
        seconds: The net of one engine on one law and subject.
        paths: The paths that CrossHair may follow in a shape; 0 to leave CrossHair out.
        shape_seconds: The net of one shape.
        crosshair_seconds: The net of CrossHair on one law.
    """

    name: str
    exhaust: int
    grow: bool
    sample: int
    hypothesis: int
    seed: int
    seconds: float
    paths: int
    shape_seconds: float
    crosshair_seconds: float

    def scaled(self, share: float) -> Profile:
        """Return the profile with its counts cut to a share of themselves; nets stay."""
        return replace(
            self,
            name=f"{self.name}*{share:.2f}",
            exhaust=max(1_000, int(self.exhaust * share)),
            sample=max(500, int(self.sample * share)),
            hypothesis=max(50, int(self.hypothesis * share)),
            paths=int(self.paths * share),
        )


QUICK = Profile(
    name="quick",
    exhaust=50_000,
    grow=False,
    sample=4_000,
    hypothesis=0,
    seed=1,
    seconds=10.0,
    paths=0,
    shape_seconds=0.0,
    crosshair_seconds=0.0,
)

DEEP = Profile(
    name="deep",
    exhaust=200_000,
    grow=True,
    sample=50_000,
    hypothesis=500,
    seed=1,
    seconds=60.0,
    paths=2_000,
    shape_seconds=5.0,
    crosshair_seconds=15.0,
)

"""Profiles: how much work a run gives each law. Counts decide; seconds are only the net."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["DEEP", "QUICK", "Profile"]

#: Inputs a second that a budget counts on: a slow law on a busy machine.
_RATE = 20_000


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
        seconds: The net of one engine on one law and subject, of CPU time.
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

    def within(self, seconds: float, jobs: int, workers: int) -> Profile:
        """Return the profile with counts that fit into a budget. The clock plays no part in the counts.

        Args:
            seconds: The budget of the whole run.
            jobs: How many laws and subjects share it.
            workers: How many worker processes share the work.
        """
        each = seconds * workers * _RATE / max(1, jobs)
        share = min(1.0, each / (self.exhaust + self.sample))
        return replace(
            self,
            name=f"{self.name}-{seconds:g}s",
            exhaust=max(500, int(self.exhaust * share)),
            sample=max(500, int(self.sample * share)),
            crosshair_seconds=min(self.crosshair_seconds, seconds * workers / max(1, jobs)),
        )


QUICK = Profile(
    name="quick",
    exhaust=50_000,
    grow=False,
    sample=2_000,
    hypothesis=0,
    seed=1,
    seconds=10.0,
    paths=0,
    shape_seconds=0.0,
    crosshair_seconds=0.0,
)

DEEP = Profile(
    name="deep",
    exhaust=50_000,
    grow=True,
    sample=10_000,
    hypothesis=500,
    seed=1,
    seconds=30.0,
    paths=300,
    shape_seconds=3.0,
    crosshair_seconds=5.0,
)

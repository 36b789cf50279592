"""Verdicts as JSON and back: for the cache and for `--json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eukhe_laws.engine.verdict import (
    Counterexample,
    EngineError,
    ErrorKind,
    Evidence,
    Verdict,
    Word,
)

__all__ = ["read", "write"]


def _evidence(one: Evidence) -> dict[str, Any]:
    found: dict[str, Any] = {
        "engine": one.engine,
        "scope": one.scope,
        "inputs": one.inputs,
        "premise": one.premise,
        "complete": one.complete,
        "finite": one.finite,
        "seed": one.seed,
        "reached": dict(one.reached),
        "note": one.note,
    }
    if one.shapes is not None:
        found |= {"shapes": list(one.shapes), "paths": one.paths}
    return found


def write(verdict: Verdict) -> dict[str, Any]:
    """Give a verdict as JSON. Neither wall time nor the cache shows in it: equal runs give equal text."""
    found = verdict.counterexample
    return {
        "area": verdict.area,
        "law": verdict.law,
        "subject": verdict.subject,
        "word": verdict.word.value,
        "why": verdict.why,
        "evidence": [_evidence(one) for one in verdict.evidence],
        "counterexample": None
        if found is None
        else {
            "engine": found.engine,
            "raised": found.raised,
            "python": found.python,
            "replay": found.replay,
            "minimal": found.minimal,
        },
        "errors": [
            {"engine": one.engine, "kind": one.kind.value, "message": one.message}
            for one in verdict.errors
        ],
    }


def _read_evidence(data: Mapping[str, Any]) -> Evidence:
    shapes = data.get("shapes")
    return Evidence(
        engine=data["engine"],
        scope=data["scope"],
        inputs=data["inputs"],
        premise=data["premise"],
        complete=data["complete"],
        finite=data["finite"],
        seed=data["seed"],
        shapes=None if shapes is None else (shapes[0], shapes[1]),
        paths=data.get("paths", 0),
        reached=tuple(data["reached"].items()),
        note=data["note"],
    )


def read(data: Mapping[str, Any], *, seconds: float = 0.0, cached: bool = True) -> Verdict:
    """Read what `write` gave.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: the JSON is no verdict.
    """
    found = data["counterexample"]
    return Verdict(
        area=data["area"],
        law=data["law"],
        subject=data["subject"],
        word=Word(data["word"]),
        why=data["why"],
        evidence=tuple(_read_evidence(one) for one in data["evidence"]),
        counterexample=None
        if found is None
        else Counterexample(
            engine=found["engine"],
            subject=data["subject"],
            raised=found["raised"],
            python=found["python"],
            replay=found["replay"],
            minimal=found["minimal"],
        ),
        errors=tuple(
            EngineError(one["engine"], ErrorKind(one["kind"]), one["message"])
            for one in data["errors"]
        ),
        seconds=seconds,
        cached=cached,
    )

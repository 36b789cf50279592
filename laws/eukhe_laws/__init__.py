"""The named laws, one file an area; `engine` looks for counterexamples, `report` says what holds."""

__all__ = ["AREAS"]

#: The areas whose laws are written, in the order of the report.
AREAS: tuple[str, ...] = (
    "cvar",
    "config",
    "director",
    "progress",
    "quirks",
    "ladder",
    "force",
    "strict",
    "guard",
    "compaction",
    "leak",
    "catalog",
    "default_model",
    "tiny",
    "effort",
)

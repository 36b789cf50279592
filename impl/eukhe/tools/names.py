"""Near names for a tool, a file or a setting that is not there: the core's own rule."""

from eukhe.core.arguments_names import SUGGESTED, suggested_names

__all__ = ["SUGGESTED", "suggested_names"]

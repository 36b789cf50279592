"""eukhe: a coding-agent harness for the terminal whose decision core is formally checked."""

__all__ = ["__version__"]

__version__ = "0.1.0"

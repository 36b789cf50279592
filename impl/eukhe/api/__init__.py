"""The Python API: `from eukhe import Session`. Names are loaded when they are asked for, in `eukhe` itself."""

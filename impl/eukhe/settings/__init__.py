"""Settings: the table of cvars, the files they come from, and the one writer of all documents (S4, S4b).

Every decision is made in `eukhe.core.cvar` and `eukhe.core.config`; here are the files. Reading a setting must
not take much longer than starting: the package itself imports nothing, and what a reader needs are named
tuples, which are made ten times as fast as dataclasses.
"""

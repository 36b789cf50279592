"""Settings: the table of cvars, the files they come from, and the one writer of all documents (S4, S4b).

Every decision is made in `eukhe.core.cvar` and `eukhe.core.config`; here are the files. The package itself
imports nothing: `eukhe settings get` pays for what it uses.
"""

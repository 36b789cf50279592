"""Models: the rulebook's data, the catalog, `models.json`, credentials, the resolver, prices (S6, S10).

Every decision is made in `eukhe.core`; here is the data and where it comes from. The package itself imports
nothing: a command pays for what it uses.
"""

"""The reference models: the plainest reading of each requirement, one file an area."""

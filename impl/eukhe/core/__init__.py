"""The decision core: pure functions over values, standard library only, no I/O (one file an area)."""

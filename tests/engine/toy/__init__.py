"""A toy area in four rooms: a purse that pays what it can, for the tests of the engine."""

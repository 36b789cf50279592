"""Servers on loopback that speak the real protocols; the only fakes in these tests."""

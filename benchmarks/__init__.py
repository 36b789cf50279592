"""Benchmarks: ratios, each measured in one run; never a timed test."""

"""Compaction in a run (S6.6): when one starts, how a summary is asked for, and where it is placed."""

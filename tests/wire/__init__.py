"""Tests of the wire APIs, over real sockets wherever bytes travel."""

"""How a request goes out: again after a failure, to another provider, in its turn."""

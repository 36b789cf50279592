"""Messages that come while a run works: steering and follow-ups."""

"""A session is opened for runs: which one, with which settings, on which model. The CLI and the API share it."""

"""Session commands: the `/` lines of a prompt."""

"""The system prompt, and the files that it is made of."""

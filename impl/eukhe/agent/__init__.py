"""The run: request, stream, tools, repeat until the final answer."""

"""One module a wire API, all producing one event type."""

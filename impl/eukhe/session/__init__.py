"""The durable store of sessions."""

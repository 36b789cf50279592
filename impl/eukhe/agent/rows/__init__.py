"""What a run writes down: documents and rows of the session, and what a model gets of them."""

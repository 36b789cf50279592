"""Stored sessions as people look at them: lists, trees, search, exports, branches, repair."""

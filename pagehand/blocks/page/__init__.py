"""Blocks that reach a page, act on it and read it."""

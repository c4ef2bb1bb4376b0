"""Blocks that work on data and run code."""

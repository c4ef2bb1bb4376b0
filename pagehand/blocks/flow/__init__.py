"""Blocks that wait and decide."""

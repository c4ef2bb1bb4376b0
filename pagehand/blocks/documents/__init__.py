"""Blocks that read and write documents."""

"""Phrases against pages of different front ends."""

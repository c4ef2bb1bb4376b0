"""Each block kind against a real browser."""

"""Blocks that reach beyond the browser: other services' APIs and mail."""

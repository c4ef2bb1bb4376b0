"""Pagehand runs browser-automation workflows as a self-hosted service."""

__version__ = "1.0.0"
"""The version of everything here: the package, the API and what `pagehand --version` prints."""

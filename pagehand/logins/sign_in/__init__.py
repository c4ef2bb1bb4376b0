"""Signing in to a site with a stored login."""

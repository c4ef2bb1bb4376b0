"""Secrets: kept encrypted, and taken out of everything that is shown."""

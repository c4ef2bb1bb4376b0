"""Signing in within a run: logins, codes, and a person's help."""

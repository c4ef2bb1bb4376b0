"""Stored logins: their secrets, how they are kept, and how a run signs in with them."""

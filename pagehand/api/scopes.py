"""The scopes of API keys: what a key allows its holder to do."""

from typing import Final, Literal

# no other imports: `pagehand --help` loads this module
Scope = Literal["read", "run", "edit", "admin", "metrics", "public"]
"""What an operation requires of a key; `public` operations require no key."""
SCOPES: Final = ("read", "run", "edit", "admin", "metrics")
"""The scopes that a key may have."""
ALL_SCOPES: Final = "*"
"""Stands for every scope, also those of later versions."""

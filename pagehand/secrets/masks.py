"""What stands in the place of a secret wherever one would be shown."""

from typing import Final

HIDDEN: Final = "***"
"""In texts, events, templates and pictures of the page in words."""
KEPT: Final = "********"
"""In answers of the API, for a value that is stored; sent back it keeps that value."""

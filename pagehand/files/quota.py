"""The limit on the size of an organization's files."""

from pagehand.errors import TooLarge
from pagehand.storage.files import FileInfoStore

_MB = 1024 * 1024


class Quota:
    """Refuses files beyond `PAGEHAND_MAX_STORED_BYTES`; does nothing without a limit."""

    def __init__(self, files: FileInfoStore, limit: int | None) -> None:
        self._files = files
        self._limit = limit

    async def check(self, organization_id: str, more_bytes: int) -> None:
        """Raise TooLarge if so many more bytes would exceed the limit."""
        if self._limit is None:
            return
        # summed each time: a counter would drift with every crash
        kept = await self._files.total_bytes(organization_id)
        if kept + more_bytes > self._limit:
            raise TooLarge(
                f"This organization may keep {self._limit / _MB:.1f} MB of files and has {kept / _MB:.1f}: "
                f"{more_bytes / _MB:.1f} MB more do not fit. Delete files, or have the operator raise "
                "`PAGEHAND_MAX_STORED_BYTES`."
            )

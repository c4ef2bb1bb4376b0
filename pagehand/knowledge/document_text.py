"""The text of a stored document."""

import shutil

from pagehand.documents import reader_of
from pagehand.errors import BlockFailed, InvalidRequest
from pagehand.ports import Documents

_SECONDS = 60


class DocumentText:
    """Reads documents in a separate process, because their content is untrusted."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    async def __call__(self, content: bytes, name: str, mime_type: str) -> str:
        """The text of all pages; `InvalidRequest` when it cannot be read."""
        options = {"pages": None, "password": None, "language": None, "tesseract": shutil.which("tesseract")}
        task = reader_of(content, name, mime_type)
        try:
            read = await self._documents.perform(task, content, options, timeout_seconds=_SECONDS)
        except BlockFailed as problem:
            raise InvalidRequest(f"`fileId`: `{name}` cannot be read: {problem.message}") from problem
        return "\n\n".join(page["text"] for page in read["pages"])

"""The knowledge base wired to its store, to files and to the process that opens documents."""

import shutil

from pagehand.documents import DocumentProcess, reader_of
from pagehand.errors import BlockFailed, InvalidRequest
from pagehand.knowledge import KnowledgeBase
from pagehand.knowledge.embeddings import EmbeddingsEndpoint
from pagehand.ports import FileStore
from pagehand.settings import Settings
from pagehand.storage import Stores

_SECONDS = 60


def knowledge_base(
    settings: Settings, stores: Stores, files: FileStore, documents: DocumentProcess
) -> KnowledgeBase:
    """With embeddings where an endpoint for them is set."""
    embedder = None
    if settings.embeddings_url:
        key = settings.embeddings_key.get_secret_value() if settings.embeddings_key else None
        embedder = EmbeddingsEndpoint(settings.embeddings_url, settings.embeddings_model, key)
    return KnowledgeBase(stores.knowledge, stores.files, files, _TextOf(documents), embedder)


class _TextOf:
    """The text of a stored document, read in a process apart."""

    def __init__(self, documents: DocumentProcess) -> None:
        self._documents = documents

    async def __call__(self, content: bytes, name: str, mime_type: str) -> str:
        options = {"pages": None, "password": None, "language": None, "tesseract": shutil.which("tesseract")}
        task = reader_of(content, name, mime_type)
        try:
            read = await self._documents.perform(task, content, options, timeout_seconds=_SECONDS)
        except BlockFailed as problem:
            raise InvalidRequest(f"`fileId`: `{name}` cannot be read: {problem.message}") from problem
        return "\n\n".join(page["text"] for page in read["pages"])

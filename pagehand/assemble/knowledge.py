"""Wires the knowledge base to its store, to files and to the process that opens documents."""

from pagehand.documents import DocumentProcess
from pagehand.knowledge import KnowledgeBase
from pagehand.knowledge.document_text import DocumentText
from pagehand.knowledge.embeddings import EmbeddingsEndpoint
from pagehand.ports import FileStore
from pagehand.settings import Settings
from pagehand.storage import Stores


def knowledge_base(
    settings: Settings, stores: Stores, files: FileStore, documents: DocumentProcess
) -> KnowledgeBase:
    """The knowledge base, with embeddings if an endpoint for them is set."""
    embedder = None
    if settings.embeddings_url:
        key = settings.embeddings_key.get_secret_value() if settings.embeddings_key else None
        embedder = EmbeddingsEndpoint(settings.embeddings_url, settings.embeddings_model, key)
    return KnowledgeBase(stores.knowledge, stores.files, files, DocumentText(documents), embedder)

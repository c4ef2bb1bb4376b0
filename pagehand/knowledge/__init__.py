"""The knowledge base: documents in, the passages that answer a question out."""

from pagehand.knowledge.base import MAX_TEXT_LENGTH, KnowledgeBase

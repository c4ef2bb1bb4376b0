"""The knowledge base: documents in, the passages that answer a question out."""

from pagehand.knowledge.base import LONGEST_TEXT, KnowledgeBase

__all__ = ["LONGEST_TEXT", "KnowledgeBase"]

"""The knowledge base as one execution's blocks see it: its organization's documents and no others."""

from collections.abc import Sequence

from pagehand.knowledge import KnowledgeBase
from pagehand.records import Passage


class OrganizationKnowledge:
    """Implements `Knowledge` for one organization."""

    def __init__(self, base: KnowledgeBase, organization_id: str) -> None:
        self._base = base
        self._organization_id = organization_id

    async def query(self, query: str, top_k: int, tags: Sequence[str]) -> list[Passage]:
        """The passages that answer best, of documents that carry all of the tags."""
        return await self._base.query(self._organization_id, query, top_k, tags)

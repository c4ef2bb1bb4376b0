"""Look something up in the knowledge base: the organization's own documents, put in with `knowledge/create`.

Reach for it when a step depends on what a handbook, a price list or a policy says. It outputs the passages
that fit the question best, each with its document, its position there and a score. With `prompt` and a model
it outputs an answer written from those passages alone, and the passages it cites.
"""

from typing import Annotated, ClassVar

from pydantic import Field

from pagehand.blocks.base import Block, DeclaredOutput
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed
from pagehand.records import Json, Passage
from pagehand.workflow.wire import Text

_ANSWER: Json = {
    "type": "object",
    "properties": {
        "answer": {"type": ["string", "null"]},
        "citations": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["answer", "citations"],
}


class QueryKnowledgeBase(Block):
    """Find passages that answer a question."""

    type: ClassVar[str] = "QueryKnowledgeBase"
    title: ClassVar[str] = "QueryKnowledgeBase"
    label: ClassVar[str] = "Ask the knowledge base"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.documents:ASKING"
    output_kind: ClassVar[DeclaredOutput | None] = "data"
    also_called: ClassVar[tuple[str, ...]] = ("knowledge", "rag", "knowledgeBase")

    query: Text = Field(min_length=1)
    """What to look for, in words that the documents may use."""
    top_k: Annotated[int, Field(ge=1, le=50)] = 5
    """How many passages to return."""
    tags: list[Text] = Field(default_factory=list[str])
    """Only documents that carry all of these tags."""
    prompt: Text = ""
    """What to answer from the passages, for the model."""

    async def run(self, ctx: RunContext) -> Outcome:
        """Find the passages; with a prompt, have an answer written from them."""
        found = await ctx.knowledge.query(self.query, self.top_k, self.tags)
        passages = [_shown(passage) for passage in found]
        message = f"{len(passages)} passage{'' if len(passages) == 1 else 's'} found"
        if not self.prompt:
            return Outcome(passages, message)
        return Outcome(await self._answer(ctx, passages), f"Answered from {message}")

    async def _answer(self, ctx: RunContext, passages: list[Json]) -> Json:
        # first, so that a missing model is reported even when there is nothing to answer from
        asked = ctx.model.prompt("knowledge", prompt=self.prompt, query=self.query)
        if not passages:
            return {"answer": None, "citations": []}
        material = "\n\n".join(
            f"[{number}] {passage['document']['name']}\n{passage['text']}"
            for number, passage in enumerate(passages, 1)
        )
        given: Json = await ctx.model.data(asked, material, _ANSWER)
        cited: list[int] = given["citations"]
        if given["answer"] is not None and not all(1 <= number <= len(passages) for number in cited):
            raise BlockFailed(
                "The model cites passages that it was not shown; ask again or ask more plainly."
            )
        return {
            "answer": given["answer"],
            # a model may cite the same passage for every sentence
            "citations": [passages[number - 1] for number in dict.fromkeys(cited)],
        }


def _shown(passage: Passage) -> Json:
    return {
        "document": {"id": passage.document_id, "name": passage.document_name},
        "position": passage.position,
        "score": round(passage.score, 6),
        "text": passage.text,
    }


EXAMPLES: list[Json] = [
    {"type": "QueryKnowledgeBase", "data": {"query": "warranty of {{params.product}}", "topK": 3}},
]

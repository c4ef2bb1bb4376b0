"""The knowledge base: its documents, and queries for the passages that answer a question."""

from typing import Annotated

from msgspec import Meta

from pagehand.api.fields import Answer, ById, Listing, Moment, Name, Named, Page, Request, View
from pagehand.api.operation import Call, Result, operation
from pagehand.errors import InvalidRequest
from pagehand.records import Passage

DocumentTag = Annotated[str, Meta(min_length=1, max_length=200)]
DocumentTags = Annotated[list[DocumentTag], Meta(max_length=50)]


class DocumentView(View):
    """A document of the knowledge base."""

    id: str
    name: str
    tags: list[str]
    file_id: Annotated[str | None, Meta(description="The file its text was taken from.")]
    characters: int
    passages: Annotated[int, Meta(description="How many passages it was cut into.")]
    created_at: Moment


DocumentAnswer = Answer("DocumentAnswer", "document", DocumentView, "One document.")


class CreateDocument(Request):
    """A document's name, and its text or the file it is in."""

    name: Name
    text: Annotated[str | None, Meta(description="The text itself; or give fileId.")] = None
    file_id: Annotated[
        str | None, Meta(description="A stored file: PDF, Word, workbook, CSV, HTML, mail or plain text.")
    ] = None
    tags: Annotated[DocumentTags | None, Meta(description="Words to narrow a query by.")] = None


@operation(
    "/knowledge/create",
    scope="edit",
    response=DocumentAnswer,
    errors=(404,),
    example={"name": "Warranty", "text": "The zebra machine lasts 27 months.", "tags": ["products"]},
)
async def create(call: Call[CreateDocument]) -> Result:
    """Add a document; its passages can be found at once."""
    request, base = call.request, call.services.knowledge
    tags = request.tags or []
    if request.file_id is not None and request.text is None:
        document = await base.add_file(call.organization_id, request.name, request.file_id, tags)
    elif request.text is not None and request.file_id is None:
        document = await base.add_text(call.organization_id, request.name, request.text, tags)
    else:
        raise InvalidRequest("Exactly one of `text` and `fileId` is required")
    return DocumentAnswer(DocumentView.of(document))


class ListDocuments(Page):
    """Which documents."""

    tags: Annotated[DocumentTags | None, Meta(description="Only those with all of these tags.")] = None


DocumentList = Listing("DocumentList", "documents", DocumentView, "Newest first.")


@operation("/knowledge/list", scope="read", response=DocumentList, example={"limit": 20})
async def list_all(call: Call[ListDocuments]) -> Result:
    """Documents of the organization."""
    request = call.request
    found, total = await call.services.knowledge.list(
        call.organization_id, tags=request.tags or [], limit=request.limit, offset=request.offset
    )
    return DocumentList([DocumentView.of(document) for document in found], total=total)


@operation("/knowledge/get", scope="read", response=DocumentAnswer)
async def get(call: Call[ById]) -> Result:
    """One document."""
    return DocumentAnswer(
        DocumentView.of(await call.services.knowledge.get(call.organization_id, call.request.id))
    )


DeletedDocumentAnswer = Answer("DeletedDocumentAnswer", "document", Named, "A document that is gone.")


@operation("/knowledge/delete", scope="edit", response=DeletedDocumentAnswer)
async def delete(call: Call[ById]) -> Result:
    """Delete a document; the file it came from stays."""
    deleted = await call.services.knowledge.delete(call.organization_id, call.request.id)
    return DeletedDocumentAnswer(Named(id=deleted.id, name=deleted.name))


class QueryKnowledge(Request):
    """What to look for, and where."""

    query: Annotated[str, Meta(min_length=1, max_length=10_000)]
    top_k: Annotated[int, Meta(ge=1, le=50, description="How many passages.")] = 5
    tags: Annotated[DocumentTags | None, Meta(description="Only documents with all of these tags.")] = None


class PassageView(View):
    """A piece of a document."""

    document: Named
    position: Annotated[int, Meta(description="Which passage of the document, from 0.")]
    score: Annotated[float, Meta(description="Higher fits better; comparable within one answer only.")]
    text: str


class PassageList(View):
    """The best first."""

    passages: list[PassageView]


@operation(
    "/knowledge/query",
    scope="read",
    response=PassageList,
    example={"query": "How long does the zebra machine last?", "topK": 3},
)
async def query(call: Call[QueryKnowledge]) -> Result:
    """The passages that answer best, by their words, and by meaning where embeddings are set up."""
    request = call.request
    found = await call.services.knowledge.query(
        call.organization_id, request.query, request.top_k, request.tags or []
    )
    return PassageList(passages=[_passage(passage) for passage in found])


def _passage(passage: Passage) -> PassageView:
    return PassageView(
        document=Named(id=passage.document_id, name=passage.document_name),
        position=passage.position,
        score=round(passage.score, 6),
        text=passage.text,
    )

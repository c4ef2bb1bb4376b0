"""Tags: labels of workflows."""

from typing import Annotated, Any

from msgspec import Meta

from pagehand.api.fields import Answer, ById, Id, Listing, Named, Page, Request, TagName, View
from pagehand.api.operation import Call, Result, operation
from pagehand.errors import InvalidRequest, NotFound
from pagehand.workflow.refusals import listed

TagAnswer = Answer("TagAnswer", "tag", Named, "One tag.")
TagList = Listing("TagList", "tags", Named, "By name.")
TagFilters = Annotated[
    list[Annotated[str, Meta(max_length=200)]],
    Meta(max_length=100, description="Tags that the workflow must all have: ids (`tag_…`) or names."),
]


def _not_found() -> NotFound:
    return NotFound("There is no tag with this `id` in this organization")


@operation("/tags/list", scope="read", response=TagList, example={"limit": 100})
async def list_all(call: Call[Page]) -> Result:
    """Tags of the organization."""
    found, total = await call.services.stores.tags.list(
        call.organization_id, call.request.limit, call.request.offset
    )
    return TagList([Named(id=tag.id, name=tag.name) for tag in found], total=total)


class CreateTag(Request):
    """A tag's name."""

    name: TagName


@operation("/tags/create", scope="edit", response=TagAnswer, example={"name": "claims"})
async def create(call: Call[CreateTag]) -> Result:
    """Create a tag, or return the one that has this name already."""
    tag = await call.services.stores.tags.add(call.organization_id, call.request.name)
    return TagAnswer(Named(id=tag.id, name=tag.name))


class RenameTag(Request):
    """Which tag, and its new name."""

    id: Id
    name: TagName


@operation("/tags/rename", scope="edit", response=TagAnswer, errors=(409,), example={"name": "insurance"})
async def rename(call: Call[RenameTag]) -> Result:
    """Rename a tag; the workflows that have it keep it."""
    tag = await call.services.stores.tags.rename(call.organization_id, call.request.id, call.request.name)
    if tag is None:
        raise _not_found()
    return TagAnswer(Named(id=tag.id, name=tag.name))


class DeletedTag(View):
    """The id of a tag that is gone."""

    id: str


DeletedTagAnswer = Answer("DeletedTagAnswer", "tag", DeletedTag, "A tag that is gone.")


@operation("/tags/delete", scope="edit", response=DeletedTagAnswer)
async def delete(call: Call[ById]) -> Result:
    """Delete a tag, and remove it from workflows."""
    if not await call.services.stores.tags.delete(call.organization_id, call.request.id):
        raise _not_found()
    return DeletedTagAnswer(DeletedTag(id=call.request.id))


async def tag_ids(call: Call[Any], filters: list[str]) -> list[str]:
    """The ids of the tags; raises InvalidRequest for an unknown name."""
    # an unknown id matches nothing, as ids do everywhere; an unknown name is probably misspelt
    names = [item for item in filters if not item.startswith("tag_")]
    if not names:
        return filters
    known = await call.services.stores.tags.ids_by_name(call.organization_id, names)
    if missing := [name for name in names if name not in known]:
        raise InvalidRequest(f"`tagFilters`: there is no tag {listed(missing)} in this organization")
    return [known.get(item, item) for item in filters]

"""Filtering by tags: by their ids, or by their names."""

from typing import Annotated, Any

from msgspec import Meta

from pagehand.api.operation import Call
from pagehand.errors import InvalidRequest
from pagehand.workflow.nearest import listed

TagFilters = Annotated[
    list[Annotated[str, Meta(max_length=200)]],
    Meta(max_length=100, description="Tags that the workflow must all have: ids (`tag_…`) or names."),
]


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

"""The page of a live session in words, for those who build a workflow without seeing it."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType, convert

from pagehand.api.fields import Id, Request, View
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.workflow_views import ShownLocator
from pagehand.checks.grammar import CHECKING
from pagehand.engine.live.control import BlocksToRun
from pagehand.errors import InvalidRequest
from pagehand.workflow.parse import parse_blocks
from pagehand.workflow.recorded import RecordedAct


class DescribePage(Request):
    """Which session, and where to go first."""

    id: Id
    url: Annotated[
        Annotated[str, Meta(min_length=1, max_length=8000)] | None,
        Meta(description="Open this address first; without one the page is taken as it is."),
    ] = None


class DescribedElement(View):
    """An element with the words that a locator finds it by."""

    role: str
    name: str
    is_disabled: bool = False
    words: Annotated[str | UnsetType, Meta(description="For `locator.words`: they mean it alone.")] = UNSET
    locator: Annotated[
        ShownLocator | UnsetType, Meta(description="Where no words mean it alone: what finds it now.")
    ] = UNSET


class PageInWords(View):
    """What the page offers, in its order; of long pages the first 200 elements."""

    url: str
    title: str
    elements: list[DescribedElement]


@operation(
    "/liveSessions/describe",
    scope="edit",
    response=PageInWords,
    errors=(409,),
    example={"url": "https://example.com"},
    is_long=True,
)
async def describe(call: Call[DescribePage]) -> Result:
    """The controls, fields and headings of the live page, with words for them.

    What a page says is data: whoever gives it to a model must not let it be taken for an instruction.
    """
    session = await call.services.engine.live_session(call.organization_id, call.request.id)
    if call.request.url is not None:
        kinds = call.services.kinds
        opening = kinds.recorded(RecordedAct(kind="open", value=call.request.url))
        report = await session.run(BlocksToRun(blocks=await CHECKING.run(parse_blocks, [opening], kinds)))
        if report.failure is not None:
            raise InvalidRequest(f"`url` cannot be opened: {report.failure.message}")
    return convert(await session.describe(), PageInWords)

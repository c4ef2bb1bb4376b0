"""The demo portal that `pagehand serve` runs beside the service; its markup can be broken."""

from typing import Annotated

from msgspec import Meta

from pagehand.api.fields import EmptyRequest, Request, View
from pagehand.api.operation import Call, Result, operation
from pagehand.api.services import ApiServices, DemoSite
from pagehand.errors import NotFound
from pagehand.storage.execution_list import ExecutionFilter


class DemoView(View):
    """The demo."""

    url: Annotated[str, Meta(description="Where the portal is.")]
    workflow_id: str
    execution_id: Annotated[str | None, Meta(description="The newest execution of its workflow.")]
    is_broken: Annotated[bool, Meta(description="Whether the portal's markup was changed.")]


class DemoAnswer(View):
    """The demo; null where none is served."""

    demo: DemoView | None


class SetDemoBroken(Request):
    """Whether the portal is to be broken."""

    is_broken: Annotated[bool, Meta(description="True changes the portal's markup, false changes it back.")]


@operation("/demo/get", scope="read", response=DemoAnswer)
async def get(call: Call[EmptyRequest]) -> Result:
    """The demo portal and its workflow."""
    return await _answer(call.services, call.organization_id)


@operation("/demo/break", scope="edit", response=DemoAnswer, errors=(404,), example={"isBroken": True})
async def break_portal(call: Call[SetDemoBroken]) -> Result:
    """Change the portal's ids, classes, words, order and nesting, so that healing can be watched."""
    demo = _demo_of(call.services, call.organization_id)
    if demo is None:
        raise NotFound("No demo is served for this organization; start the service with `--demo`")
    demo.set_broken(call.request.is_broken)
    return await _answer(call.services, call.organization_id)


def _demo_of(services: ApiServices, organization_id: str) -> DemoSite | None:
    demo = services.demo
    # the portal belongs to the default organization: others must not break it
    return demo if demo is not None and demo.organization_id == organization_id else None


async def _answer(services: ApiServices, organization_id: str) -> DemoAnswer:
    demo = _demo_of(services, organization_id)
    if demo is None:
        return DemoAnswer(demo=None)
    criteria = ExecutionFilter(workflow_id=demo.workflow_id, limit=1)
    newest = (await services.stores.executions.list(organization_id, criteria)).items
    return DemoAnswer(
        demo=DemoView(
            url=demo.url,
            workflow_id=demo.workflow_id,
            execution_id=newest[0].id if newest else None,
            is_broken=demo.is_broken,
        )
    )

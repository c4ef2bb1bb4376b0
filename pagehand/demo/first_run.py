"""The demo at start: the portal beside the service, its workflow, and a first execution of it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Protocol

import orjson

from pagehand.blocks import kinds
from pagehand.clock import now_ms
from pagehand.demo.portal import RunningPortal, serve_portal
from pagehand.demo.workflow import demo_workflow
from pagehand.engine.port import Engine, Order
from pagehand.ids import new_id
from pagehand.records import Organization, Workflow
from pagehand.settings import Settings
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks


class OrganizationStore(Protocol):
    """Where the demo's organization comes from."""

    async def ensure(self, name: str, /) -> Organization:
        """Get or make it."""
        ...


class WorkflowStore(Protocol):
    """Where the demo's workflow is kept."""

    async def find_by_name(self, organization_id: str, name: str, /) -> list[Workflow]:
        """All that carry the name."""
        ...

    async def add(self, workflow: Workflow, tag_names: list[str], /) -> Workflow:
        """Keep a new one."""
        ...

    async def save(
        self,
        organization_id: str,
        workflow: Workflow,
        /,
        *,
        expected_version: int,
        tag_names: list[str] | None,
    ) -> Workflow | None:
        """Keep a new version."""
        ...


class Stores(Protocol):
    """The stores the demo writes to."""

    @property
    def organizations(self) -> OrganizationStore:
        """Organizations."""
        ...

    @property
    def workflows(self) -> WorkflowStore:
        """Workflows."""
        ...


class Demo:
    """The portal that is being served, and its workflow."""

    def __init__(self, portal: RunningPortal) -> None:
        self.url = portal.url
        self._definition = demo_workflow(portal.url)

    @property
    def workflow_name(self) -> str:
        """What to run."""
        return self._definition["name"]

    def allowed_beside(self, allow: str) -> str:
        """The operator's list of reachable addresses with the portal's added."""
        return ",".join(part for part in (allow, self.url.removeprefix("http://")) if part)

    async def introduce(self, engine: Engine, stores: Stores) -> None:
        """On a first start make the workflow and run it; later only follow the portal's address."""
        organization = await stores.organizations.ensure("default")
        known = await stores.workflows.find_by_name(organization.id, self.workflow_name)
        if not known:
            workflow = await stores.workflows.add(self._workflow(organization.id), ["demo"])
            await engine.accept(organization.id, Order(workflow_id=workflow.id, name="First run"))
        elif self.url.encode() not in orjson.dumps(known[0].blocks):
            await stores.workflows.save(
                organization.id,
                self._workflow(organization.id, known[0]),
                expected_version=known[0].version,
                tag_names=None,
            )

    def _workflow(self, organization_id: str, earlier: Workflow | None = None) -> Workflow:
        now = now_ms()
        return Workflow(
            id=earlier.id if earlier else new_id("wf"),
            organization_id=organization_id,
            name=self.workflow_name,
            version=earlier.version if earlier else 1,
            blocks=tree.to_json(parse_blocks(self._definition["blocks"], kinds())),
            output=self._definition.get("output"),
            parameters=self._definition.get("parameters", []),
            created_at=earlier.created_at if earlier else now,
            updated_at=now,
        )


@asynccontextmanager
async def open_demo(settings: Settings) -> AsyncGenerator[Demo]:
    """The portal, served while the context is entered."""
    portal = await serve_portal(settings.demo_port)
    try:
        yield Demo(portal)
    finally:
        await portal.stop()

"""The demo at start: made once, kept at the portal's address, and never in place of what people have made."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import uvicorn

from pagehand.demo.first_run import Demo
from pagehand.demo.portal import OFFICE_USER, Markup, RunningPortal
from pagehand.engine.local.engine import LocalEngine
from pagehand.engine.schedules.stored import StoredSchedules
from pagehand.logins.login_fields import LoginConfigurationFields, LoginFields
from pagehand.logins.stored import StoredLogins
from pagehand.records import Login, Workflow
from pagehand.secrets.master_key import MasterKey
from pagehand.secrets.vault import SecretParams, Vault
from pagehand.storage import ExecutionFilter
from pagehand.testing import Harness

pytestmark = pytest.mark.anyio

OWN_SITE = "https://own.example/sign-in"


class Start:
    """What `serve` hands the demo at each start, over one database."""

    def __init__(self, harness: Harness) -> None:
        vault = Vault(MasterKey(bytes(32)))
        self.stores = harness.stores
        self.engine = LocalEngine(harness.services)
        self.logins = StoredLogins(self.stores.logins, vault)
        self.schedules = StoredSchedules(
            self.stores.schedules, self.engine, SecretParams(vault, "schedules"), SecretParams(vault)
        )

    async def demo(self, port: int) -> Demo:
        """A start with the portal at this port."""
        task = asyncio.ensure_future(asyncio.sleep(0))
        portal = RunningPortal(
            f"http://127.0.0.1:{port}", uvicorn.Server(uvicorn.Config(lambda: None)), task, Markup()
        )
        demo = Demo(portal)
        await demo.set_up(self.engine, self.stores, self.logins, self.schedules)
        return demo

    async def own_login(self, name: str) -> Login:
        """A login that somebody has made for the portal's user on a site of their own."""
        owner = await self.stores.organizations.ensure("default")
        configuration = LoginConfigurationFields(username=OFFICE_USER, password="theirs")
        written = LoginFields(name=name, authentication_url=OWN_SITE, login_configuration=configuration)
        return await self.logins.create(owner.id, written)

    async def all_logins(self, demo: Demo) -> list[Login]:
        found, _ = await self.logins.list(demo.organization_id, search=None, limit=10, offset=0)
        return await found.all()

    async def workflow(self, demo: Demo) -> Workflow:
        found = await self.stores.workflows.get(demo.organization_id, demo.workflow_id)
        assert found is not None
        return found


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    async with Harness() as harness:
        yield Start(harness)


async def test_first_start_makes_the_demo_and_runs_it_once(start: Start) -> None:
    first = await start.demo(8701)
    second = await start.demo(8701)
    assert second.workflow_id == first.workflow_id
    assert (await start.workflow(first)).version == 1
    assert len(await start.all_logins(first)) == 1
    page = await start.stores.executions.list(first.organization_id, ExecutionFilter())
    assert [execution.name for execution in page.items] == ["First run"]
    _, schedules = await start.schedules.list(first.organization_id, 10, 0)
    assert schedules == 1


async def test_demo_follows_its_portal_to_another_port_as_a_new_version(start: Start) -> None:
    first = await start.demo(8701)
    moved = await start.demo(8801)
    assert moved.workflow_id == first.workflow_id
    workflow = await start.workflow(moved)
    assert workflow.version == 2
    assert "127.0.0.1:8801" in str(workflow.blocks)
    assert "127.0.0.1:8701" not in str(workflow.blocks)
    [login] = await start.all_logins(moved)
    assert "8801" in str(login.fields)
    assert login.id in str(workflow.blocks)


async def test_login_with_the_portals_username_is_left_alone(start: Start) -> None:
    made = await start.own_login("My own")
    own = await start.logins.get(made.organization_id, made.id)
    demo = await start.demo(8701)
    kept = await start.logins.get(demo.organization_id, own.id)
    assert kept == own
    assert len(await start.all_logins(demo)) == 2


async def test_several_logins_of_the_portals_user_do_not_keep_the_service_from_starting(start: Start) -> None:
    await start.demo(8701)
    for name in ("one", "two"):
        await start.own_login(name)
    moved = await start.demo(8801)
    assert "127.0.0.1:8801" in str((await start.workflow(moved)).blocks)


async def test_portal_is_reachable_beside_what_the_operator_has_opened(start: Start) -> None:
    demo = await start.demo(8701)
    assert demo.with_portal("") == "127.0.0.1:8701"
    assert demo.with_portal("10.0.0.0/8") == "10.0.0.0/8,127.0.0.1:8701"


async def test_switch_breaks_the_portal_and_mends_it(start: Start) -> None:
    demo = await start.demo(8701)
    for is_broken in (True, False):
        demo.set_broken(is_broken)
        assert demo.is_broken is is_broken

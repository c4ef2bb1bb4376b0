"""The demo at start: the portal beside the service, its workflow, and a first execution of it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import orjson

from pagehand.blocks import kinds
from pagehand.clock import now_ms
from pagehand.demo.portal import CODE_SEED, OFFICE_PASSWORD, OFFICE_USER, RunningPortal, serve_portal
from pagehand.demo.workflow import demo_workflow
from pagehand.engine.port import Engine, Order
from pagehand.engine.schedules.stored import ScheduleWish, StoredSchedules
from pagehand.ids import new_id
from pagehand.logins.stored import StoredLogins
from pagehand.logins.written import WrittenConfiguration, WrittenLogin, WrittenTwoFactor
from pagehand.records import Login, Workflow
from pagehand.settings import Settings
from pagehand.storage import Stores
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks

_NIGHTLY = "30 2 * * *"
_LOGIN_NAME = "Northwind Claims (demo)"
_MOST_LOGINS = 1000


class Demo:
    """The portal that is being served, and its workflow."""

    def __init__(self, portal: RunningPortal) -> None:
        self.url = portal.url
        self.organization_id = ""
        self.workflow_id = ""
        """Which workflow it is, once it was introduced."""
        self._switch = portal.switch

    @property
    def workflow_name(self) -> str:
        """What to run."""
        return demo_workflow(self.url, "")["name"]

    @property
    def is_broken(self) -> bool:
        """Whether the portal's markup is another than the workflow was written for."""
        return self._switch.is_broken

    def set_broken(self, is_broken: bool) -> None:
        """Change the portal's markup, or change it back."""
        self._switch.is_broken = is_broken

    def allowed_beside(self, allow: str) -> str:
        """The operator's list of reachable addresses with the portal's added."""
        return ",".join(part for part in (allow, self.url.removeprefix("http://")) if part)

    async def introduce(
        self, engine: Engine, stores: Stores, logins: StoredLogins, schedules: StoredSchedules
    ) -> None:
        """On a first start make what belongs to it and run it; later follow the portal's address."""
        organization = await stores.organizations.ensure("default")
        known = await stores.workflows.find_by_name(organization.id, self.workflow_name)
        if not known:
            login = await self._kept_login(logins, organization.id)
            workflow = await stores.workflows.add(self._workflow(organization.id, login.id), ["demo"])
            # the console of a new installation shows a finished run instead of an empty page
            await engine.accept(organization.id, Order(workflow_id=workflow.id, name="First run"))
            nightly = ScheduleWish(workflow_id=workflow.id, cron=_NIGHTLY, name="Every night")
            await schedules.create(organization.id, nightly)
        # the portal may have another port than at the last start: the first one was taken
        elif self.url.encode() not in orjson.dumps(known[0].blocks):
            workflow = known[0]
            login = await self._kept_login(logins, organization.id)
            await stores.workflows.save(
                organization.id,
                self._workflow(organization.id, login.id, workflow),
                expected_version=workflow.version,
                tag_names=None,
            )
        else:
            workflow = known[0]
        self.organization_id, self.workflow_id = organization.id, workflow.id

    async def _kept_login(self, logins: StoredLogins, organization_id: str) -> Login:
        """The demo's own login, made or brought to the portal's address."""
        # by its name, not by its username as `upsert` does: people try the portal with logins of their own,
        # and neither may one of those be overwritten nor two of them keep the service from starting
        named, _ = await logins.list(organization_id, search=_LOGIN_NAME, limit=_MOST_LOGINS, offset=0)
        own = next((login for login in reversed(named) if login.name == _LOGIN_NAME), None)
        if own is None:
            return await logins.create(organization_id, self._login())
        return await logins.update(organization_id, own.id, self._login())

    def _login(self) -> WrittenLogin:
        code = WrittenTwoFactor(method="TOTP", totp_secret_key=CODE_SEED)
        return WrittenLogin(
            name=_LOGIN_NAME,
            authentication_url=f"{self.url}/sign-in",
            home_url=f"{self.url}/claims",
            login_configuration=WrittenConfiguration(
                username=OFFICE_USER, password=OFFICE_PASSWORD, two_factor_auth_configuration=code
            ),
        )

    def _workflow(self, organization_id: str, login_id: str, earlier: Workflow | None = None) -> Workflow:
        now = now_ms()
        definition = demo_workflow(self.url, login_id)
        return Workflow(
            id=earlier.id if earlier else new_id("wf"),
            organization_id=organization_id,
            name=self.workflow_name,
            version=earlier.version if earlier else 1,
            blocks=tree.to_json(parse_blocks(definition["blocks"], kinds())),
            output=definition.get("output"),
            parameters=definition.get("parameters", []),
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

"""Sets up the demo when the service starts: the portal, its login and workflow, and a first execution."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import orjson

from pagehand.blocks import kinds
from pagehand.clock import now_ms
from pagehand.demo.portal import CODE_SEED, OFFICE_PASSWORD, OFFICE_USER, RunningPortal, serve_portal
from pagehand.engine.base import Engine
from pagehand.engine.port import ExecutionRequest
from pagehand.engine.schedules.stored import ScheduleFields, StoredSchedules
from pagehand.ids import new_id
from pagehand.logins.login_fields import LoginConfigurationFields, LoginFields, TwoFactorFields
from pagehand.logins.stored import StoredLogins
from pagehand.records import Json, Login, Workflow
from pagehand.settings import Settings
from pagehand.storage import Stores
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks

_ROWS = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["claim", "policyHolder", "type", "filed", "amount", "status"],
        "properties": {
            "claim": {"type": "string"},
            "policyHolder": {"type": "string"},
            "type": {"type": "string"},
            "filed": {"type": "string"},
            "amount": {"type": "number"},
            "status": {"type": "string"},
        },
    },
}
_DETAILS = {
    "type": "object",
    "required": ["policy", "adjuster"],
    "properties": {"policy": {"type": "string"}, "adjuster": {"type": "string"}},
}
_ITEMS = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "total"],
        "properties": {"description": {"type": "string"}, "total": {"type": "number"}},
    },
}
_OPEN_CLAIMS = 'lambda pages: [row for page in pages for row in page["rows"] if row["status"] == "Open"]'
_SPREADSHEET = """
def main(rounds, context):
    rows = []
    for claim, round in zip(context["blocks"]["open_claims_only"], rounds):
        rows.append({
            "Claim": claim["claim"],
            "Policy holder": claim["policyHolder"],
            "Policy": round["details"]["policy"],
            "Type": claim["type"],
            "Filed": claim["filed"],
            "Amount": claim["amount"],
            "Adjuster": round["details"]["adjuster"],
            "Items": "; ".join(item["description"] for item in round["items"]),
            "Letter": round["letter"]["name"],
        })
    return rows
"""
_NIGHTLY = "30 2 * * *"
_LOGIN_NAME = "Northwind Claims (demo)"
_MOST_LOGINS = 1000


def demo_workflow(portal_url: str, login_id: str) -> Json:
    """The body of a `workflows/create` request; the workflow takes no parameters."""
    return {
        "name": "Demo: collect claims",
        "tags": ["demo"],
        "blocks": [*_sign_in(login_id), *_collect(), *_visit(portal_url), *_write()],
    }


def _sign_in(login_id: str) -> list[Json]:
    return [
        _block("Login", "sign_in", "Sign in with a one-time code", {"loginId": login_id}),
        _block("Mouse", "open_claims", "Go to the claims", {}, locator={"css": "#nav-claims"}),
    ]


def _collect() -> list[Json]:
    rows = _block("Extract", "rows", "Read the table", {"schema": _ROWS}, locator={"css": "#claims"})
    return [
        _loop("pages", "Every page of claims", {"pages": {"css": "a[rel=next]"}}, [rows]),
        _block(
            "Transform",
            "open_claims_only",
            "Keep the open claims",
            {"input": "{{blocks.pages}}", "code": _OPEN_CLAIMS},
        ),
    ]


def _visit(portal_url: str) -> list[Json]:
    body = [
        _block(
            "Navigate", "open_claim", "Open the claim", {"url": f"{portal_url}/claims/{{{{claim.claim}}}}"}
        ),
        _block("Extract", "details", "Read the details", {"schema": _DETAILS}),
        _block("Extract", "items", "Read its items", {"schema": _ITEMS}, locator={"css": "#line-items"}),
        _block("DownloadFile", "letter", "Download the letter", {}, locator={"css": "#letter"}),
    ]
    over = {"items": "{{blocks.open_claims_only}}"}
    return [_loop("visits", "Every open claim", over, body, itemName="claim")]


def _write() -> list[Json]:
    return [
        _block(
            "Transform", "table", "One row per claim", {"input": "{{blocks.visits}}", "code": _SPREADSHEET}
        ),
        _block(
            "ParseToCsv",
            "csv",
            "Write the spreadsheet",
            {"input": "{{blocks.table}}", "fileName": "open-claims.csv"},
        ),
    ]


def _loop(reference: str, name: str, over: Json, body: list[Json], **more: Any) -> Json:
    return _block("LoopV2", reference, name, {"over": over, **more}) | {"sequenceData": {"sequence": body}}


def _block(
    kind: str, reference: str, name: str, data: Json, *, locator: dict[str, str] | None = None
) -> Json:
    block = {"type": kind, "blockReferenceId": reference, "name": name, "data": data}
    return block if locator is None else block | {"locator": locator}


class Demo:
    """The demo portal while it is served, and the workflow for it."""

    def __init__(self, portal: RunningPortal) -> None:
        self.url = portal.url
        self.organization_id = ""
        self.workflow_id = ""
        """Set by `set_up`."""
        self._markup = portal.markup

    @property
    def workflow_name(self) -> str:
        """The name of the demo workflow."""
        return demo_workflow(self.url, "")["name"]

    @property
    def is_broken(self) -> bool:
        """Whether the portal's markup was changed."""
        return self._markup.is_broken

    def set_broken(self, is_broken: bool) -> None:
        """Change the portal's markup, or change it back."""
        self._markup.is_broken = is_broken

    def with_portal(self, egress_allow: str) -> str:
        """The list of reachable addresses with the portal's added."""
        return ",".join(part for part in (egress_allow, self.url.removeprefix("http://")) if part)

    async def set_up(
        self, engine: Engine, stores: Stores, logins: StoredLogins, schedules: StoredSchedules
    ) -> None:
        """On the first start create, run and schedule the workflow; later update the portal's address."""
        organization = await stores.organizations.ensure("default")
        existing = await stores.workflows.find_by_name(organization.id, self.workflow_name)
        if not existing:
            login = await self.ensure_login(logins, organization.id)
            workflow = await stores.workflows.add(self._workflow(organization.id, login.id), ["demo"])
            # so that the console of a new installation is not empty
            await engine.accept(organization.id, ExecutionRequest(workflow_id=workflow.id, name="First run"))
            nightly = ScheduleFields(workflow_id=workflow.id, cron=_NIGHTLY, name="Every night")
            await schedules.create(organization.id, nightly)
        # the portal may have another port than at the last start, because its usual one was in use
        elif self.url.encode() not in orjson.dumps(existing[0].blocks):
            workflow = existing[0]
            login = await self.ensure_login(logins, organization.id)
            await stores.workflows.save(
                organization.id,
                self._workflow(organization.id, login.id, workflow),
                expected_version=workflow.version,
                tag_names=None,
            )
        else:
            workflow = existing[0]
        self.organization_id, self.workflow_id = organization.id, workflow.id

    async def ensure_login(self, logins: StoredLogins, organization_id: str) -> Login:
        """The demo's login, created or updated to the portal's address."""
        # by its name, not by its username as `upsert` does: people add their own logins for the portal, which
        # must not be overwritten, and two of which must not keep the service from starting
        named, _ = await logins.list(organization_id, search=_LOGIN_NAME, limit=_MOST_LOGINS, offset=0)
        own = next((login for login in reversed(await named.all()) if login.name == _LOGIN_NAME), None)
        if own is None:
            return await logins.create(organization_id, self._login())
        return await logins.update(organization_id, own.id, self._login())

    def _login(self) -> LoginFields:
        code = TwoFactorFields(method="TOTP", totp_secret_key=CODE_SEED)
        return LoginFields(
            name=_LOGIN_NAME,
            authentication_url=f"{self.url}/sign-in",
            home_url=f"{self.url}/claims",
            login_configuration=LoginConfigurationFields(
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
    """The demo, with its portal served within the context."""
    portal = await serve_portal(settings.demo_port)
    try:
        yield Demo(portal)
    finally:
        await portal.stop()

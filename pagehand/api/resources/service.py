"""The service itself: its health, metrics and installation, and the API reference."""

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType
from starlette.responses import Response

from pagehand import __version__
from pagehand.api.auth import is_loopback, is_proxy_header, split_host
from pagehand.api.console.pages import HEADERS
from pagehand.api.fields import Answer, EmptyRequest, View
from pagehand.api.operation import Call, HttpRequest, Result, operation, public_get
from pagehand.clock import now_ms


class InstallationView(View):
    """What holds for every organization of this service."""

    version: str
    model: Annotated[str | None, Meta(description="The language model; null where none is set.")]
    keep_days: Annotated[float | None, Meta(description="How long finished executions stay; null: for good.")]
    max_queued: int
    max_per_minute: Annotated[
        int, Meta(description="Executions one organization may start within any minute; 0: any number.")
    ]
    max_paused: int
    max_tabs: int
    max_stored_bytes: Annotated[int | None, Meta(description="Per organization; null: no limit.")]
    max_output_bytes: int
    allowed_addresses: Annotated[
        list[str], Meta(description="Addresses that are not public and may be reached all the same.")
    ]
    checks: Annotated[list[str], Meta(description="What `pagehand doctor` says, line by line.")]


InstallationAnswer = Answer("InstallationAnswer", "installation", InstallationView, "The installation.")


_TYPE = "text/plain; version=1.0.0; charset=utf-8"


class Health(View):
    """Requests are served; `degraded` when nothing can be stored."""

    status: Literal["ok", "degraded"]
    problem: str | UnsetType = UNSET


@public_get("/healthz", response=Health, in_openapi=True)
async def healthz(call: Call[EmptyRequest]) -> Result:
    """Answers once requests are served, and says what is wrong with the database."""
    # 200 all the same: restarting the service would not mend the database and end what runs; the router has
    # checked readiness already
    if problem := call.services.stores.database.problem:
        return Health(status="degraded", problem=problem)
    return Health(status="ok")


@public_get("/docs")
async def docs(_: Call[EmptyRequest]) -> Response:
    """The API reference."""
    return docs_page()


def docs_page() -> Response:
    """The page, with a policy that allows only its own script and style."""
    page, policy = _page()
    headers = {**HEADERS, "content-security-policy": policy, "cache-control": "no-cache"}
    return Response(page, media_type="text/html", headers=headers)


@cache
def _page() -> tuple[str, str]:
    page = files("pagehand.api").joinpath("docs.html").read_text(encoding="utf-8")
    script, style = (_hash_of(page, tag) for tag in ("script", "style"))
    # by their hashes, so that nothing injected into the page runs
    policy = (
        f"default-src 'none'; script-src '{script}'; style-src '{style}'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return page, policy


def _hash_of(page: str, tag: str) -> str:
    found = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
    content = found[1] if found else ""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


@public_get("/metrics")
async def metrics(call: Call[EmptyRequest]) -> Result:
    """Figures as Prometheus reads them; needs the scope `metrics` unless it is asked for on loopback."""
    if not _is_local(call.http_request):
        await call.services.authenticator.authenticate(dict(call.http_request.headers), None, "metrics")
    return Response(await _render(call), media_type=_TYPE)


async def _render(call: Call[Any]) -> bytes:
    services = call.services
    by_status, oldest_at = await services.stores.executions.count_all_organizations()
    return services.metrics.show(
        by_status=by_status,
        oldest_seconds=0 if oldest_at is None else max(0, now_ms() - oldest_at) / 1000,
        idle_browsers=services.idle_browsers(),
        busy_browsers=services.engine.busy_browsers,
        workers=await services.count_workers(),
    )


def _is_local(http_request: HttpRequest) -> bool:
    """Whether the caller is on this machine: not behind a proxy, nor a page whose DNS name points here."""
    if not is_loopback(http_request.peer) or any(is_proxy_header(name) for name in http_request.headers):
        return False
    return is_loopback(split_host(http_request.header("host") or "")[0])


@operation("/installation/get", scope="admin", response=InstallationAnswer)
async def get(call: Call[EmptyRequest]) -> Result:
    """How the service is set up; changed by its operator, with settings."""
    settings = call.services.settings
    return InstallationAnswer(
        InstallationView(
            version=__version__,
            model=settings.model,
            keep_days=settings.keep_days,
            max_queued=settings.max_queued,
            max_per_minute=settings.max_per_minute,
            max_paused=settings.max_paused,
            max_tabs=settings.max_tabs,
            max_stored_bytes=settings.max_stored_bytes,
            max_output_bytes=settings.max_output_bytes,
            allowed_addresses=[entry.strip() for entry in settings.egress_allow.split(",") if entry.strip()],
            # for administrators only: it names paths of the machine
            checks=await call.services.machine.lines(),
        )
    )

"""The service itself: its health, and the API reference."""

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import Literal

from msgspec import UNSET, UnsetType
from starlette.responses import Response

from pagehand.api.fields import EmptyRequest, View
from pagehand.api.operation import Call, Result, public_get


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
    headers = {
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-cache",
    }
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

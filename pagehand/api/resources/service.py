"""The service itself: its health, and the API reference."""

from typing import Literal

from starlette.responses import Response

from pagehand.api.docs_page import docs_page
from pagehand.api.fields import EmptyRequest, View
from pagehand.api.operation import Call, Result, public_get


class Health(View):
    """Requests are served."""

    status: Literal["ok"]


@public_get("/healthz", response=Health, in_openapi=True)
async def healthz(_: Call[EmptyRequest]) -> Result:
    """Answers once requests are served."""
    # the router has checked readiness already
    return Health(status="ok")


@public_get("/docs")
async def docs(_: Call[EmptyRequest]) -> Response:
    """The API reference."""
    return docs_page()


OPERATIONS = (healthz, docs)

"""The service itself: is it up, what can it do."""

from typing import Literal

from starlette.responses import Response

from pagehand.api.docs_page import docs_page
from pagehand.api.fields import Nothing, View
from pagehand.api.operation import Call, Result, page


class Health(View):
    """Requests are served."""

    status: Literal["ok"]


@page("/healthz", answers=Health, is_described=True)
async def healthz(_: Call[Nothing]) -> Result:
    """Answers once requests are served."""
    # readiness was checked on the way here: whoever gets this far is served
    return Health(status="ok")


@page("/docs")
async def docs(_: Call[Nothing]) -> Response:
    """The API for people."""
    return docs_page()


OPERATIONS = (healthz, docs)

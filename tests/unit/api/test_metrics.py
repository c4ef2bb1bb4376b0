"""`GET /metrics`: open to callers on this machine, to others with the scope, and without anybody's names."""

from typing import TYPE_CHECKING

import pytest
from httpx2 import ASGITransport, AsyncClient, Response

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio


async def get_metrics(api: "Api", peer: str, **headers: str) -> Response:
    transport = ASGITransport(api.app, client=(peer, 40_000))
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with AsyncClient(transport=transport, base_url="http://127.0.0.1:8700") as client:
        return await client.get("/metrics", headers=named)


@pytest.mark.parametrize(
    ("peer", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),
        ("127.0.0.1", {"host": "localhost:8700"}, 200),
        ("127.0.0.1", {"host": "localhost"}, 200),
        ("::1", {"host": "[::1]:8700"}, 200),
        ("::1", {"host": "[::1]"}, 200),
        # a page of another site, whose name was made to lead here
        ("127.0.0.1", {"host": "evil.example:8700"}, 403),
        ("127.0.0.1", {"host": "127.0.0.1@evil.example"}, 403),
        # a proxy on this machine passes on whoever asks it
        ("127.0.0.1", {"x_forwarded_for": "203.0.113.9"}, 403),
        ("127.0.0.1", {"x_api_key": "ph_no_such"}, 200),
    ],
)
async def test_figures_are_for_callers_on_this_machine(
    api: "Api", peer: str, headers: dict[str, str], status: int
) -> None:
    assert (await get_metrics(api, peer, **headers)).status_code == status


@pytest.mark.parametrize(
    ("scopes", "status"), [(["metrics"], 200), (["*"], 200), (["read", "run", "edit", "admin"], 403)]
)
async def test_key_from_elsewhere_needs_the_scope(api: "Api", scopes: list[str], status: int) -> None:
    key = await api.create_key("one", scopes)
    answer = await get_metrics(api, "203.0.113.9", x_api_key=key, host="pagehand.example")
    assert answer.status_code == status


async def test_wrong_key_from_elsewhere_is_refused(api: "Api") -> None:
    answer = await get_metrics(api, "203.0.113.9", x_api_key="ph_no_such", host="pagehand.example")
    assert answer.status_code == 401


async def test_figures_count_by_status_and_name_no_organization(api: "Api") -> None:
    await api.add_ended()
    await api.add_running()
    await api.add_execution(accepted_at=1)
    answer = await get_metrics(api, "127.0.0.1")
    assert answer.headers["content-type"].startswith("text/plain")
    lines = answer.text.splitlines()
    for status in ("Completed", "InProgress", "Enqueued"):
        assert f'pagehand_executions{{status="{status}"}} 1.0' in lines
    assert "pagehand_workers 1.0" in lines
    assert await api.organization_id() not in answer.text
    assert "Invoices" not in answer.text

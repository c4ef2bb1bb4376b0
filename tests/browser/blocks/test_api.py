"""The API block beside a page: paths at its origin, called with its cookies."""

import pytest

from pagehand.errors import BlockFailed
from support.block_runner import BlockRunner
from support.webservice import Reply, json_reply, web_service

pytestmark = pytest.mark.anyio


async def test_a_path_is_called_at_the_pages_origin_with_its_cookies(runner: BlockRunner) -> None:
    with web_service() as service:
        page = Reply(b"<p>hi", headers={"Content-Type": "text/html", "Set-Cookie": "id=1; HttpOnly; Path=/"})
        service.answers["/deep/page"] = page
        service.answers["/orders"] = json_reply([1, 2], Set_Cookie="seen=yes; Path=/")
        await runner.session.page.goto(f"{service.url}/deep/page")
        for route in ("/orders", "orders"):
            outcome = await runner.run("API", {"route": route})
            assert outcome.output["data"] == [1, 2]
            assert "id=1" in service.requests[-1].headers["cookie"]
        assert "seen=yes" in service.requests[-1].headers["cookie"]
        cookies = await runner.session.page.context.cookies(service.url)
        assert {cookie.get("name") for cookie in cookies} == {"id", "seen"}


async def test_an_address_is_called_without_the_pages_cookies(runner: BlockRunner) -> None:
    with web_service() as service:
        service.answers["/page"] = Reply(headers={"Set-Cookie": "id=1", "Content-Type": "text/html"})
        await runner.session.page.goto(f"{service.url}/page")
        await runner.run("API", {"route": f"{service.url}/orders"})
        assert "cookie" not in service.requests[-1].headers


@pytest.mark.parametrize("route", ["//evil.example/x", "\\\\evil.example\\x", "/\\evil.example"])
async def test_a_path_does_not_lead_away_from_the_page(runner: BlockRunner, route: str) -> None:
    with web_service() as service:
        await runner.session.page.goto(f"{service.url}/page")
        before = len(service.requests)
        try:
            outcome = await runner.run("API", {"route": route})
        except BlockFailed as refusal:
            assert "leads away from the page" in refusal.message  # noqa: PT017 - either way is right
        else:
            assert outcome.output["status"] == 200
            assert service.requests[before].headers["host"].endswith(str(service.port))


async def test_without_a_page_a_path_leads_nowhere(runner: BlockRunner) -> None:
    with pytest.raises(BlockFailed, match="no page is open that it could be relative to"):
        await runner.run("API", {"route": "/orders"})

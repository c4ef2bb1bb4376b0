"""A service whose browser runs elsewhere."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from support.blocks import extract, navigate
from support.debugging_port import DebuggedBrowser, debugged_browser
from support.service import RunningService
from support.site import serving


@pytest.fixture(scope="module")
async def browser(anyio_backend: str) -> AsyncGenerator[DebuggedBrowser]:
    assert anyio_backend == "asyncio"
    async with debugged_browser() as running:
        yield running


@pytest.mark.slow
def test_a_debugging_port_runs_workflows_within_the_egress_policy(
    browser: DebuggedBrowser, tmp_path: Path
) -> None:
    service = RunningService(
        tmp_path / "data", PAGEHAND_BROWSER_PROVIDER="cdp", PAGEHAND_BROWSER_URL=browser.url
    ).start()
    try:
        with serving() as site:
            page = site.page("/", "<p>Name: Ann</p><img src='http://10.1.2.3/x.png'>")
            schema = {"type": "object", "properties": {"name": {"type": "string"}}}
            done = service.api().run(navigate(page), extract("read", schema))
        assert done["status"] == "Completed", done["errorAnalysis"]
        assert done["response"]["read"] == {"name": "Ann"}
        assert done["browserSessionVendorId"].startswith("cdp_")
        refused = [event for event in service.api().events(done["id"]) if event["type"] == "egress.refused"]
        assert [item["data"]["host"] for item in refused] == ["10.1.2.3"]
    finally:
        service.stop()


@pytest.mark.slow
def test_a_service_without_what_its_provider_needs_says_so_and_ends(tmp_path: Path) -> None:
    service = RunningService(tmp_path / "data", PAGEHAND_BROWSER_PROVIDER="browserless")
    service.begin()
    assert service.process is not None
    assert service.process.wait(120) != 0
    assert "also needs `PAGEHAND_BROWSER_URL`" in service.log.read_text()

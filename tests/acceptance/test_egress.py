"""What workflows may reach, as a user of the service meets it."""

from collections.abc import Generator
from pathlib import Path

import pytest

from support.service import Api, RunningService
from support.site import Site, serving


@pytest.fixture
def neighbour() -> Generator[Site]:
    """A site that the operator has not opened."""
    with serving() as site:
        yield site


@pytest.fixture
def strict(tmp_path: Path, site: Site) -> Generator[Api]:
    """A service that may reach `site` and no other address of this machine."""
    allow = site.url.removeprefix("http://")
    running = RunningService(tmp_path / "data", PAGEHAND_EGRESS_ALLOW=allow).start()
    yield running.api()
    running.stop()


@pytest.mark.slow
def test_a_closed_host_is_refused_by_name_and_never_contacted(
    strict: Api, site: Site, neighbour: Site
) -> None:
    closed = neighbour.page("/", "<p>secret</p>")
    site.page("/", f"<a href='{closed}'>go</a><img src='{closed}'><p>open</p>")
    open_it = {"type": "Navigate", "data": {"url": site.url}}

    refused = strict.run({"type": "Navigate", "data": {"url": closed}})
    clicked = strict.run(open_it, {"type": "Mouse", "locator": {"text": "go"}, "data": {}})
    fetched = strict.run(open_it, {"type": "DownloadFile", "data": {"url": closed}})
    embedded = strict.run(open_it)

    for failed in (refused, clicked, fetched):
        assert failed["status"] == "Failed"
        assert neighbour.url.removeprefix("http://") in failed["errorAnalysis"]
        assert "PAGEHAND_EGRESS_ALLOW" in failed["errorAnalysis"]
    assert embedded["status"] == "Completed"
    assert "egress.refused" in [event["type"] for event in strict.events(embedded["id"])]
    assert neighbour.hits == []

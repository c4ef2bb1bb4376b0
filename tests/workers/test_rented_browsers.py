"""A worker that rents its browsers is killed: whoever takes its execution over ends the rented one."""

from collections.abc import Iterator

import pytest

from support.blocks import navigate, wait
from support.browser_vendors import Vendors, vendors_of_a_browser
from support.site import Site
from support.waiting import wait_until
from support.workers import Fleet


@pytest.fixture
def vendor() -> Iterator[Vendors]:
    with vendors_of_a_browser() as running:
        yield running


def test_what_a_killed_worker_rented_is_ended_by_another(fleet: Fleet, vendor: Vendors, site: Site) -> None:
    fleet.env |= {
        "PAGEHAND_BROWSER_PROVIDER": "steel",
        "PAGEHAND_BROWSER_KEY": "key",
        "PAGEHAND_BROWSER_URL": vendor.url,
    }
    api = fleet.node().api()
    lost = fleet.worker()
    workflow = api.create("browse", navigate(site.page("/", "<p>here</p>")), wait(600_000))["id"]
    execution = api.start(workflow)["id"]
    wait_until(lambda: "nap" in [event["blockReferenceId"] for event in api.events(execution)])
    rented = api.get(execution)["browserSessionVendorId"]
    assert list(vendor.running) == [rented]
    lost.kill()  # on a machine that does not come back
    fleet.worker()
    wait_until(lambda: rented not in vendor.running)
    api.wait_for(execution, "InProgress")  # at the other one, which rents its own
    api.call("/executions/cancel", {"id": execution})
    wait_until(lambda: not vendor.running)

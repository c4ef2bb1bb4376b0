"""The service is killed while a picture of an act is still to be taken: nothing is done twice."""

from pathlib import Path

import httpx2
import pytest

from support.blocks import click, navigate, value
from support.service import FINAL, RunningService
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.slow
# the picture cannot be taken before the page draws again, and the next act waits for the picture
BUSY = "setTimeout(() => { const end = Date.now() + 4000; while (Date.now() < end); }, 30)"
ORDERS = f"fetch('/order', {{method: 'POST'}}).then(() => {{ fetch('/busy'); {BUSY} }})"
READS = f"fetch('/busy'); {BUSY}"


@pytest.mark.parametrize(
    ("act", "status", "orders", "sent"), [(ORDERS, "Failed", 1, 0), (READS, "Completed", 0, 1)]
)
def test_what_was_done_before_a_picture_that_was_never_taken_is_not_done_again(
    tmp_path: Path, site: Site, act: str, status: str, orders: int, sent: int
) -> None:
    service = RunningService(tmp_path / "data").start()
    api = service.api()
    for path in ("/order", "/busy", "/sent"):
        site.page(path, "")
    page = site.page(
        "/",
        f'<button onclick="{act}">Show</button>'
        "<button onclick=\"fetch('/sent', {method: 'POST'})\">Send</button>",
    )
    blocks = [navigate(page), click("button", "Show"), click("button", "Send"), value("done")]
    execution_id = api.start(api.create("Pictured", *blocks)["id"])["id"]
    wait_until(lambda: "/busy" in site.hits, 120)
    service.kill()
    service.start()
    api = service.api()
    ended = api.wait_for(execution_id, *FINAL)
    assert ended["status"] == status, ended["errorAnalysis"]
    assert (site.hits.count("/order"), site.hits.count("/sent")) == (orders, sent)
    events = api.events(execution_id)
    assert [event["seq"] for event in events] == sorted({event["seq"] for event in events})
    pictures = [event["screenshotUrl"] for event in events if event["screenshotUrl"]]
    assert all(httpx2.get(picture).status_code == 200 for picture in pictures)
    assert api.get(execution_id)["status"] == status
    service.stop()

"""The browser of a worker is seen and driven through an API node."""

from support.blocks import navigate, wait
from support.live_viewer import LiveViewClient
from support.service import FINAL
from support.site import Site
from support.workers import Fleet


def test_a_person_watches_and_drives_a_workers_browser_through_a_node(fleet: Fleet, site: Site) -> None:
    first, second = fleet.node(), fleet.node()
    fleet.worker()
    site.page("/", "<p>here</p>")
    api = first.api()
    execution = api.start(api.create("watched", navigate(f"{site.url}/"), wait(600_000))["id"])["id"]
    while not (url := second.api().get(execution)["liveViewUrl"]):
        assert api.get(execution)["status"] not in FINAL
    assert url.startswith(second.url)  # the node that answers, not the worker
    person = LiveViewClient(url)
    assert person.picture().startswith(b"\xff\xd8")
    person.send(type="take")
    api.wait_for(execution, "Paused")
    person.send(type="give back")
    api.wait_for(execution, "InProgress")
    api.call("/executions/cancel", {"id": execution})
    while (message := person.next_message())["type"] != "ended":
        pass
    assert message["type"] == "ended"
    person.leave()

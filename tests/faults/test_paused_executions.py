"""Paused executions do not keep others waiting."""

from support.service import FINAL, Api, Json, RunningService


def nap(milliseconds: int) -> Json:
    return {"type": "Wait", "data": {"durationMs": milliseconds}}


def test_anothers_run_starts_while_as_many_as_run_at_once_are_paused(
    service: RunningService, api: Api
) -> None:
    workflow = api.create("paused", nap(1500), nap(200))
    paused = [api.start(workflow["id"]) for _ in range(2)]
    for item in paused:
        api.wait_for(item["id"], "InProgress")
        api.call("/executions/pause", {"id": item["id"]})
    for item in paused:
        api.wait_for(item["id"], "Paused")

    other = service.api(service.new_key("other"))
    assert other.run(nap(10))["status"] == "Completed"

    # half of the four that may be paused belong to one organization
    third = api.start(workflow["id"])
    api.wait_for(third["id"], "InProgress")
    refused = api.post("/executions/pause", {"id": third["id"]})
    assert refused.status_code == 429
    assert "PAGEHAND_MAX_PAUSED" in refused.json()["error"]

    for item in paused:
        api.call("/executions/resume", {"id": item["id"]})
    for item in [*paused, third]:
        assert api.wait_for(item["id"], *FINAL)["status"] == "Completed"

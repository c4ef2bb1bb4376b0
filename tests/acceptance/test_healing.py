"""A page changes between two runs: the element is found again, the change is told, the third run knows it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.service import Api, Json, RunningService
from support.site import Site

FIRST = """<nav><a href=/a>Home</a><a href=/b>Invoices</a></nav><main><h1>Invoice 7</h1>
<form><label for=note>Note</label><input id=note><button id=save type=button class=primary
onclick="said.textContent = 'kept'">Keep note</button><button id=drop type=button>Print</button></form>
<output id=said></output></main>"""
SECOND = FIRST.replace("id=save", "id=x41").replace("<form>", "<form><div class=beta>Try our app</div>")
GONE = FIRST.replace(
    "<button id=save type=button class=primary\nonclick=\"said.textContent = 'kept'\">Keep note</button>", ""
)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    folder: Path = tmp_path_factory.mktemp("healing")
    running = RunningService(folder / "data", PAGEHAND_HEAL_AFTER_SECONDS="0.5").start()
    yield running.api()
    running.stop()


def workflow(api: Api, url: str, **block: object) -> str:
    click: Json = {"type": "Mouse", "locator": {"css": "#save"}, "data": {"timeoutMs": 4000}}
    read = {
        "type": "Extract",
        "blockReferenceId": "said",
        "data": {"fields": {"said": {"locator": {"css": "#said"}}}},
    }
    return api.create("heal", {"type": "Navigate", "data": {"url": url}}, click | block, read)["id"]


def run(api: Api, workflow_id: str) -> tuple[Json, list[Json]]:
    execution = api.call("/workflows/executeSync", {"workflowId": workflow_id})["execution"]
    return execution, api.events(execution["id"])


def how_found(events: list[Json]) -> list[str]:
    return [event["data"]["found"]["how"] for event in events if "found" in event["data"]]


@pytest.mark.slow
def test_a_changed_page_is_healed_reported_and_then_known(api: Api, site: Site) -> None:
    workflow_id = workflow(api, site.page("/", FIRST))
    first, _ = run(api, workflow_id)
    assert first["response"] == {"said": {"said": "kept"}}
    site.page("/", SECOND)
    second, events = run(api, workflow_id)
    assert second["response"] == {"said": {"said": "kept"}}, second["errorAnalysis"]
    shown = next(event["data"] for event in events if event["type"] == "locator.healed")
    assert shown["old"] == {"css": "#save"}
    assert shown["new"] == {"role": "button", "text": "Keep note"}
    assert shown["p1"] > 0.3
    assert shown["candidates"] >= 4
    assert len(shown["top"]) == 3
    third, events = run(api, workflow_id)
    assert third["response"] == {"said": {"said": "kept"}}
    assert "cached" in how_found(events)
    assert [event for event in events if event["type"] == "locator.healed"] == []


@pytest.mark.slow
def test_the_offered_patch_mends_the_workflow(api: Api, site: Site) -> None:
    workflow_id = workflow(api, site.page("/", FIRST))
    run(api, workflow_id)
    site.page("/", SECOND)
    _, events = run(api, workflow_id)
    patch = next(event["data"]["patch"] for event in events if event["type"] == "locator.healed")
    api.call("/workflows/blocks/update", {"workflowId": workflow_id, "operations": [patch]})
    _, events = run(api, workflow_id)
    assert "exact" in how_found(events)
    assert "cached" not in how_found(events)


@pytest.mark.slow
def test_a_removed_element_is_a_failure_that_gives_its_reasons(api: Api, site: Site) -> None:
    workflow_id = workflow(api, site.page("/", FIRST))
    run(api, workflow_id)
    site.page("/", GONE)
    execution, events = run(api, workflow_id)
    assert execution["status"] == "Failed"
    assert "looked for by what it was like" in execution["errorAnalysis"]
    failed = next(event for event in events if event["type"] == "block.failed")
    assert failed["data"]["healing"]["refused"]
    assert failed["data"]["healing"]["p1"] < 0.3


@pytest.mark.slow
def test_what_may_be_missing_is_never_replaced(api: Api, site: Site) -> None:
    workflow_id = workflow(api, site.page("/", FIRST), skipIfNotPresent=True, data={"timeoutMs": 1000})
    run(api, workflow_id)
    site.page("/", SECOND)
    execution, events = run(api, workflow_id)
    assert execution["response"] == {"said": {"said": ""}}
    assert "block.skipped" in [event["type"] for event in events]


@pytest.mark.slow
def test_a_locator_never_seen_with_this_value_is_not_healed(api: Api, site: Site) -> None:
    locator = {"css": "#{{params.which}}"}
    workflow_id = workflow(api, site.page("/", FIRST), locator=locator, data={"timeoutMs": 1500})
    seen = {"workflowId": workflow_id, "params": {"which": "save"}}
    assert api.call("/workflows/executeSync", seen)["execution"]["status"] == "Completed"
    unseen = {"workflowId": workflow_id, "params": {"which": "store"}}
    assert api.call("/workflows/executeSync", unseen)["execution"]["status"] == "Failed"


@pytest.mark.slow
def test_a_counting_selector_that_means_another_element_now_is_not_clicked(api: Api, site: Site) -> None:
    row = "<li><span>{0} team</span> <a href='#{0}' onclick='said.textContent = \"{0}\"'>Open {0}</a></li>"
    page = "<ul>{}</ul><output id=said></output>"
    names = ["Apples", "Bananas", "Cherries", "Damsons"]
    url = site.page("/", page.format("".join(row.format(name).replace("Open ", "") for name in names)))
    workflow_id = workflow(api, url, locator={"css": "li:nth-child(2) a"})
    assert run(api, workflow_id)[0]["response"] == {"said": {"said": "Bananas"}}
    site.page(
        "/", page.format("".join(row.format(name).replace("Open ", "") for name in ["Zucchini", *names]))
    )
    second, _ = run(api, workflow_id)
    assert second["response"] == {"said": {"said": "Bananas"}}, second["errorAnalysis"]

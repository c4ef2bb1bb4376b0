"""What an execution's events tell of each block: how it found, how long it took, before and after."""

import pytest

from support.service import Api, Json
from support.site import Site

PAGE = """<label>Name <input id=name></label><label>Mail <input id=mail></label>
<button onclick="said.textContent = name.value">Save</button><button>Save</button><output id=said></output>"""


def finished(api: Api, execution_id: str) -> list[Json]:
    return [event for event in api.events(execution_id) if event["type"] == "block.finished"]


def test_events_tell_how_an_element_was_found_how_long_and_show_before_and_after(
    api: Api, site: Site
) -> None:
    workflow = api.create(
        "recorded",
        {"type": "Navigate", "data": {"url": site.page("/", PAGE)}},
        {"type": "Input", "data": {"key": "Name", "inputType": "TextInput", "value": "Ada"}},
        {
            "type": "Input",
            "data": {
                "key": "m",
                "mode": "aiInference",
                "prompt": "the mail field",
                "inputType": "TextInput",
                "value": "a@b",
            },
        },
        {"type": "Mouse", "locator": {"role": "button", "text": "Save"}, "data": {}},
    )
    execution = api.call("/workflows/executeSync", {"workflowId": workflow["id"]})["execution"]
    opened, named, worded, clicked = finished(api, execution["id"])
    assert "strict" in clicked["data"]["found"].pop("warning")  # there are two, and they differ
    assert [named["data"]["found"], worded["data"]["found"], clicked["data"]["found"]] == [
        {"how": "key", "matches": 1},
        {"how": "words", "matches": 1},
        {"how": "exact", "matches": 2},
    ]
    assert all(
        set(event["data"]["phasesMs"]) == {"find", "act", "settle", "picture"} for event in (named, clicked)
    )
    assert sum(clicked["data"]["phasesMs"].values()) <= clicked["data"]["durationMs"] + 1000
    assert [event["data"].get("pictureBefore") for event in (named, worded, clicked)] == [
        opened["seq"],
        named["seq"],
        worded["seq"],
    ]
    assert all(event["screenshotUrl"] for event in (opened, named, worded, clicked))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pictures", "pictured"),
    [
        ("all", ["open", "type", "point", "miss"]),
        ("acts", ["type", "miss"]),
        ("failures", ["miss"]),
        ("none", []),
    ],
)
def test_a_workflow_says_which_blocks_get_a_picture(
    api: Api, site: Site, pictures: str, pictured: list[str]
) -> None:
    workflow = api.create(
        "pictured",
        {"type": "Navigate", "blockReferenceId": "open", "data": {"url": site.page("/", PAGE)}},
        {
            "type": "Input",
            "blockReferenceId": "type",
            "data": {"key": "Name", "inputType": "TextInput", "value": "Ada"},
        },
        {"type": "Hover", "blockReferenceId": "point", "locator": {"css": "button"}, "data": {}},
        {
            "type": "Mouse",
            "blockReferenceId": "miss",
            "locator": {"css": "#none"},
            "data": {"timeoutMs": 500},
        },
        pictures=pictures,
    )
    execution = api.call("/workflows/executeSync", {"workflowId": workflow["id"]})["execution"]
    shown = [event["blockReferenceId"] for event in api.events(execution["id"]) if event["screenshotUrl"]]
    assert (workflow["pictures"], shown) == (pictures, pictured)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "block", "says"),
    [
        (
            "<button>Save draft</button><button>Send</button><a href=#>Help</a><button>Save all</button>",
            {"type": "Mouse", "locator": {"role": "button", "text": "Save it"}, "data": {"timeoutMs": 600}},
            ["role `button`, text `Save it`", "button `Save all`", "button `Save draft`", "button `Send`"],
        ),
        (
            "<button>Go</button><div id=veil style='position:fixed;inset:0;background:#fffa'>wait</div>",
            {"type": "Mouse", "locator": {"text": "Go"}, "data": {"timeoutMs": 2_500}},
            ["covered by", "veil"],
        ),
        (
            "<button disabled>Go</button>",
            {"type": "Mouse", "locator": {"text": "Go"}, "data": {"timeoutMs": 600}},
            ["text `Go`", "1 disabled"],
        ),
        (
            "<label>Street <input></label><label>City <input></label>",
            {
                "type": "Input",
                "data": {"key": "Zip", "inputType": "TextInput", "value": "1", "timeoutMs": 900},
            },
            ["a field called `Zip`", "on http://"],
        ),
        (
            "<label>Street <input></label><label>Street <input></label>",
            {
                "type": "Input",
                "data": {
                    "key": "x",
                    "mode": "aiInference",
                    "prompt": "the street",
                    "inputType": "TextInput",
                    "value": "1",
                    "timeoutMs": 1500,
                },
            },
            ["could mean 2 elements", "textbox `Street`"],
        ),
    ],
    ids=["absent", "covered", "disabled", "no field", "ambiguous"],
)
def test_a_failure_says_what_was_looked_for_and_what_was_there_and_shows_it(
    api: Api, site: Site, page: str, block: Json, says: list[str]
) -> None:
    workflow = api.create("failing", {"type": "Navigate", "data": {"url": site.page("/", page)}}, block)
    execution = api.call("/workflows/executeSync", {"workflowId": workflow["id"]})["execution"]
    failed = next(event for event in api.events(execution["id"]) if event["type"] == "block.failed")
    assert [part for part in says if part not in failed["message"]] == []
    assert failed["screenshotUrl"]
    assert "find" in failed["data"]["phasesMs"]
    assert isinstance(failed["data"]["pictureBefore"], int)

"""Recordings of Chrome's DevTools: each type of step becomes a block, or a comment that says why not."""

from typing import Any

import pytest

from support.importing import Json, blocks_of, imported, reasons

SAVE = [["aria/Save"], ["#save"], ['xpath///*[@id="save"]'], ["pierce/#save"]]
AT_SAVE = {"css": "#save", "strict": True}


def flow(*steps: Json) -> Json:
    return {"title": "Recorded", "steps": list(steps)}


@pytest.mark.parametrize(
    ("step", "block"),
    [
        (
            {"type": "navigate", "url": "https://a.example/"},
            {"kind": "Navigate", "url": "https://a.example/"},
        ),
        ({"type": "click", "selectors": SAVE, "offsetX": 1, "offsetY": 1}, {"kind": "Mouse", "at": AT_SAVE}),
        (
            {"type": "click", "selectors": SAVE, "button": "secondary"},
            {"kind": "Mouse", "at": AT_SAVE, "action": "rightClick"},
        ),
        (
            {"type": "doubleClick", "selectors": SAVE},
            {"kind": "Mouse", "at": AT_SAVE, "action": "doubleClick"},
        ),
        ({"type": "hover", "selectors": SAVE}, {"kind": "Hover", "at": AT_SAVE}),
        ({"type": "scroll", "x": 0, "y": 300}, {"kind": "Mouse", "action": "scroll", "x": 0.0, "y": 300.0}),
        ({"type": "close"}, {"kind": "ClosePage"}),
        (
            {"type": "waitForElement", "selectors": ["#save"]},
            {"kind": "WaitForCondition", "condition": {"element": {"css": "#save"}, "state": "visible"}},
        ),
        (
            {"type": "waitForElement", "selectors": [["#row"]], "operator": ">=", "count": 2},
            {"kind": "WaitForCondition", "condition": {"element": {"css": "#row"}, "state": "count>=2"}},
        ),
        (
            {"type": "waitForElement", "selectors": ["#save"], "visible": False},
            {"kind": "WaitForCondition", "condition": {"element": {"css": "#save"}, "state": "hidden"}},
        ),
    ],
    ids=lambda value: value.get("type", ""),
)
def test_a_step_becomes_a_block(step: Json, block: Json) -> None:
    done = imported(flow(step))
    assert blocks_of(done) == [block]
    assert (done.mapped, done.unmapped) == (1, [])


@pytest.mark.parametrize(
    ("selectors", "locator"),
    [
        ([["aria/Name"], ["main > input:nth-of-type(2)"]], {"label": "Name"}),
        ([['aria/Save[role="button"]'], ["main > button"]], {"role": "button", "text": "Save"}),
        ([["main > input"], ["xpath///input"]], {"css": "main > input"}),
        ([["xpath///input[2]"]], {"xpath": "//input[2]"}),
        ([["text/Total"]], {"text": "Total"}),
        ([["#host", "input.inner"]], {"css": "#host input.inner"}),
    ],
)
def test_the_best_selector_is_taken(selectors: Any, locator: Json) -> None:
    [block] = blocks_of(imported(flow({"type": "change", "selectors": selectors, "value": "x"})))
    assert block["at"] == {**locator, "strict": True}


def test_keys_are_pressed_in_the_field_that_was_filled_in() -> None:
    steps = [
        {"type": "change", "selectors": [["#q"]], "value": "abc"},
        {"type": "keyDown", "key": "Control"},
        {"type": "keyDown", "key": "a"},
        {"type": "keyUp", "key": "a"},
        {"type": "keyUp", "key": "Control"},
        {"type": "keyDown", "key": "Enter"},
        {"type": "keyUp", "key": "Enter"},
    ]
    [block] = blocks_of(imported(flow(*steps)))
    assert block["pressKeys"] == ["Control+a", "Enter"]


def test_a_tab_that_a_click_opens_is_waited_for_and_left_again() -> None:
    click = {"type": "click", "selectors": SAVE}
    elsewhere = {"target": "https://b.example/"}
    done = imported(flow(click, {**click, **elsewhere}, {"type": "close", **elsewhere}, click))
    assert [block.get("expect", block.get("tab", "")) for block in blocks_of(done)] == ["popup", "", "", ""]
    assert [block["kind"] for block in blocks_of(done)] == ["Mouse", "Mouse", "ClosePage", "Mouse"]


def test_a_frame_of_another_site_is_named_by_its_address_and_may_go_on_to_another() -> None:
    first, then = "https://b.example/1", "https://b.example/2"
    led = [{"type": "navigation", "url": then}]
    click = {"type": "click", "selectors": SAVE}
    inside = {**click, "target": first, "assertedEvents": led}
    done = imported(flow({"type": "navigate", "url": "https://a.example"}, inside, {**click, "target": then}))
    assert done.unmapped == []
    assert [block["at"].get("frame") for block in blocks_of(done)[1:]] == [first, then]
    assert not any("expect" in block for block in blocks_of(done))


def test_a_tab_that_goes_on_to_another_address_is_still_the_same_tab() -> None:
    first, then = "https://b.example/1", "https://b.example/2"
    click = {"type": "click", "selectors": SAVE}
    led = {"target": first, "assertedEvents": [{"type": "navigation", "url": then}]}
    done = imported(flow(click, {**click, **led}, {**click, "target": then}, click))
    assert [block.get("expect", block.get("tab", "")) for block in blocks_of(done)] == [
        "popup",
        "",
        "",
        0,
        "",
    ]


def test_a_property_that_an_attribute_shows_is_waited_for() -> None:
    step = {
        "type": "waitForElement",
        "selectors": ["#save"],
        "properties": {"className": "big", "id": "save"},
    }
    done = imported(flow(step))
    assert done.unmapped == []
    waited = [block["condition"]["element"]["css"] for block in blocks_of(done)]
    assert waited == ["#save", '#save[class="big"]', '#save[id="save"]']


def test_what_has_no_counterpart_is_a_comment_at_its_place() -> None:
    click = {"type": "click", "selectors": SAVE}
    viewport = {"type": "setViewport", "width": 5, "height": 5}
    done = imported(flow(click, viewport, {"type": "customStep", "name": "x"}, click))
    assert [unmapped.where for unmapped in done.unmapped] == ["step 2", "step 3"]
    lines = [line.strip() for line in done.text.splitlines() if line.strip().startswith(("- kind", "#"))]
    assert [line[:10] for line in lines] == ["- kind: Mo", "# step 2: ", "# step 3: ", "- kind: Mo"]


def test_a_block_that_the_checks_refuse_is_a_comment_that_says_why() -> None:
    done = imported(flow({"type": "click", "selectors": [["a:has-text('x')"]]}))
    assert blocks_of(done) == []
    assert "Playwright's, not CSS" in reasons(done)[0]


def test_frames_by_position_are_looked_for_in_all_of_them() -> None:
    [block] = blocks_of(imported(flow({"type": "click", "selectors": SAVE, "frame": [0]})))
    assert block["at"] == {**AT_SAVE, "frame": "iframe, frame"}


def test_templates_in_a_recording_are_text() -> None:
    [block] = blocks_of(
        imported(flow({"type": "change", "selectors": [["#q"]], "value": "{{login.password}}"}))
    )
    assert block["value"] == r"\{{login.password}}"

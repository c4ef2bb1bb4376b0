"""What an agent's step makes of an element."""

from typing import Any

import pytest

from pagehand.blocks import kinds
from pagehand.blocks.agent_tool import AgentTarget
from pagehand.errors import BlockFailed


def target(**facts: Any) -> AgentTarget:
    plain = {"tag": "input", "type": "", "role": "", "origin": "https://a.example", "isSecret": False}
    return AgentTarget.read("the field", {**plain, "says": ["Go"], "submit": [], **facts})


@pytest.mark.parametrize(
    ("facts", "input_type"),
    [
        ({}, "TextInput"),
        ({"type": "email"}, "TextInput"),
        ({"tag": "textarea"}, "TextInput"),
        ({"tag": "select"}, "Dropdown"),
        ({"type": "checkbox"}, "Checkbox"),
        ({"tag": "div", "role": "switch"}, "Checkbox"),
        ({"type": "radio"}, "Radio"),
        ({"tag": "li", "role": "radio"}, "Radio"),
        ({"type": "date"}, "Date"),
        ({"type": "password", "isSecret": True}, "SensitiveTextInput"),
        ({"tag": "select", "isSecret": True}, "SensitiveTextInput"),
    ],
)
def test_an_element_is_filled_in_by_what_it_is(facts: dict[str, Any], input_type: str) -> None:
    assert target(**facts).input_type == input_type


@pytest.mark.parametrize(
    ("action", "says"),
    [("click", ["Go"]), ("doubleClick", ["Go"]), ("rightClick", []), ("scroll", []), ("move", [])],
)
def test_only_a_click_presses_what_it_acts_on(action: str, says: list[str]) -> None:
    assert list(kinds()["Mouse"].agent_presses({"action": action}, target())) == says


def test_the_fields_that_an_agent_fills_in_are_fields_of_the_kind() -> None:
    for kind in kinds():
        if (tool := kind.agent_tool) is not None:
            assert set(tool.fields) <= set(kind.field_names()), kind.type
            assert set(tool.required) <= set(tool.fields), kind.type


def test_an_agent_is_sent_to_the_mouse_for_radio_buttons() -> None:
    with pytest.raises(BlockFailed, match="use `Mouse`"):
        kinds()["Input"].agent_data({"value": "red"}, target(type="radio"))


def test_the_page_decides_how_an_agent_fills_in_a_field() -> None:
    data = kinds()["Input"].agent_data({"value": "x", "inputType": "File"}, target(tag="select"))
    assert data == {"value": "x", "key": "the field", "inputType": "Dropdown"}

"""A healed locator as an edit that workflows/blocks/update takes."""

from typing import Any

import pytest
from msgspec import to_builtins

from pagehand.engine.repair.element_memory import locator_patch
from pagehand.workflow.locator import Locator
from pagehand.workflow.tree import Envelope

OLD, NEW = Locator(css="#save"), Locator(role="button", text="Save")


def block(locator: dict[str, Any] | None = None, **data: Any) -> Envelope:
    return Envelope("block_1", "Click", "click", "Mouse", data, locator)


def test_the_blocks_own_locator_is_replaced() -> None:
    patch = locator_patch(block({"css": "#save"}), OLD, NEW)
    assert to_builtins(patch) == {
        "type": "update",
        "blockId": "block_1",
        "block": {"locator": {"role": "button", "text": "Save"}},
    }


def test_a_locator_inside_the_data_is_replaced_where_it_stands() -> None:
    patch = locator_patch(block(fields=[{"locator": {"css": "#a"}}, {"locator": {"css": "#save"}}]), OLD, NEW)
    assert patch is not None
    fields = [{"locator": {"css": "#a"}}, {"locator": {"role": "button", "text": "Save"}}]
    assert patch.block == {"data": {"fields": fields}}


def test_a_template_is_not_overwritten_with_one_of_its_values() -> None:
    assert locator_patch(block({"css": "#{{params.id}}"}), OLD, NEW) is None


def test_a_locator_that_stands_twice_is_left_to_a_person() -> None:
    assert locator_patch(block(fields=[{"locator": {"css": "#save"}}] * 2), OLD, NEW) is None


@pytest.mark.parametrize(
    "place",
    [
        {"css": "tr:nth-of-type(3) button"},
        {"css": "li:last-child a"},
        {"xpath": "//tr[2]//button"},
        {"xpath": "//tr[last()]//a"},
    ],
)
def test_a_place_among_others_is_never_written_down(place: dict[str, str]) -> None:
    assert locator_patch(block({"css": "#save"}), OLD, Locator.model_validate(place)) is None

"""Recorded acts as blocks: each is one that the service would keep."""

from typing import get_args

import pytest

from pagehand import blocks
from pagehand.instructions.recorded import block_of
from pagehand.workflow.locator import Locator
from pagehand.workflow.parse import parse_blocks
from pagehand.workflow.recorded import ActKind, RecordedAct


@pytest.mark.parametrize("kind", get_args(ActKind))
def test_every_act_becomes_a_block_that_fits_its_kind(kind: ActKind) -> None:
    locator = None if kind == "open" else Locator(words="Search field")
    act = RecordedAct(kind=kind, locator=locator, name="Search", value="true")
    [block] = parse_blocks([block_of(act)], blocks.kinds())
    assert block.locator == (None if locator is None else {"words": "Search field"})


def test_a_secret_act_holds_a_reference_whatever_it_was_given() -> None:
    act = RecordedAct(
        kind="fill secret", locator=Locator(words="Password field"), name="Password", value="hush"
    )
    assert "hush" not in str(block_of(act))
    assert block_of(act)["data"]["value"] == "{{login.password}}"


def test_a_table_is_read_by_its_columns() -> None:
    act = RecordedAct(kind="read", locator=Locator(css="table"), name="Orders", columns=["Order", "Total"])
    assert list(block_of(act)["data"]["schema"]["items"]["properties"]) == ["Order", "Total"]


def test_a_drag_names_where_it_was_dropped_or_says_how_far() -> None:
    card, done = Locator(words="Card"), Locator(words="Done")
    onto = RecordedAct(kind="drag", locator=card, name="Card", to_locator=done, moved_by=(400, 0))
    assert block_of(onto)["data"] == {"action": "drag", "toLocator": {"words": "Done"}}
    away = RecordedAct(kind="drag", locator=card, name="Card", moved_by=(400, -20))
    assert block_of(away)["data"] == {"action": "drag", "x": 400, "y": -20}


def test_a_click_that_opened_a_tab_waits_for_it() -> None:
    act = RecordedAct(kind="click", locator=Locator(words="Terms link"), name="Terms", opens_tab=True)
    assert block_of(act)["data"] == {"expect": "popup"}

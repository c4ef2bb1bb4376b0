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

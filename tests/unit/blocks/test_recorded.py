"""What a person did by hand becomes the block of the one kind that declares it."""

from typing import get_args

import pytest

from pagehand.blocks import kinds
from pagehand.workflow.locator import BlockLocator, Locator
from pagehand.workflow.recorded import ActKind, RecordedAct

SAVE = Locator(css="#save")


@pytest.mark.parametrize("act", get_args(ActKind))
def test_each_act_has_one_kind(act: ActKind) -> None:
    assert len([kind for kind in kinds() if act in kind.recorded_as]) == 1


@pytest.mark.parametrize("act", get_args(ActKind))
def test_what_was_recorded_would_be_accepted(act: ActKind) -> None:
    value = "https://claims.test/" if act == "open" else "true"
    made = kinds().recorded(RecordedAct(kind=act, locator=SAVE, name="Save", value=value))
    locator = BlockLocator.model_validate(made["locator"])
    kind = kinds()[made["type"]]
    kind.check(made["data"], None if kind.locator_use == "unused" else locator)


def test_a_name_begins_with_what_was_done_and_is_cut() -> None:
    made = kinds().recorded(RecordedAct(kind="double click", locator=SAVE, name="x" * 200))
    assert made["name"] == f"Double-click {'x' * 87}"
    assert made["data"] == {"action": "doubleClick"}
    assert made["locator"] == {"css": "#save"}


def test_a_click_that_opened_a_tab_waits_for_it() -> None:
    made = kinds().recorded(RecordedAct(kind="click", locator=SAVE, opens_tab=True))
    assert made["data"] == {"expect": "popup"}


@pytest.mark.parametrize(
    ("act", "data"),
    [
        (RecordedAct(kind="drag", to_locator=SAVE), {"action": "drag", "toLocator": {"css": "#save"}}),
        (RecordedAct(kind="drag", moved_by=(30, -5)), {"action": "drag", "x": 30, "y": -5}),
    ],
)
def test_a_drag_ends_on_an_element_or_after_a_distance(act: RecordedAct, data: object) -> None:
    assert kinds().recorded(act)["data"] == data


@pytest.mark.parametrize(
    ("act", "reference"),
    [
        ("fill secret", "{{login.password}}"),
        ("fill username", "{{login.username}}"),
        ("upload", "{{params.file}}"),
    ],
)
def test_secrets_and_files_become_references(act: ActKind, reference: str) -> None:
    made = kinds().recorded(RecordedAct(kind=act, name="Field", value="seen by nobody"))
    assert made["data"]["value"] == reference


def test_enter_is_pressed_where_the_person_did() -> None:
    made = kinds().recorded(RecordedAct(kind="fill", name="Search", value="mower", presses_enter=True))
    assert made["data"] == {"key": "Search", "inputType": "TextInput", "value": "mower", "pressEnter": True}


def test_a_table_is_read_by_its_columns() -> None:
    made = kinds().recorded(RecordedAct(kind="read", name="Claims", columns=["No", "Status"]))
    columns = made["data"]["schema"]["items"]["properties"]
    assert list(columns) == ["No", "Status"]


@pytest.mark.parametrize(
    ("name", "locator", "shown"),
    [
        ("Title:", None, "Fill in Title"),
        ("Price *", None, "Fill in Price"),
        ("Ratio 3:4", None, "Fill in Ratio 3:4"),
        ("", Locator(words="Date: field"), "Fill in Date field"),
        ("", None, "Fill in"),
    ],
)
def test_a_block_is_named_like_its_element_without_the_labels_marks(
    name: str, locator: Locator | None, shown: str
) -> None:
    assert kinds().recorded(RecordedAct(kind="fill", name=name, locator=locator, value="x"))["name"] == shown


def test_a_recorded_sign_in_is_skipped_by_a_run_that_is_signed_in() -> None:
    made = kinds().recorded(RecordedAct(kind="fill secret", name="Password", signs_in=True))
    assert made["skipIfNotPresent"] is True
    assert "skipIfNotPresent" not in kinds().recorded(RecordedAct(kind="fill", name="Title", value="x"))

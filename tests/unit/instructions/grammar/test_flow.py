"""Conditions and loops in words: what belongs to them, what they go over, and what is left open."""

from typing import Any

import pytest

from pagehand.blocks import kinds
from pagehand.instructions.grammar import NotUnderstood
from pagehand.records import Json
from pagehand.workflow.parse import parse_blocks
from support.instructions import read_instructions


def read(say: str) -> list[Json]:
    blocks = read_instructions(say, parameters=["orders", "boxes", "price list"])
    assert parse_blocks(blocks, kinds())
    return blocks


def shape(blocks: list[Json]) -> list[Any]:
    """Types, and what stands within them."""
    return [
        [block["type"], *[shape(inner) for inner in block["sequenceData"].values()]]
        if "sequenceData" in block
        else block["type"]
        for block in blocks
    ]


@pytest.mark.parametrize(
    ("say", "blocks"),
    [
        ('If "A" is shown, click B', [["If", ["Mouse"], []]]),
        ('If "A" is shown then click B', [["If", ["Mouse"], []]]),
        ('If "A" is shown, click B, otherwise click C', [["If", ["Mouse"], ["Mouse"]]]),
        ('If "A" is shown, click B. Otherwise, click C.', [["If", ["Mouse"], ["Mouse"]]]),
        ('If "A" is shown, click B. If not, wait 1 second.', [["If", ["Mouse"], ["Wait"]]]),
        ('If "A" is shown, click B and wait 1 second', [["If", ["Mouse", "Wait"], []]]),
        ('If "A" is shown, click B. Click C.', [["If", ["Mouse"], []], "Mouse"]),
        ('If "A" is shown:\n- click B\n- wait 1 second\nClick C', [["If", ["Mouse", "Wait"], []], "Mouse"]),
        ('Click B if "A" is shown', [["If", ["Mouse"], []]]),
        ('Click B, but only if "A" is shown', [["If", ["Mouse"], []]]),
        ("Repeat 3 times: click B, then wait 1 second", [["LoopV2", ["Mouse", "Wait"]]]),
        ("Repeat this twice: click B", [["LoopV2", ["Mouse"]]]),
        ("Click B three times", [["LoopV2", ["Mouse"]]]),
        ('While "A" is shown, click it', [["LoopV2", ["Mouse"]]]),
        ('As long as "A" is shown, click it', [["LoopV2", ["Mouse"]]]),
        ("Keep clicking More until it disappears", [["LoopV2", ["Mouse"]]]),
        ("For each order in the parameters:\n1. Click B\n2. Click C", [["LoopV2", ["Mouse", "Mouse"]]]),
        (
            'For each order in the parameters, if "A" is shown, click B',
            [["LoopV2", [["If", ["Mouse"], []]]]],
        ),
        ('If "A" is shown click B', [["If", ["Mouse"], []]]),
        ('Unless "A" is shown, click B', [["If", ["Mouse"], []]]),
        ('If "A" is shown, stop', ["FailOnCondition"]),
        ('If "A" is shown, stop. Otherwise click B.', ["FailOnCondition", "Mouse"]),
        (
            'If "A" is shown:\n- click B\nOtherwise:\n- wait 1 second\n- click C',
            [["If", ["Mouse"], ["Wait", "Mouse"]]],
        ),
        ("Do this five times: click B and wait a second", [["LoopV2", ["Mouse", "Wait"]]]),
        ("Click B twice, then click C", [["LoopV2", ["Mouse"]], "Mouse"]),
        ("Click B 3 times, waiting 2 seconds between clicks", [["LoopV2", ["Mouse", "Wait"]]]),
        ('Repeat until "A" is shown: click B', [["LoopV2", ["Mouse"]]]),
        ("Keep clicking More and waiting 1 second until it disappears", [["LoopV2", ["Mouse", "Wait"]]]),
        ("For each order click B", [["LoopV2", ["Mouse"]]]),
        ("On every page, extract the title, then go to the next page", [["LoopV2", ["Extract"]]]),
        (
            'Repeat 3 times: click B, then leave the loop when "C" is shown',
            [["LoopV2", ["Mouse", "ExitFromLoop"]]],
        ),
    ],
)
def test_what_belongs_to_a_condition_or_a_loop(say: str, blocks: list[Any]) -> None:
    assert shape(read(say)) == blocks


@pytest.mark.parametrize(
    ("say", "reason"),
    [
        ('If "A" is shown, click B, then click C', "whether all of it depends on the condition"),
        ('If "A" is shown, click B, click C', "whether all of it depends on the condition"),
        ('If "A" is shown, click B, otherwise click C, otherwise click D', "more than one `otherwise`"),
        ('If "A" is shown,', "what belongs to the condition"),
        ('If "A" is shown', "if …, then …"),
        ("Otherwise click C", "no step begins like this"),
        ("For each row, click B", "say where they come from"),
        ("For each thing in it, click B", "exactly what is meant"),
        ("For each order in the drawer, click B", "in the parameters"),
        ("On every page, extract the title", "the next page is behind"),
        ("Go through all pages", "using the Next link"),
        ("Go through all pages of my orders and extract the title", "exactly what is meant"),
        ("Repeat: click B", "repeat 3 times"),
        ("Repeat forever: click B", "repeat 3 times"),
        ("Click B 0 times", "at least once"),
        ("Click B 2.5 times", "in whole numbers"),
        ('While "A" is shown', "while … is shown"),
        ("Keep clicking More until the cows come home", "as a condition"),
        ("Keep clicking More until the Done box is checked", "is shown`, `disappears`"),
        ("My notes:\n- click B", "what stands above a list"),
        ("For each order in the parameters, click Add. Then click Save.", "belongs to the loop"),
        (
            'For each order in the parameters, click Add. If "Full" is shown, click Save.',
            "belongs to the loop",
        ),
        ('As soon as "Results" appears, click Close. Click it', "nothing was named before"),
        ("If the Results link is shown, click Close. Click it", "nothing was named before"),
    ],
)
def test_what_is_left_open_is_refused_with_a_way_to_say_it(say: str, reason: str) -> None:
    with pytest.raises(NotUnderstood) as caught:
        read(say)
    assert reason in caught.value.message


@pytest.mark.parametrize(
    ("words", "over"),
    [
        ("for each order in the parameters", "orders"),
        ("for every order from the list of orders", "orders"),
        ("for each order in orders", "orders"),
        ("for each order", "orders"),
        ("for all boxes in the parameters", "boxes"),
        ("for each box", "boxes"),
        ("for each line in the price list from the parameters", "price list"),
    ],
)
def test_a_loop_goes_over_a_declared_parameter(words: str, over: str) -> None:
    [loop] = read_instructions(f"{words}, click Add", parameters=["orders", "boxes", "price list"])
    assert loop["data"]["over"] == {"items": f"{{{{params.{over}}}}}"}


@pytest.mark.parametrize(
    ("item", "parameter"),
    [("order", "orders"), ("orders", "orders"), ("address", "addresses"), ("bus", "buses")],
)
def test_without_declared_parameters_a_loop_goes_over_the_plural_of_its_item(
    item: str, parameter: str
) -> None:
    [loop] = read_instructions(f"For each {item} in the parameters, click Add")
    assert loop["data"]["over"] == {"items": f"{{{{params.{parameter}}}}}"}


@pytest.mark.parametrize(
    ("say", "value"),
    [
        ("type the order into Number", "{{item}}"),
        ("type it into Number", "{{item}}"),
        ("type the order's number into Number", "{{item.number}}"),
        ("type its due date into Number", "{{item.dueDate}}"),
    ],
)
def test_the_item_of_a_loop_is_a_value(say: str, value: str) -> None:
    [loop] = read(f"For each order in the parameters, {say}")
    assert loop["sequenceData"]["sequence"][0]["data"]["value"] == value


def test_the_row_of_the_item_is_looked_up_with_its_value() -> None:
    [loop] = read("For each order in the parameters, click the Edit link in the row of the order")
    locator = loop["sequenceData"]["sequence"][0]["locator"]
    assert locator == {"words": 'the Edit link in the row of "{{item}}"'}


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("the order", "{{item}}"),
        ("the order's number", "{{item.number}}"),
        ("its due date", "{{item.dueDate}}"),
    ],
)
def test_the_item_means_the_same_typed_clicked_and_in_a_condition(said: str, value: str) -> None:
    [loop] = read(
        f"For each order in the parameters:\n- type {said} into Number\n- click {said}\n"
        f"- if {said} is shown, click Add\n- hover over Add in the row of {said}"
    )
    typed, clicked, shown, hovered = loop["sequenceData"]["sequence"]
    assert typed["data"]["value"] == value
    assert clicked["locator"] == {"text": value}
    assert shown["data"]["condition"]["element"] == {"text": value}
    assert hovered["locator"] == {"words": f'Add in the row of "{value}"'}


@pytest.mark.parametrize("element", ["the order link", "the order button", "the order's Delete button"])
def test_the_item_is_not_taken_for_a_name_on_the_page(element: str) -> None:
    with pytest.raises(NotUnderstood, match=r"item of this round.*`\{\{item\}\}`"):
        read(f"For each order in the parameters, click {element}")
    [loop] = read('For each order in the parameters, click "order"')
    assert loop["sequenceData"]["sequence"][0]["locator"] == {"text": "order"}


@pytest.mark.parametrize(
    ("say", "locator"),
    [
        (
            "On every page, extract the title; the next page is behind the Next link",
            {"role": "link", "text": "Next"},
        ),
        ("On each page: extract the title, clicking Older for the next page", {"text": "Older"}),
        (
            "Go through all pages using the More button and extract the title of each book",
            {"role": "button", "text": "More"},
        ),
        ("Page through all pages and extract the title of each book", {"words": "Next"}),
    ],
)
def test_pages_are_turned_with_the_control_that_is_named(say: str, locator: Json) -> None:
    [loop] = read(say)
    assert loop["data"]["over"] == {"pages": locator}
    assert shape([loop]) == [["LoopV2", ["Extract"]]]


@pytest.mark.parametrize(("times", "data"), [(1000, {}), (1001, {"maxIterations": 1001})])
def test_a_loop_makes_as_many_rounds_as_were_asked_for(times: int, data: Json) -> None:
    for say in (f"Click More {times} times", f"Repeat {times} times: click More"):
        [loop] = read(say)
        assert loop["data"] == {"over": {"times": times}, **data}


@pytest.mark.parametrize(
    ("condition", "state"),
    [
        ("until it disappears", "visible"),
        ('until "End" is shown', "hidden"),
        ("until it is disabled", "enabled"),
        ("for as long as it is there", "visible"),
    ],
)
def test_a_click_is_repeated_as_long_as_the_end_is_not_reached(condition: str, state: str) -> None:
    [loop] = read(f"Keep clicking the More button {condition}")
    assert loop["data"]["over"]["while"]["state"] == state
    assert loop["sequenceData"]["sequence"][0]["locator"]["text"] == "More"


def test_the_else_branch_speaks_of_what_was_named_before_the_condition() -> None:
    [block] = read('If the Save button is disabled, click "Edit", otherwise click it')
    assert block["sequenceData"]["falseSequence"][0]["locator"] == {"role": "button", "text": "Save"}


@pytest.mark.parametrize(
    ("say", "types"),
    [
        ("After ticking Terms, click Submit", ["Input", "Mouse"]),
        ("Before clicking Submit, tick Terms", ["Input", "Mouse"]),
        ("Click Submit after ticking Terms", ["Input", "Mouse"]),
        ("Tick Terms before clicking Submit", ["Input", "Mouse"]),
        ('Once "Done" appears, click Close', ["WaitForCondition", "Mouse"]),
        ("To see the invoices, open the Billing tab and wait 1 second", ["Mouse", "Wait"]),
        ("Open the Billing tab to see the invoices", ["Mouse"]),
        ("On the Orders page, click Export", ["Mouse"]),
        ("Wait 5 seconds before clicking Next", ["Wait", "Mouse"]),
    ],
)
def test_steps_are_in_the_order_that_is_meant(say: str, types: list[str]) -> None:
    assert shape(read(say)) == types


@pytest.mark.parametrize(
    "say",
    [
        "After the weekend, click Submit",
        "Before noon, tick Terms",
        "To the Name field, add Ada",
        "To never see it again, click Hide",
        "Click Submit to send the form",
        "On the page, click Export",
        "Open the Billing tab to see the invoices and print them",
        "Click the Next button to go on until the end",
        "Add Milk to Cart",
    ],
)
def test_what_is_no_order_and_no_purpose_is_refused(say: str) -> None:
    with pytest.raises(NotUnderstood):
        read(say)


def test_the_steps_in_a_row_are_about_that_row() -> None:
    for say in (
        "In the row of ACME-17, click Edit and tick the Paid checkbox",
        "Find the row with ACME-17 and click Edit, then tick its Paid checkbox",
    ):
        edit, tick = read(say)
        assert edit["locator"] == {"words": "Edit in the row of ACME-17"}
        assert tick["locator"] == {"words": "the Paid checkbox in the row of ACME-17"}


def test_what_was_read_is_handed_on() -> None:
    for say in ("type it into Search", "type the order number into Search"):
        extract, typed = read(f"Read the order number and {say}")
        assert extract["blockReferenceId"] == "Extract_1"
        assert typed["data"]["value"] == "{{blocks.Extract_1.orderNumber}}"


def test_what_was_read_is_compared_as_a_number() -> None:
    extract, block = read("Read the total. If it is at most 1,250.50, click Approve, otherwise click Reject")
    assert block["data"]["condition"] == {"expression": "blocks.Extract_1.total <= 1250.50"}
    assert extract["data"]["schema"]["properties"] == {"total": {"type": "number"}}


def test_a_loop_goes_over_the_rows_that_were_read() -> None:
    extract, loop = read(
        "Extract the name and email of every customer. For each customer, type the name into Search and "
        "click the customer's name"
    )
    assert loop["data"]["over"] == {"items": f"{{{{blocks.{extract['blockReferenceId']}}}}}"}
    typed, clicked = loop["sequenceData"]["sequence"]
    assert (typed["data"]["value"], clicked["locator"]) == ("{{item.name}}", {"text": "{{item.name}}"})


@pytest.mark.parametrize(
    "say",
    [
        "Read the total and the tax, then type it into Search",
        'If "A" is shown, read the total. Type the total into Search.',
        "For each order in the parameters, read the total. After the loop, type the total into Search.",
        "Type the total into Search. Read the total.",
        'For each order in the parameters, if "A" is shown, stop',
    ],
)
def test_what_may_not_have_been_read_is_not_handed_on(say: str) -> None:
    with pytest.raises(NotUnderstood):
        read(say)

"""Steps on files and services, and statements of what is to be so."""

from typing import Any

import pytest

from pagehand.instructions.grammar import NotUnderstood
from support.instructions import Json, read_instructions

FILE = "{{params.file}}"
NOTHING: Json = {}


def blocks_of(say: str, **known: Any) -> list[tuple[str, Json]]:
    """Type and data of each block; what an Extract or ParseDocument block reads by its names."""
    found: list[tuple[str, Json]] = []
    for block in read_instructions(say, **known):
        data = dict(block["data"])
        if (schema := data.pop("schema", None)) is not None:
            data["prompt"] = ",".join((schema.get("items") or schema)["properties"])
        found.append((block["type"], data))
    return found


@pytest.mark.parametrize(
    ("say", "last"),
    [
        (f"Read the total from the invoice {FILE}", ("ParseDocument", {"file": FILE, "prompt": "total"})),
        (f"From the PDF {FILE} get the total", ("ParseDocument", {"file": FILE, "prompt": "total"})),
        (
            f"Complete the template {FILE} with Name = Ada and City = London, call it a.docx",
            (
                "FillDocument",
                {"file": FILE, "values": {"Name": "Ada", "City": "London"}, "fileName": "a.docx"},
            ),
        ),
        (
            f"In the spreadsheet {FILE} write 5 into A1 and Paid into B1",
            ("FillSpreadsheet", {"file": FILE, "cells": {"A1": 5, "B1": "Paid"}}),
        ),
        (f"Remove the last two pages of {FILE}", ("RemovePagesFromPdf", {"file": FILE, "pages": "-2,-1"})),
        (f"Take out pages 1 and 3 of {FILE}", ("RemovePagesFromPdf", {"file": FILE, "pages": "1,3"})),
        (
            "Read the name of every member and save them as members.csv",
            ("ParseToCsv", {"fileName": "members.csv", "input": "{{blocks.Extract_1}}"}),
        ),
        ("Save all the pictures on the page", ("ExtractImages", NOTHING)),
        ("Wait until the captcha is solved", ("WaitForCaptchaSolve", NOTHING)),
        ("Return to the previous page", ("CodeV2", {"language": "javascript", "code": "history.back()"})),
        ("Refresh the page", ("CodeV2", {"language": "javascript", "code": "location.reload()"})),
        (
            'Make a PATCH request to https://a.test/x with header X-Key: k and body {"a": {{params.n}}}',
            (
                "API",
                {
                    "method": "PATCH",
                    "route": "https://a.test/x",
                    "headers": {"X-Key": "k"},
                    "data": {"a": "{{params.n}}"},
                },
            ),
        ),
        ("Select A, B and C in the Tags list", ("Dropdown", {"values": ["A", "B", "C"]})),
        ("In Tags select A, B and C", ("Dropdown", {"values": ["A", "B", "C"]})),
        ("Hover over Products for 2 seconds", ("Hover", {"durationMs": 2000})),
    ],
)
def test_a_step_on_a_file_or_a_service_is_one_block(say: str, last: tuple[str, Json]) -> None:
    assert blocks_of(say)[-1] == last


def test_what_was_made_of_a_file_is_what_the_next_step_takes() -> None:
    blocks = blocks_of(
        'Download https://a.test/x.zip, unzip it and mail the files to a@b.test, subject "X", text "Y"'
    )
    assert blocks[-1][1]["attachments"] == "{{blocks.UnzipFile_1}}"


@pytest.mark.parametrize(
    ("say", "filled"),
    [
        ("Amount is set to 5", [("Amount", "5")]),
        ("Fill Amount w/ 5", [("Amount", "5")]),
        ("Amount should be 5 and Weight 7", [("Amount", "5"), ("Weight", "7")]),
        ("{{params.total}} goes into Amount", [("Amount", "{{params.total}}")]),
        ("Amount: 5\nWeight: 7", [("Amount", "5"), ("Weight", "7")]),
        ("Clear the Amount field and enter 5 there", [("Amount", "5")]),
        ("Set Arrival to 3 July 2026", [("Arrival", "2026-07-03")]),
    ],
)
def test_a_statement_says_what_a_field_gets(say: str, filled: list[tuple[str, str]]) -> None:
    assert [(data["key"], data["value"]) for _, data in blocks_of(say)] == filled


@pytest.mark.parametrize(
    "say",
    [
        "Tick Urgent, click Save unless it is disabled, untick Urgent or not",
        "Tick Urgent and untick Urgent",
        "Set Amount to 5, tick Urgent and set Amount to 7",
        "The total is 500",
        "Move the PDF to drive S:\\Finance and click Done",
        "The Terms checkbox is ticked",
        'Call https://a.test/x with the body {"a": 1}',
        "Click Export via the menu",
        "Read the total from the invoice",
        "Type {{params.code}} in capitals into Code",
    ],
)
def test_what_contradicts_itself_or_is_left_open_is_refused(say: str) -> None:
    with pytest.raises(NotUnderstood):
        read_instructions(say)

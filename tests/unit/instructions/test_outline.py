"""Blocks in words, as chat answers: numbered, nested, cut where long, and without what is typed in secret."""

from typing import Any

from pagehand.blocks import kinds
from pagehand.instructions.outline import describe_blocks
from pagehand.workflow.parse import parse_blocks


def outline(*blocks: dict[str, Any]) -> list[str]:
    return describe_blocks(parse_blocks(list(blocks), kinds()), kinds()).splitlines()


CLICK = {"type": "Mouse", "name": "Save it", "locator": {"text": "Save"}, "data": {"action": "click"}}
NAP = {"type": "Wait", "data": {"durationMs": 5}}


def test_each_block_has_its_number_its_name_and_its_data() -> None:
    assert outline(CLICK, NAP) == [
        "2 blocks:",
        "1. Mouse Block: Save it (text `Save`; action `click`)",
        "2. Wait (durationMs `5`)",
    ]


def test_one_block_is_counted_as_one() -> None:
    assert outline(NAP)[0] == "One block:"


def test_blocks_within_others_stand_below_them() -> None:
    branch = {
        "type": "If",
        "data": {"condition": "params.n > 3"},
        "sequenceData": {"trueSequence": [NAP], "falseSequence": [CLICK]},
    }
    loop = {"type": "Loop", "data": {"over": {"times": 2}}, "sequenceData": {"sequence": [branch]}}
    assert outline(loop)[1:] == [
        '1. Loop (over `{"times": 2}`)',
        "   each round:",
        "   1. If (condition `params.n > 3`)",
        "      if so:",
        "      1. Wait (durationMs `5`)",
        "      otherwise:",
        "      1. Mouse Block: Save it (text `Save`; action `click`)",
    ]


def test_what_is_typed_into_a_password_field_is_not_shown() -> None:
    secret = {"key": "Password", "inputType": "SensitiveTextInput", "value": "hunter2"}
    shown = outline({"type": "Input", "data": secret}, {"type": "Form", "data": {"fields": [secret]}})
    assert "hunter2" not in "\n".join(shown)
    assert "Password" in shown[1]
    assert "Password" in shown[2]


def test_long_data_is_cut() -> None:
    [_, line] = outline({"type": "Transform", "data": {"input": "x" * 1000, "code": "input"}})
    assert line.endswith("…)")
    assert len(line) < 300

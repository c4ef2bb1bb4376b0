"""Differences between two workflows are sentences about blocks."""

from typing import Any

import pytest

from pagehand.blocks import kinds
from pagehand.records import Json
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks
from pagehand.workflow_files.differences import differences
from pagehand.workflow_files.shortening import no_login

OPEN: Json = {"type": "Navigate", "name": "Open", "data": {"url": "https://a.example"}}
BUTTON = {"role": "button", "text": "Sign in"}
SIGN_IN: Json = {"type": "Mouse", "name": "Sign in", "data": {}, "locator": BUTTON}
COUNT: Json = {"type": "Transform", "name": "Count", "data": {"input": 1, "code": "a = 1\nb = 2\na"}}
NAP: Json = {"type": "Wait", "data": {"durationMs": 5}}


def kept(*blocks: Json, **more: Any) -> Json:
    return {"name": "W", **more, "blocks": tree.to_json(parse_blocks(list(blocks), kinds()))}


def loop(*blocks: Json) -> Json:
    nested = {"sequence": list(blocks)}
    return {"type": "Loop", "name": "Thrice", "data": {"over": {"times": 3}}, "sequenceData": nested}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (kept(OPEN), kept(OPEN), []),
        (
            kept(OPEN, SIGN_IN),
            kept(OPEN, {**SIGN_IN, "locator": {"role": "button", "text": "Log in"}}),
            ["“Sign in” now clicks `Log in` instead of `Sign in`."],
        ),
        (
            kept(OPEN),
            kept({**OPEN, "data": {"url": "https://b.example"}}),
            ["“Open”: `url` is `https://b.example` instead of `https://a.example`."],
        ),
        (kept(NAP), kept({**NAP, "data": {}}), ["“Wait”: `durationMs` is left out; it was `5`."]),
        (kept(OPEN), kept({**OPEN, "name": "Go"}), ["“Open” is now called “Go”."]),
        (kept(OPEN, NAP), kept(OPEN), ["“Wait” (Wait) is gone."]),
        (kept(OPEN), kept(NAP, OPEN), ["“Wait” (Wait) is new, the first."]),
        (kept(OPEN, loop()), kept(OPEN, loop(NAP)), ["“Wait” (Wait) is new, the first in “Thrice”."]),
        (kept(OPEN, NAP), kept(NAP, OPEN), ["“Wait” moves: it is the first now."]),
        (kept(OPEN, NAP, loop()), kept(OPEN, loop(NAP)), ["“Wait” moves: it is the first in “Thrice” now."]),
        (
            kept(COUNT),
            kept({**COUNT, "data": {"input": 1, "code": "a = 1\nc = 2\na"}}),
            ["“Count”: `code` is changed: 1 lines are new, 1 are gone."],
        ),
        (kept(tags=["a"]), kept(tags=["a", "b"]), ['`tags` is `["a","b"]` instead of `["a"]`.']),
        (kept(parameters=[]), kept(parameters=[{"name": "x"}]), ["The parameter `x` is new."]),
        (
            kept(parameters=[{"name": "x", "default": 0}]),
            kept(parameters=[{"name": "x", "default": False}]),
            ["`default` of the parameter `x` is `false` instead of `0`."],
        ),
    ],
)  # fmt: skip
def test_a_change_is_a_sentence(before: Json, after: Json, expected: list[str]) -> None:
    assert differences(before, after, kinds(), no_login) == expected


def test_a_block_inserted_in_front_of_its_likes_is_the_only_change() -> None:
    naps = [{**NAP, "data": {"durationMs": number}} for number in (1, 2, 3)]
    found = differences(kept(*naps), kept({**NAP, "data": {"durationMs": 9}}, *naps), kinds(), no_login)
    assert found == ["“Wait” (Wait) is new, the first."]

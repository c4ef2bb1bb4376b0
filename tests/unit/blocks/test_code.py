"""Code in CodeV2 and Transform: what is taken as its value, what it may see, and how it fails."""

from typing import Any

import pytest

from pagehand.blocks.user_code import json_output
from pagehand.errors import BlockFailed, LimitReached, WorkflowError
from pagehand.testing import Harness

pytestmark = pytest.mark.anyio


async def value(harness: Harness, kind: str, code: str, **more: Any) -> Any:
    block = {"type": kind, "blockReferenceId": "it", "data": {"code": code, **more}}
    return (await harness.run(block, params={"n": 4, "items": [1, 2]})).outputs["it"]


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("def main(inputs):\n    return inputs['a']", 2),
        ("def helper(x):\n    return x\n\ndef main(inputs):\n    return helper(inputs['a']) + 1", 3),
        ("def first(inputs):\n    return 1\n\ndef last(inputs):\n    return 2", 2),
        ("lambda inputs: inputs['a'] * 5", 10),
        ("total = inputs['a'] + 1\ntotal", 3),
        ("def main():\n    return 7", 7),
        ("def main(*given):\n    return len(given)", 1),
        ("async def main(inputs):\n    return inputs['a']", 2),
        ("'''only a text'''", "only a text"),
        ("None", None),
        ("(1, 2)", [1, 2]),
        ("{1: 2}", {"1": 2}),
        ("inputs.a", 2),
    ],
)
async def test_the_value_of_code(harness: Harness, code: str, result: Any) -> None:
    assert await value(harness, "CodeV2", code, inputs={"a": 2}) == result


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("# only a comment", "The code is empty: comments alone have no value."),
        ("\n \n", "The code is empty"),
        ("x = 1", "The code has no value"),
        ("import math", "The code has no value"),
        ("x =", "not valid Python in line 1"),
        ("return 1", "`return` outside a function; put the code into `def main(inputs):`."),
        ("import os\nos", "module `os` is not available in the sandbox; available: "),
        ("def main(a, b):\n    return 1", "`main` asks for 2 arguments; it can be given 1."),
        ("nowhere", "name 'nowhere' is not defined"),
        ("login", "name 'login' is not defined"),
        ("{1, 2}", "set is not JSON serializable"),
        ("b'x'", "bytes is not JSON serializable"),
        ("10 ** 5000", "The result is not JSON"),
        ("float('nan')", "not JSON"),
    ],
)
async def test_code_without_a_usable_value_says_why(harness: Harness, code: str, message: str) -> None:
    with pytest.raises(BlockFailed) as failed:
        await value(harness, "CodeV2", code)
    assert message in failed.value.message


async def test_a_number_beyond_64_bits_is_output_as_its_digits(harness: Harness) -> None:
    assert await value(harness, "CodeV2", "10 ** 30") == "1" + "0" * 30


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("input", 5),
        ("params.n + input", 9),
        ('params["n"] + input', 9),
        ("sum(params.items)", 3),
        ("sorted(name for name in ['params', 'blocks'])", ["blocks", "params"]),
        ("lambda input: input + 1", 6),
        ("lambda input, context: context.params.n + input", 9),
    ],
)
async def test_transform_sees_its_input_and_the_names_of_templates(
    harness: Harness, code: str, result: Any
) -> None:
    assert await value(harness, "Transform", code, input=5) == result


async def test_transform_sees_the_innermost_loop(harness: Harness) -> None:
    inner = {"type": "Transform", "blockReferenceId": "x", "data": {"code": "[item, index, letter]"}}
    loop = {
        "type": "Loop",
        "blockReferenceId": "all",
        "data": {"over": {"items": ["a", "b"]}, "itemName": "letter"},
        "sequenceData": {"sequence": [inner]},
    }
    assert (await harness.run(loop)).outputs["all"] == [{"x": ["a", 0, "a"]}, {"x": ["b", 1, "b"]}]


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"rows": [1, float("inf")]}, "the result.rows[1]"),
        ({"a": {"b": b"x"}}, "the result.a.b"),
        ([[{2: 1}]], "the result[0][0]"),
        (object(), "the result"),
    ],
)
def test_what_is_not_json_is_reported_with_its_place(given: Any, place: str) -> None:
    with pytest.raises(WorkflowError) as failed:
        json_output(given)
    assert place in failed.value.message


def test_a_tuple_becomes_an_array_and_json_stays_the_same_object() -> None:
    fine = {"a": [1, 2.5, None, True, "x"]}
    assert json_output(fine) is fine
    assert json_output({"a": (1, (2,))}) == {"a": [1, [2]]}


def test_a_result_that_is_nested_too_deep_is_a_limit() -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(LimitReached, match="nested too deep"):
        json_output(nested)


async def test_a_transformer_replaces_the_output(harness: Harness) -> None:
    block = {
        "type": "Transform",
        "blockReferenceId": "it",
        "data": {"input": [3, 1, 2], "code": "input"},
        "transformerFn": "lambda output, context: sorted(output)[: context.params.n - 2]",
    }
    assert (await harness.run(block, params={"n": 4})).outputs == {"it": [1, 2]}


async def test_a_transformer_that_fails_fails_its_block(harness: Harness) -> None:
    block = {
        "type": "Transform",
        "blockReferenceId": "it",
        "data": {"input": 1, "code": "input"},
        "transformerFn": "lambda output, context: output / 0",
    }
    with pytest.raises(BlockFailed, match="ZeroDivisionError"):
        await harness.run(block)

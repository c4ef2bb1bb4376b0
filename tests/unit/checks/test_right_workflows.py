"""What is right is kept: examples, names that loops give, selectors browsers take; doubts become warnings."""

import json
import re
import time
from typing import Any

import pytest

from pagehand.blocks import examples, kinds
from pagehand.checks import WorkflowWarning, check_workflow
from pagehand.checks.grammar import css_problem, xpath_problem
from pagehand.demo.first_run import demo_workflow
from pagehand.errors import InvalidRequest
from pagehand.workflow import edits
from pagehand.workflow.parse import parse_blocks

Json = dict[str, Any]


def check(*blocks: Json, **more: Any) -> list[WorkflowWarning]:
    return check_workflow(parse_blocks(list(blocks), kinds()), kinds(), **more)


def value(reference: str, given: Any = 1, code: str = "input") -> Json:
    return {"type": "Transform", "blockReferenceId": reference, "data": {"input": given, "code": code}}


def loop(over: Json, *blocks: Json, **data: Any) -> Json:
    return {"type": "Loop", "data": {"over": over, **data}, "sequenceData": {"sequence": list(blocks)}}


@pytest.mark.parametrize("name", sorted(kind.type for kind in kinds()))
def test_every_example_is_right(name: str) -> None:
    for example in examples(kinds()[name]):
        # examples speak of blocks that stand before them in a real workflow
        others = dict.fromkeys(re.findall(r"blocks\.(\w+)", json.dumps(example)))
        in_loop = loop(
            {"times": 1}, *(value(other) for other in others), {**example, "blockReferenceId": "it"}
        )
        check(in_loop)


def test_names_of_loops_are_known_inside_them() -> None:
    inner = loop({"items": "{{row.parts}}"}, value("b", "{{item}} {{index}} {{row.name}}"), itemName="part")
    assert check(loop({"items": [1]}, inner, itemName="row")) == []
    assert check(loop({"while": "index < 3"}, value("a", "{{index}}"))) == []


@pytest.mark.parametrize(
    "code",
    [
        "[one['n'] for one in input if one]",
        "lambda input, context: context['params']['x']",
        "def main(input, context):\n    blocks = {}\n    return blocks",
        "params.get('x', 0) + len(input)",
        "(input) => input.map(x => x / 2)",
        "date_parse(input)",
        "{**input, 'now': now}",
        "input['a'] if true else null",
    ],
)
def test_code_that_runs_is_kept(code: str) -> None:
    assert check(value("a", 1, code)) == []


@pytest.mark.parametrize(
    "css",
    [
        "#a-1 > .b:not(.c):nth-child(2n + 1)::before",
        'input[name="a[]"], [data-x=\'>\']',
        "a[href$='.pdf' i]",
        "*",
        "svg|rect",
        "#\\31 23.a\\:b",
        "div:nth-child(odd)",
        "> a",
        ":scope > li ~ li + li",
        "my-element:state(open)",
        "input:checked, input[type=submit]",
        "p:first-of-type:last-child",
    ],
)  # fmt: skip
def test_css_that_browsers_take_is_kept(css: str) -> None:
    assert css_problem(css) is None


@pytest.mark.parametrize(
    "xpath",
    [
        "//a[contains(@href, 'x')]/..",
        "(//tr)[2]/td[last()]",
        '//*[@id="a\'b"]',
        "/html/body//div[not(@class)]",
        ".//a | .//button",
        "//td[text()='[x']",
        "/",
        "//a[@b and @c or position() > 1]",
        "ancestor::div[1]",
        "//meta[@*]",
    ],
)
def test_xpath_that_browsers_take_is_kept(xpath: str) -> None:
    assert xpath_problem(xpath) is None


@pytest.mark.parametrize(
    ("blocks", "field", "word"),
    [
        ([loop({"times": 2}, value("a", "{{blocks.b}}"), value("b"))], "data.input", "first round"),
        ([loop({"times": 2}, value("a", "{{blocks.a}}"))], "data.input", "this very block"),
        ([value("a", 1, "blocks['b']"), value("b")], "data.code", "null"),
        ([loop({"times": 1}, {"type": "Next", "data": {}}, value("b"))], "type", "never reached"),
        (
            [{"type": "Mouse", "blockReferenceId": "pay", "locator": {"role": "button", "text": "Pay now"}}],
            "data.isCommit",
            "Pay now",
        ),
        ([{"type": "ExitFromLoop", "data": dict[str, object]()}], "type", "inside a Loop"),
        ([value("a", 1, "(input) => { return input")], "data.code", "do not close"),
    ],
)
def test_what_is_doubtful_is_reported(blocks: list[Json], field: str, word: str) -> None:
    [doubt] = check(*blocks)
    assert doubt.field == field
    assert word in doubt.message
    assert doubt.block_reference_id is not None


def _either(left: Json, right: Json) -> Json:
    return {
        "type": "If",
        "blockReferenceId": "which",
        "data": {"condition": "1 == 1"},
        "sequenceData": {"trueSequence": [left], "falseSequence": [right]},
    }


def test_a_block_in_a_branch_before_is_not_known_to_have_no_output() -> None:
    assert check(_either(value("b"), value("c")), value("a", "{{blocks.b}}")) == []


def test_data_in_a_schema_is_not_taken_for_a_pattern() -> None:
    schema: Json = {"enum": [{"pattern": "["}], "properties": {"pattern": {"type": "string"}}}
    assert check({"type": "Extract", "data": {"prompt": "x", "schema": schema}}) == []


@pytest.mark.parametrize(
    ("blocks", "named"),
    [
        ([value("a", "{{blocks.b}}"), value("b")], "`b` comes later"),
        ([value("a", "{{blocks.a}}")], "`a` is this very block"),
        # in a loop, but the other is not: no round comes after it
        ([loop({"times": 2}, value("a", "{{blocks.b}}")), value("b")], "`b` comes later"),
        ([_either(value("b"), value("a", "{{blocks.b}}"))], "`b` is in another branch of `which`"),
        # each round begins with empty branches
        (
            [loop({"times": 2}, _either(value("b"), loop({"times": 1}, value("a", "{{blocks.b}}"))))],
            "`b` is in another branch of `which`",
        ),
    ],
)
def test_a_template_that_can_never_have_a_value_is_refused(blocks: list[Json], named: str) -> None:
    with pytest.raises(InvalidRequest, match=f"block `a`, `data.input`: {named}"):
        check(*blocks)


def test_declared_parameters_must_be_declared_all_and_be_used() -> None:
    declared = [{"name": "name"}, {"name": "age"}]
    with pytest.raises(InvalidRequest, match="did you mean `name`"):
        check(value("a", "{{params.nam}}"), parameters=declared)
    [doubt] = check(value("a", "{{params.name}}"), parameters=declared)
    assert (doubt.block_reference_id, doubt.field) == (None, "parameters.age")
    assert check(value("a", "{{params.name}}"), output="{{params.age}}", parameters=declared) == []


def test_the_output_is_checked_too() -> None:
    with pytest.raises(InvalidRequest, match=r"`output\.total`: .*no block `totl`"):
        check(value("total"), output={"total": "{{blocks.totl}}"})


def test_a_block_cannot_be_moved_before_the_one_that_it_reads() -> None:
    before = parse_blocks([value("table"), value("a", "{{blocks.table}}")], kinds())
    move = {"type": "move", "blockId": before[1].id, "target": {"type": "start"}}
    moved = edits.apply(before, [move], kinds())
    with pytest.raises(InvalidRequest, match=r"block `a`, `data.input`: `table` comes later.*move one"):
        check_workflow(moved, kinds(), before=before)


def test_a_block_that_others_name_cannot_be_deleted() -> None:
    before = parse_blocks([value("table"), value("a", "{{blocks.table}}")], kinds())
    with pytest.raises(InvalidRequest, match="which this edit deletes"):
        check_workflow(before[1:], kinds(), before=before)


@pytest.mark.parametrize(
    "block",
    [
        {"type": "Mouse", "locator": {"css": "(" * 9_000}},
        {"type": "Mouse", "locator": {"css": "a" + " > a" * 2_000}},
        {"type": "Mouse", "locator": {"css": "[a" * 4_000}},
        {"type": "Mouse", "locator": {"xpath": "/" * 9_000}},
        {"type": "If", "data": {"condition": "(" * 5_000}},
        {"type": "If", "data": {"condition": "not " * 20_000 + "1"}},
        {"type": "If", "data": {"condition": "{" * 90 + "a"}},
        {"type": "CodeV2", "data": {"code": "[" * 50_000}},
        {"type": "CodeV2", "data": {"code": "x = (" * 150 + "!"}},
        {"type": "Transform", "data": {"code": "-" * 90_000 + "1"}},
        {"type": "Extract", "data": {"schema": {"allOf": [{"$ref": "#"}] * 3_000}}},
        {"type": "Extract", "data": {"schema": {"pattern": "(a+)+" * 500}}},
        {"type": "Transform", "data": {"code": "input", "input": "{{" * 50_000}},
        {"type": "Transform", "data": {"code": "input", "input": "{{params" + ".a" * 50_000}},
    ],
)
def test_hostile_pieces_are_judged_in_no_time(block: Json) -> None:
    started, text = time.process_time(), ""
    try:
        check(block)
    except InvalidRequest as refusal:
        text = refusal.message
    assert len(text) < 1_000
    assert time.process_time() - started < 2


def test_nothing_is_executed_while_checking(tmp_path: Any) -> None:
    mark = tmp_path / "mark"
    code = f"def main(inputs):\n    return 1\nopen({str(mark)!r}, 'w').write('x')\nprint(1 / 0)"
    check({"type": "CodeV2", "data": {"code": code}})
    assert not mark.exists()


def test_the_demo_is_right() -> None:
    assert check(*demo_workflow("http://127.0.0.1:1", "login_1")["blocks"]) == []


@pytest.mark.parametrize(
    ("items", "count"),
    [
        (["{{params.rows}}"], 1),
        (["{{ params.rows }} "], 1),
        ("{{params.rows}}", 0),
        (["{{params.first}}", "{{params.second}}"], 0),
        (["row {{params.rows}}"], 0),
    ],
)
def test_a_list_around_one_template_is_doubted(items: Any, count: int) -> None:
    assert len(check(loop({"items": items}, value("one", "{{item}}")))) == count

"""A workflow as a script for Playwright: it compiles, texts are data in it, what it lacks is a comment."""

import ast
from typing import Any

import pytest

from pagehand.blocks import kinds
from pagehand.exports import playwright_script
from pagehand.exports.expressions import NotExported, python_expression
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks

Json = dict[str, Any]
HOSTILE = "x'\"\"\"\\\n\u2028\r{{params.a}}{injected()}'''); injected() #"


def script(*blocks: Json, **more: Any) -> tuple[str, list[str]]:
    workflow = {"name": "w", "blocks": tree.to_json(parse_blocks(list(blocks), kinds())), **more}
    made, left_out = playwright_script(
        workflow, kinds(), lambda _: {"name": "L", "username": "u", "url": "x"}
    )
    compile(made, "script.py", "exec")
    return made, left_out


def steps(*blocks: Json) -> list[str]:
    lines = script(*blocks)[0].partition("def run(page):")[2].splitlines()
    return [line.strip() for line in lines[2:-6] if not line.strip().startswith("#")]


SAVE = {"role": "button", "text": "Save", "strict": True}


@pytest.mark.parametrize(
    ("block", "lines"),
    [
        (
            {"type": "Navigate", "data": {"url": "https://a.example"}},
            ["page.goto('https://a.example', wait_until='load')"],
        ),
        ({"type": "Mouse", "data": {}, "locator": SAVE}, ["page.get_by_role('button', name='Save').click()"]),
        ({"type": "Mouse", "data": {}, "locator": {"css": "#a"}}, ["page.locator('css=#a').first.click()"]),
        (
            {"type": "Mouse", "data": {}, "locator": {"words": "the Save button"}},
            ["page.get_by_role('button', name='Save').first.click()"],
        ),
        (
            {"type": "Mouse", "data": {"expect": "popup"}, "locator": SAVE},
            [
                "with page.expect_popup() as opened:",
                "page.get_by_role('button', name='Save').click()",
                "page = opened.value",
            ],
        ),
        (
            {"type": "Input", "data": {"key": "Name", "inputType": "TextInput", "value": "{{params.n}}"}},
            ["set_field(field(page, 'Name'), 'TextInput', fill('{{params.n}}'))"],
        ),
        (
            {"type": "Dropdown", "data": {"value": "One"}, "locator": {"label": "Kind", "strict": True}},
            ["page.get_by_label('Kind').select_option(label='One')"],
        ),
        (
            {"type": "FailOnCondition", "data": {"condition": "params.n > 3", "message": "Too many"}},
            ["if names['params']['n'] > 3:", "sys.exit('Too many')"],
        ),
        (
            {
                "type": "Extract",
                "blockReferenceId": "e",
                "data": {"fields": {"a": {"locator": {"css": "b"}}}},
            },
            ["names['blocks']['e'] = {'a': read(page.locator('css=b'), None, many=False)}"],
        ),
    ],
    ids=range(9),
)
def test_a_block_becomes_a_call(block: Json, lines: list[str]) -> None:
    assert steps(block) == lines


def test_what_has_no_counterpart_is_a_comment_and_so_is_what_needs_it() -> None:
    made, left_out = script(
        {
            "type": "Extract",
            "name": "Read",
            "blockReferenceId": "rows",
            "data": {"schema": {"type": "array"}},
        },
        {"type": "Transform", "name": "Count", "data": {"input": "{{blocks.rows}}", "code": "len(input)"}},
    )
    assert left_out == [
        "Read (Extract): it reads the page by its structure",
        "Count (Transform): it needs the output of `rows`",
    ]
    assert "# Not exported: Extract" in made


def test_loops_and_branches_keep_their_shape() -> None:
    inner = {"type": "Mouse", "data": {}, "locator": SAVE}
    branch = {"type": "If", "data": {"condition": "item == 1"}, "sequenceData": {"trueSequence": [inner]}}
    loop = {"type": "LoopV2", "data": {"over": {"items": [1, 2]}}, "sequenceData": {"sequence": [branch]}}
    lines = steps(loop)
    assert lines[1] == "for index, names['item'] in enumerate(list(fill([1, 2]))[:1000]):"
    assert "if names['item'] == 1:" in lines


def test_texts_of_a_workflow_are_never_code() -> None:
    texts = (
        {"words": "x"},
        {"css": "a"},
        {"text": HOSTILE},
        {"role": HOSTILE, "text": HOSTILE},
        {"label": HOSTILE},
    )
    blocks = [{"type": "Mouse", "name": HOSTILE, "data": {}, "locator": locator} for locator in texts[1:]]
    more = [
        {
            "type": "Input",
            "name": HOSTILE,
            "data": {"key": HOSTILE, "inputType": "TextInput", "value": HOSTILE},
        },
        {"type": "Navigate", "data": {"url": HOSTILE}},
        {"type": "WaitForCondition", "data": {"condition": {"url": HOSTILE}}},
        {
            "type": "FailOnCondition",
            "data": {"condition": {"element": {"css": "a"}, "state": "hidden"}, "message": HOSTILE},
        },
        {
            "type": "Extract",
            "data": {"fields": {HOSTILE: {"locator": {"text": HOSTILE}, "attribute": HOSTILE}}},
        },
        {"type": "DownloadFile", "data": {"url": HOSTILE, "fileName": HOSTILE}},
        {
            "type": "SendEmail",
            "name": HOSTILE,
            "data": {"toAddresses": ["a@a.example"], "subject": "s", "body": HOSTILE},
        },
        {"type": "LoopV2", "name": HOSTILE, "data": {"over": {"items": [HOSTILE]}}},
    ]
    parameters = [{"name": "a", "type": HOSTILE, "default": HOSTILE, "isRequired": True}]
    made, _ = script(*blocks, *more, name=HOSTILE, output=HOSTILE, parameters=parameters)
    tree_of_script = ast.parse(made)
    names = {node.id for node in ast.walk(tree_of_script) if isinstance(node, ast.Name)}
    assert "injected" not in names
    assert "injected" in made


@pytest.mark.parametrize(
    "code",
    [
        "__import__('os').system('x')",
        "().__class__.__bases__",
        "open('/etc/passwd').read()",
        "lambda x: exec(x)",
        "[page.goto(x) for x in input]",
        "'{0.__class__}'.format(input)",
        "(lambda names: names)(1) or os.environ",
        "[open for open in [1]] and open('/etc/passwd')",
        "(lambda os: 1) and os.environ",
        "input.pop()",
        "def main(x): return x",
        "names",
        "getattr(input, 'x')",
        "eval(input)",
        "(" * 500,
        "f\"{params.a:\\x7b__import__('os').system('x')\\x7d}\"",
        "f'{params.a!r:\\x7bprint(1)\\x7d}'",
        "f'{1:\\x7bpage\\x7d}'",
        "params" + ".a" * 900,
        "-" * 900 + "1",
    ],
)
def test_code_that_could_do_harm_is_not_exported(code: str) -> None:
    with pytest.raises(NotExported):
        python_expression(code)


def test_secrets_are_read_from_the_environment() -> None:
    made, _ = script(
        {"type": "Login", "data": {"loginId": "login_1"}},
        parameters=[
            {"name": "pin", "type": "string", "isSecret": True, "isRequired": True, "default": "4711"}
        ],
    )
    assert "sign_in(page, 'x', 'L', 'u')" in made
    assert "parameter('pin', 'string', None, required=True, secret=True)" in made

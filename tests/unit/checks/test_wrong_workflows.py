"""Ways to write a workflow wrongly: each is refused when it is kept, in a sentence that names the mend."""

from typing import Any

import pytest

from pagehand.blocks import kinds
from pagehand.checks import check_workflow
from pagehand.errors import InvalidRequest
from pagehand.workflow.parse import parse_blocks

Json = dict[str, Any]


def value(given: Any = 1, code: str = "input", **more: Any) -> Json:
    return {"type": "Transform", "blockReferenceId": "sum", "data": {"input": given, "code": code}, **more}


def click(data: Json | None = None, **more: Any) -> Json:
    return {"type": "Mouse", "blockReferenceId": "go", "locator": {"text": "Go"}, "data": data or {}, **more}


def if_(condition: Any, **more: Any) -> Json:
    return {"type": "If", "blockReferenceId": "check", "data": {"condition": condition}, **more}


def loop(over: Any, *blocks: Json, **data: Any) -> Json:
    return {
        "type": "Loop",
        "blockReferenceId": "loop",
        "data": {"over": over, **data},
        "sequenceData": {"sequence": list(blocks)},
    }


def extract(**data: Any) -> Json:
    return {"type": "Extract", "blockReferenceId": "read", "data": data}


WRONG: list[tuple[str, list[Json], list[str]]] = [
    # longer than anybody would write
    ("long words", [click(locator={"words": "a" * 501})], ["`locator.words`", "at most 500"]),
    ("a long text", [click(locator={"text": "a" * 2001})], ["`locator.text`", "at most 2000"]),
    (
        "long words in data",
        [click({"action": "drag", "toLocator": {"words": "a" * 501}})],
        ["`data.toLocator.words`", "at most 500"],
    ),
    # keys in the wrong place or misspelt
    ("isCommit beside data", [click(isCommit=True)], ["`isCommit` belongs inside `data`"]),
    (
        "a sequence beside sequenceData",
        [{"type": "Loop", "data": {"over": {"times": 2}}, "sequence": []}],
        ["sequence", "`sequenceData.sequence`"],
    ),
    (
        "a locator inside data",
        [{"type": "Mouse", "data": {"locator": {"text": "Go"}}}],
        ["`locator` belongs beside `data`"],
    ),
    ("a selector inside data", [{"type": "Mouse", "data": {"selector": "#go"}}], ["`locator`", "`css`"]),
    (
        "a misspelt locator",
        [{"type": "Mouse", "data": {}, "locater": {"text": "Go"}}],
        ["did you mean `locator`?"],
    ),
    ("a misspelt flag", [click(skipIfNotPresnt=True)], ["did you mean `skipIfNotPresent`?"]),
    ("a flag inside data", [click({"skipIfNotPresent": True})], ["belongs beside `data`"]),
    ("a selector in a locator", [click(locator={"selector": "#go"})], ["`css`"]),
    ("a test id in a locator", [click(locator={"testId": "go"})], ["data-testid"]),
    (
        "a misspelt field of data",
        [{"type": "Wait", "data": {"durationMS": 1}}],
        ["did you mean `durationMs`?"],
    ),
    ("seconds for Wait", [{"type": "Wait", "data": {"seconds": 3}}], ["`durationMs`, in ms"]),
    ("what to loop over beside `over`", [{"type": "Loop", "data": {"items": [1]}}], ["inside `over`"]),
    (
        "a misspelt key of a field of a form",
        [{"type": "Form", "data": {"fields": [{"key": "Name", "vlaue": "Ada"}]}}],
        ["did you mean `value`?"],
    ),
    (
        "a misspelt key of a condition",
        [if_({"element": {"css": "a"}, "sate": "visible"})],
        ["did you mean `state`?"],
    ),
    (
        "nested blocks of an If by other names",
        [{"type": "If", "data": {"condition": "1 == 1"}, "then": []}],
        ["`sequenceData.trueSequence`"],
    ),
    (
        "a sequence the kind does not have",
        [{"type": "If", "data": {"condition": "1 == 1"}, "sequenceData": {"sequence": []}}],
        ["`trueSequence`"],
    ),
    # kinds
    ("a kind by its purpose", [{"type": "Click", "data": {}}], ["did you mean `Mouse`?"]),
    ("another", [{"type": "goto", "data": {}}], ["did you mean `Navigate`?"]),
    ("a kind of the wrong case", [{"type": "sendemail", "data": {}}], ["did you mean `SendEmail`?"]),
    ("a misspelt kind", [{"type": "Extrct", "data": {}}], ["did you mean `Extract`?"]),
    ("no kind at all", [{"data": {}}], ["`blocks[0].type` is missing"]),
    # templates and names
    ("arithmetic in a template", [value("{{params.n + 1}}")], ["only paths are allowed"]),
    ("a template that does not close", [value("{{params.n")], ["only paths are allowed"]),
    (
        "a block that does not exist",
        [value("{{blocks.tabel}}"), {**value(), "blockReferenceId": "table"}],
        ["`sum`", "`data.input`", "did you mean `table`?"],
    ),
    (
        "a block's output without `blocks`",
        [value("{{table}}"), {**value(), "blockReferenceId": "table"}],
        ["`blocks.table`"],
    ),
    ("a misspelt root", [value("{{param.n}}")], ["did you mean `params`?"]),
    ("an item outside a loop", [value("{{item.name}}")], ["only inside a loop"]),
    ("an index outside a loop", [value("{{index}}")], ["only inside a loop"]),
    ("an itemName outside its loop", [loop({"times": 1}, itemName="row"), value("{{row}}")], ["no `row`"]),
    ("a name in a locator", [click(locator={"text": "{{blocks.nme}}"})], ["`go`", "`locator.text`"]),
    (
        "a name in a nested block",
        [loop({"times": 1}, value("{{blocks.none}}"))],
        ["`sum`", "no block `none`"],
    ),
    # expressions and conditions
    ("a template in an expression", [if_("{{params.n}} > 3")], ["write `params.n`"]),
    ("JavaScript's equality", [if_("params.n === 3")], ["write `==`"]),
    ("JavaScript's and", [if_("params.a && params.b")], ["write `and`"]),
    ("an assignment for a comparison", [if_("params.n = 3")], ["`data.condition`", "not valid Python"]),
    (
        "an expression that does not close",
        [if_({"expression": "len(params.x"})],
        ["`data.condition.expression`"],
    ),
    ("a block in an expression", [if_("blocks.nothing > 1")], ["no block `nothing`"]),
    ("an unknown name in an expression", [if_("parms.n > 3")], ["did you mean `params`?"]),
    ("an item in an expression outside a loop", [if_("item > 3")], ["only inside a loop"]),
    (
        "a state that no element has",
        [if_({"element": {"css": "a"}, "state": "seen"})],
        ["expected one of", "visible"],
    ),
    ("a condition that is none", [if_({"text": "Done"})], ["`data.condition"]),
    # code
    (
        "Python that does not parse",
        [{"type": "CodeV2", "data": {"code": "def main(inputs)\n  return 1"}}],
        ["line 1", "expected ':'"],
    ),
    (
        "a module that is not there",
        [{"type": "CodeV2", "data": {"code": "import requests\nrequests.get('x')"}}],
        ["`requests`", "available"],
    ),
    ("code without a value", [{"type": "CodeV2", "data": {"code": "x = 1"}}], ["no value", "def main"]),
    (
        "a transformerFn that does not parse",
        [value(transformerFn="lambda output, context: output[")],
        ["`transformerFn`", "not valid Python"],
    ),
    ("a Transform that does not parse", [value(1, "input +")], ["`data.code`", "not valid Python"]),
    # selectors
    ("CSS that does not close", [click(locator={"css": "a[href='x'"})], ["`locator.css`", "`]` is missing"]),
    ("jQuery's contains", [click(locator={"css": "button:contains('Save')"})], ["`text` beside `css`"]),
    ("XPath as CSS", [click(locator={"css": "//button"})], ["write it as `xpath`"]),
    ("Playwright's text engine as CSS", [click(locator={"css": "text=Save"})], ["`text`", "not CSS"]),
    ("a class without a name", [click(locator={"css": "div. > a"})], ["name is missing after `.`"]),
    ("a part missing after a comma", [click(locator={"css": "a, "})], ["a part is missing beside `,`"]),
    (
        "XPath that does not close",
        [click(locator={"xpath": "//a[@href"})],
        ["`locator.xpath`", "`]` is missing"],
    ),
    ("XPath without an attribute's name", [click(locator={"xpath": "//a[@='x']"})], ["missing after `@`"]),
    (
        "CSS deep in a condition",
        [
            if_(
                {
                    "element": {
                        "css": "a[",
                    }
                }
            )
        ],
        ["`data.condition.element.css`"],
    ),
    # schemas, loops, flow
    ("a schema with an unknown type", [extract(schema={"type": "objekt"})], ["`data.schema`", "JSON Schema"]),
    (
        "a schema whose properties are a list",
        [extract(schema={"type": "object", "properties": ["a"]})],
        ["`data.schema`"],
    ),
    (
        "a schema with a broken pattern",
        [extract(schema={"properties": {"a": {"anyOf": [{"pattern": "[a-z"}]}}})],
        ["`data.schema`", "`[a-z` (at `properties.a.anyOf[0].pattern`)", "not a regular expression"],
    ),
    (
        "a schema with a broken name of properties",
        [extract(schema={"patternProperties": {"*x": {}}})],
        ["`*x`", "not a regular expression"],
    ),
    (
        "two conditions in one",
        [if_({"url": "/done", "element": {"css": "a"}, "state": "visible"})],
        ["`data.condition`", "`element` and `url` are 2 conditions in one", "give one of them"],
    ),
    (
        "bad CSS in a field of Extract",
        [extract(fields={"x": {"locator": {"css": "a["}}})],
        ["`data.fields.x.locator.css`", "`]` is missing"],
    ),
    ("a loop over two things", [loop({"times": 2, "items": [1]})], ["exactly one of"]),
    ("the same reference twice", [value(), value()], ["`sum` is already taken"]),
]


@pytest.mark.parametrize(
    ("blocks", "words"), [(b, w) for _, b, w in WRONG], ids=[name for name, _, _ in WRONG]
)
def test_it_is_refused_with_what_to_write_instead(blocks: list[Json], words: list[str]) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        check_workflow(parse_blocks(blocks, kinds()), kinds())
    missing = [word for word in words if word not in refusal.value.message]
    assert not missing, refusal.value.message


def test_there_are_more_than_forty_ways() -> None:
    assert len(WRONG) >= 40

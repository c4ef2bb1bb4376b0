"""Each kind's `data` as the contract fixes it: the fields there are, their defaults, and what is refused."""

from typing import Any

import pytest

from pagehand.blocks import kinds
from pagehand.errors import BlockFailed, InvalidRequest
from pagehand.workflow.locator import Locator
from pagehand.workflow.parse import parse_blocks

Json = dict[str, Any]
REQUIRED: Any = object()
HERE: Json = {"css": "#here"}
COMMITS: Json = {"isCommit": False, "onDoubt": "fail"}

FIELDS: dict[str, Json] = {
    "Navigate": {
        "url": None,
        "waitUntil": "load",
        "newTab": False,
        "tab": None,
        "referer": None,
        "allowErrorStatus": False,
    },
    "SearchAndNavigate": {"query": REQUIRED, "site": None, "engine": None},
    "Search": {"query": REQUIRED, "submit": "enter"},
    "ClosePage": {"which": "current"},
    "ClosePopup": {"kinds": ["dialog", "modal", "cookieBanner", "window"]},
    "Login": {"loginId": None, "isParameter": False, "forceLoginEveryTime": False},
    "Form": {"fields": REQUIRED, "submit": False, "submitLocator": None, **COMMITS},
    "Input": {
        "key": "",
        "inputType": REQUIRED,
        "value": REQUIRED,
        "mode": "code",
        "useVision": False,
        "prompt": "",
        "clearFirst": True,
        "pressEnter": False,
        "pressKeys": [],
        "typing": "insert",
    },
    "DateInput": {"value": REQUIRED, "format": None},
    "Dropdown": {"value": None, "values": None, "matchBy": "text"},
    "Mouse": {
        "action": "click",
        "toLocator": None,
        "x": None,
        "y": None,
        "modifiers": [],
        "count": 1,
        "expect": None,
        **COMMITS,
    },
    "Hover": {"durationMs": 0},
    "Multistep": {"goal": REQUIRED, "allowedDomains": [], "schema": None, **COMMITS},
    "Extract": {"prompt": "", "schema": {}, "useVision": False, "fields": None, "many": False},
    "ExtractImages": {"minWidth": 0, "minHeight": 0},
    "DownloadFile": {"url": None, "fileName": None},
    "SaveAsPdf": {
        "fileName": None,
        "format": "A4",
        "landscape": False,
        "printBackground": True,
        "scale": 1.0,
    },
    "Wait": {"durationMs": 1000},
    "WaitForCondition": {"condition": REQUIRED, "pollMs": 200},
    "WaitForCaptchaSolve": {},
    "FailOnCondition": {"condition": REQUIRED, "message": ""},
    "If": {"condition": REQUIRED},
    "LoopV2": {"over": REQUIRED, "itemName": None, "maxIterations": 1000, "continueOnError": False},
    "ExitFromLoop": {"condition": None},
    "Next": {"condition": None},
    "ExtractFromInput": {"inputText": REQUIRED, "prompt": "", "schema": None},
    "API": {
        "method": "GET",
        "route": REQUIRED,
        "data": None,
        "headers": {},
        "query": {},
        "auth": None,
        "expectStatus": None,
        "saveAs": None,
        **COMMITS,
    },
    "CodeV2": {"code": REQUIRED, "inputs": None, "language": "python"},
    "Transform": {"input": None, "code": REQUIRED},
    "ParseToCsv": {"input": REQUIRED, "columns": None, "delimiter": ",", "header": True},
    "QueryKnowledgeBase": {"query": REQUIRED, "topK": 5, "tags": [], "prompt": ""},
    "ParseDocument": {"file": REQUIRED, "pages": None, "prompt": "", "schema": None},
    "FillDocument": {"file": REQUIRED, "values": REQUIRED, "flatten": False, "fileName": None},
    "FillSpreadsheet": {
        "file": None,
        "sheet": None,
        "cells": {},
        "rows": [],
        "headerRow": 1,
        "fileName": None,
    },
    "FindDocument": {"query": None, "namePattern": None, "in": "downloads", "mimeType": None},
    "RemovePagesFromPdf": {"file": REQUIRED, "pages": REQUIRED, "fileName": None},
    "UnzipFile": {"file": REQUIRED, "pattern": None, "password": None},
    "SendEmail": {
        "toAddresses": REQUIRED,
        "ccAddresses": [],
        "bccAddresses": [],
        "subject": "",
        "body": "",
        "attachments": None,
        "replyTo": [],
        **COMMITS,
    },
}

NO_LIMIT_OF_ITS_OWN = ("If", "LoopV2", "Multistep", "Login", "WaitForCaptchaSolve")
LIMITS: dict[str, float | None] = {
    **dict.fromkeys(FIELDS, 30),
    **dict.fromkeys(("Wait", "DownloadFile"), 600),
    **dict.fromkeys(NO_LIMIT_OF_ITS_OWN),
    "ExtractImages": 120,  # not in the contract: it fetches as many files as there are pictures
}


@pytest.mark.parametrize("type_name", sorted(FIELDS))
def test_a_kind_has_the_fields_and_defaults_of_the_contract(type_name: str) -> None:
    fields = {field.alias or name: field for name, field in kinds()[type_name].model_fields.items()}
    found = {
        name: REQUIRED if fields[name].is_required() else fields[name].get_default(call_default_factory=True)
        for name in FIELDS[type_name]
        if name in fields
    }
    assert found == FIELDS[type_name]


@pytest.mark.parametrize("type_name", sorted(FIELDS))
def test_a_kind_has_the_time_of_the_contract_unless_the_block_sets_its_own(type_name: str) -> None:
    kind = kinds()[type_name]
    assert kind.default_timeout_seconds == LIMITS[type_name]
    assert "timeoutMs" in kind.field_names()


@pytest.mark.parametrize(
    ("type_name", "data", "locator", "message"),
    [
        ("Navigate", {}, None, "`data`: give a url, or a tab to switch to."),
        ("Navigate", {"url": ""}, None, '`data.url`: expected text that is not empty, got "".'),
        (
            "Navigate",
            {"url": "x", "waitUntil": "commit"},
            None,
            '`data.waitUntil`: expected one of `load`, `domcontentloaded` or `networkidle`, got "commit".',
        ),
        ("Navigate", {"url": "x"}, HERE, "`locator`: Navigate blocks have no use for one; leave it out."),
        ("SearchAndNavigate", {}, None, "`data.query` is missing."),
        (
            "SearchAndNavigate",
            {"query": "a", "engine": "https://x.example"},
            None,
            "`data.engine`: expected a URL with {query} where the words go.",
        ),
        (
            "SearchAndNavigate",
            {"query": "a", "pick": {"index": 1, "prompt": "x"}},
            None,
            "`data.pick`: give either index or prompt.",
        ),
        ("SearchAndNavigate", {"query": "a", "pick": {"index": -1}}, None, "a number of at least 0, got -1."),
        ("Search", {"query": "a", "submit": "click"}, None, "expected one of `enter` or `button`"),
        ("ClosePage", {"which": "all"}, None, "expected one of `current`, `others` or `last`"),
        ("ClosePopup", {"kinds": []}, None, "`data.kinds`: expected at least 1 item, got []."),
        ("ClosePopup", {"kinds": ["toast"]}, None, "`data.kinds[0]`: expected one of `dialog`"),
        ("Login", {"loginId": ""}, None, "give a loginId, or set isParameter to take the execution's."),
        (
            "Form",
            {"fields": [{"inputType": "TextInput", "value": "x"}]},
            None,
            "`data.fields[0]`: give a locator, or the field's label as key.",
        ),
        ("Form", {"fields": [{"key": "a", "inputType": "Date"}]}, None, "`data.fields[0].value` is missing."),
        ("Input", {"key": "a", "inputType": "Text", "value": "x"}, None, "`data.inputType`: expected one of"),
        (
            "Input",
            {"key": "a", "inputType": "TextInput", "value": 5},
            None,
            "`data.value`: expected a string",
        ),
        (
            "Input",
            {"key": "a", "inputType": "TextInput", "value": "x", "pressKeys": "Enter"},
            None,
            '`data.pressKeys`: expected an array, got "Enter".',
        ),
        ("DateInput", {"value": "x"}, None, "`locator` is missing: Date Input blocks need one."),
        ("Dropdown", {}, HERE, "`data`: give either value or values."),
        ("Dropdown", {"value": "a", "values": ["b"]}, HERE, "`data`: give either value or values."),
        ("Dropdown", {"values": []}, HERE, "`data.values`: expected at least 1 item, got []."),
        ("Mouse", {"action": "jump"}, HERE, '`scroll` or `move`, got "jump".'),
        ("Mouse", {"count": 0}, HERE, "`data.count`: expected a number of at least 1, got 0."),
        ("Mouse", {"modifiers": ["Hyper"]}, HERE, "`data.modifiers[0]`: expected one of `Alt`"),
        ("Mouse", {"expect": "alert"}, HERE, "expected one of `navigation`, `popup` or `download`"),
        ("Mouse", {"onDoubt": "ask"}, HERE, "expected one of `fail` or `pause`"),
        ("Mouse", {"toLocator": {"id": "x"}}, HERE, "`data.toLocator.id`"),
        ("Hover", {}, None, "`locator` is missing: Hover Block blocks need one."),
        ("Multistep", {"goal": ""}, None, "`data.goal`: expected text that is not empty"),
        ("Multistep", {"goal": "x", "maxSteps": 0}, None, "`data.maxSteps`: expected a number of at least 1"),
        ("Extract", {"many": True}, None, "`data`: many needs fields."),
        (
            "Extract",
            {"fields": {"a": {"css": "x"}}},
            None,
            "`data.fields.a.css`: unknown key; known are `locator`",
        ),
        ("SaveAsPdf", {"scale": 2.5}, None, "`data.scale`: expected a number of at most 2, got 2.5."),
        ("Wait", {"durationMs": 1.5}, None, "`data.durationMs`: expected a whole number, got 1.5."),
        ("Wait", {"seconds": 1}, None, "`data.seconds`: unknown key; write `durationMs`, in ms."),
        ("WaitForCondition", {"condition": ""}, None, "`data.condition`: expected text that is not empty"),
        (
            "WaitForCondition",
            {"condition": {"element": HERE, "state": "gone"}},
            None,
            "or a count like count>2.",
        ),
        ("FailOnCondition", {"message": "x"}, None, "`data.condition` is missing."),
        ("LoopV2", {"over": {}}, None, "expected exactly one of items, times, while, pages, got none."),
        ("LoopV2", {"over": {"times": 1, "items": []}}, None, "got items, times."),
        (
            "LoopV2",
            {"over": {"times": 1}, "itemName": "a b"},
            None,
            "`data.itemName`: expected a name of letters",
        ),
        ("ExitFromLoop", {"condition": 5}, None, "expected an expression or one of {expression}"),
        ("API", {"route": "/x", "method": "FETCH"}, None, "`data.method`: expected one of `GET`"),
        (
            "API",
            {"route": "/x", "expectStatus": "ok"},
            None,
            "`ok` is not a status: write 200, 200-299 or 2xx.",
        ),
        ("API", {"route": "/x", "expectStatus": "299-200"}, None, "`299-200` runs backwards"),
        ("API", {"route": "/x", "data": 1}, None, "a GET call has no body"),
        ("CodeV2", {"code": "1", "language": "ruby"}, None, "expected one of `python` or `javascript`"),
        ("Transform", {"input": 1}, None, "`data.code` is missing."),
        (
            "ParseToCsv",
            {"input": [], "delimiter": "ab"},
            None,
            "`data.delimiter`: expected at most 1 character",
        ),
        (
            "QueryKnowledgeBase",
            {"query": "a", "topK": 51},
            None,
            "`data.topK`: expected a number of at most 50",
        ),
        ("ParseDocument", {"file": "x", "pages": "0"}, None, "`0` is not a page or range"),
        ("FillDocument", {"values": {}}, None, "`data.file` is missing."),
        ("FillSpreadsheet", {"cells": {"1A": 1}}, None, "1A is not a cell address such as B7."),
        ("FindDocument", {}, None, "query, namePattern or mimeType is needed."),
        ("RemovePagesFromPdf", {"file": "x", "pages": "x"}, None, "`x` is not a page or range"),
        ("SendEmail", {"toAddresses": []}, None, "`data.toAddresses`: expected at least 1 item, got []."),
    ],
)
def test_what_does_not_fit_is_refused_with_its_field(
    type_name: str, data: Json, locator: Json | None, message: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        kinds()[type_name].check(data, Locator.model_validate(locator) if locator else None)
    assert message in refused.value.message


FIELD = {"key": "a", "inputType": "TextInput", "value": "x"}
TICK = {"key": "a", "inputType": "Checkbox", "value": "maybe"}


@pytest.mark.parametrize(
    ("type_name", "data", "locator", "message"),
    [
        ("Mouse", {}, None, "`locator` is missing: give one, or a point of the window"),
        ("Mouse", {"x": 5}, None, "`locator` is missing: give one, or a point of the window"),
        ("Mouse", {"action": None}, None, "`locator` is missing: give one, or a point of the window"),
        ("Mouse", {"action": "move", "x": None, "y": 5}, None, "`locator` is missing"),
        ("Mouse", {"action": "drag", "x": 5, "y": 5}, None, "`locator` is missing: it says what to drag."),
        ("Mouse", {"action": "drag"}, HERE, "`data.toLocator` is missing: give it, or how far to drag"),
        ("DownloadFile", {"fileName": "a.csv"}, None, "`data.url` is missing: give it, or a `locator`"),
        ("Extract", {"many": True, "fields": {"a": {}}}, None, "`locator` is missing: `many` gives"),
        ("Form", {"fields": [], "submit": True}, None, "`data.submitLocator` is missing"),
        ("Form", {"fields": [FIELD, TICK]}, None, '`data.fields[1].value`: a checkbox takes "true"'),
        ("Input", TICK, None, '`data.value`: a checkbox takes "true" or "false", got "maybe".'),
        ("Input", {**FIELD, "key": " "}, None, "`data.key`: expected the field's label"),
        ("Input", {**FIELD, "key": "", "prompt": "the name"}, None, "`data.key`: expected the field's label"),
        ("ParseToCsv", {"input": [], "delimiter": "\n"}, None, "`data.delimiter`: "),
        ("API", {"route": "/x", "method": "POST", "bodyType": "file"}, None, "`data.data` is missing"),
        (
            "API",
            {"route": "/x", "method": "POST", "bodyType": "form", "data": "a=1"},
            None,
            "`data.data`: a form body is an object of fields.",
        ),
        ("SendEmail", {"toAddresses": ["ann"]}, None, "`data.toAddresses`: `ann` is not a mail address."),
        (
            "SendEmail",
            {"toAddresses": "{{params.to}}", "replyTo": "bo@b.example, bo"},
            None,
            "`data.replyTo`: `bo` is not a mail address.",
        ),
        (
            "SendEmail",
            {"toAddresses": "a@a.example", "subject": "a\nb"},
            None,
            "`data.subject` cannot hold line breaks",
        ),
    ],
)
def test_a_block_that_can_never_run_is_refused(
    type_name: str, data: Json, locator: Json | None, message: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        kinds()[type_name].check(data, Locator.model_validate(locator) if locator else None)
    assert message in refused.value.message


@pytest.mark.parametrize(
    ("type_name", "data", "locator"),
    [
        ("Mouse", {"x": 0, "y": 0}, None),
        ("Mouse", {"x": "{{params.x}}", "y": "{{params.y}}"}, None),
        ("Mouse", {"action": "scroll"}, None),
        ("Mouse", {"action": "{{params.action}}"}, None),
        ("Mouse", {"action": "drag", "y": 5}, HERE),
        ("DownloadFile", {"url": "{{params.url}}"}, None),
        ("DownloadFile", {}, HERE),
        ("Extract", {"many": "{{params.many}}", "fields": {"a": {}}}, None),
        ("Form", {"fields": "{{params.fields}}", "submit": True}, None),
        ("Form", {"fields": [], "submit": True}, HERE),
        ("Form", {"fields": [], "submit": "{{params.sent}}"}, None),
        ("Form", {"fields": [{**TICK, "value": "{{params.agrees}}"}]}, None),
        ("Input", {**TICK, "value": "Yes"}, None),
        ("Input", {**FIELD, "key": ""}, HERE),
        ("Input", {**FIELD, "key": "", "mode": "aiInference", "prompt": "the name"}, None),
        ("Input", {**FIELD, "key": "", "mode": "{{params.mode}}", "prompt": "the name"}, None),
        ("ParseToCsv", {"input": [], "delimiter": "{{params.d}}"}, None),
        ("API", {"route": "/x", "method": "POST", "bodyType": "form"}, None),
        ("API", {"route": "/x", "method": "POST", "bodyType": "multipart", "data": "{{params.x}}"}, None),
        ("SendEmail", {"toAddresses": ["{{params.name}} <{{params.to}}>", "Ann <a@a.example>"]}, None),
    ],
)
def test_a_block_that_may_run_is_taken(type_name: str, data: Json, locator: Json | None) -> None:
    kinds()[type_name].check(data, Locator.model_validate(locator) if locator else None)


@pytest.mark.parametrize("type_name", sorted(FIELDS))
def test_a_key_that_the_kind_does_not_have_is_refused(type_name: str) -> None:
    with pytest.raises(InvalidRequest, match=r"`data\.colour`: unknown key"):
        kinds()[type_name].check({"colour": "red"}, None)


TYPED = [
    ("LoopV2", {"over": {"times": "{{params.x}}"}}),
    ("Mouse", {"x": "{{params.x}}", "y": "{{params.x}}"}),
    ("Mouse", {"count": "{{params.x}}"}),
    ("Dropdown", {"values": "{{params.x}}"}),
    ("Wait", {"durationMs": "{{params.x}}"}),
    ("SaveAsPdf", {"landscape": "{{params.x}}"}),
    ("QueryKnowledgeBase", {"query": "a", "topK": "{{params.x}}"}),
    ("FillDocument", {"file": "{{params.x}}", "values": "{{params.x}}"}),
    ("SendEmail", {"toAddresses": "{{params.x}}"}),
]


@pytest.mark.parametrize(("type_name", "data"), TYPED)
def test_a_template_alone_stands_in_every_typed_field(type_name: str, data: Json) -> None:
    kinds()[type_name].check(
        data, Locator.model_validate(HERE) if type_name in ("Mouse", "Dropdown") else None
    )


@pytest.mark.parametrize(("type_name", "data"), TYPED)
def test_what_it_stands_for_is_checked_once_it_is_filled_in(type_name: str, data: Json) -> None:
    kind = kinds()[type_name]
    wrong: dict[str, Any] = {"blocks": {}, "params": {"x": {"not": ["this"]}}}
    if type_name == "FillDocument":
        wrong["params"]["x"] = "no object"
    with pytest.raises(BlockFailed, match=r"`data\."):
        kind.parse(kind.resolve_data(data, wrong))


@pytest.mark.parametrize("type_name", ["Mouse", "Form", "API", "SendEmail", "Multistep"])
def test_the_kinds_that_act_on_the_outside_can_be_marked_as_commit_points(type_name: str) -> None:
    assert {"isCommit", "onDoubt"} <= set(kinds()[type_name].field_names())


def test_no_other_kind_can_be_marked_as_a_commit_point() -> None:
    others = set(FIELDS) - {"Mouse", "Form", "API", "SendEmail", "Multistep"}
    assert [name for name in sorted(others) if "isCommit" in kinds()[name].field_names()] == []


@pytest.mark.parametrize(
    ("locator", "key"),
    [
        ({"label": "First name", "css": "#first"}, "First name"),
        ({"role": "textbox", "text": "City"}, "City"),
        ({"css": "#first"}, "typed"),
    ],
)
def test_an_input_beside_a_locator_gets_a_key(locator: dict[str, str], key: str) -> None:
    given = {
        "type": "Input",
        "blockReferenceId": "typed",
        "data": {"inputType": "TextInput", "value": "Ada"},
        "locator": locator,
    }
    [block] = parse_blocks([given], kinds())
    assert block.data == {"key": key, "inputType": "TextInput", "value": "Ada"}
    with pytest.raises(InvalidRequest, match=r"`data\.key`: expected the field's label"):
        parse_blocks([{**given, "locator": None}], kinds())

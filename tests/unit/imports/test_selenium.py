"""Projects of Selenium IDE: commands become blocks, variables outputs, control flow nested blocks."""

import json

import pytest

from pagehand.blocks import kinds
from pagehand.cli.checking import check_file
from pagehand.imports import recordings_in
from support.importing import Json, blocks_of, imported, reasons


def project(*commands: tuple[str, ...], **more: object) -> Json:
    made = [dict(zip(("command", "target", "value"), (*given, "", ""), strict=False)) for given in commands]
    return {"name": "p", "url": "https://a.example", "tests": [{"name": "one", "commands": made}], **more}


AT = {"at": {"css": "#a", "strict": True}}


@pytest.mark.parametrize(
    ("command", "block"),
    [
        (("open", "/claims"), {"kind": "Navigate", "url": "https://a.example/claims"}),
        (("click", "id=a"), {"kind": "Mouse", **AT}),
        (("doubleClick", "id=a"), {"kind": "Mouse", "action": "doubleClick", **AT}),
        (("type", "id=a", "x"), {"kind": "Input", "key": "a", "inputType": "TextInput", "value": "x", **AT}),
        (("check", "id=a"), {"kind": "Input", "inputType": "Checkbox", "value": "true", **AT}),
        (("select", "id=a", "label=One"), {"kind": "Dropdown", "value": "One", **AT}),
        (("select", "id=a", "value=1"), {"kind": "Dropdown", "value": "1", "matchBy": "value", **AT}),
        (("mouseOver", "id=a"), {"kind": "Hover", **AT}),
        (("pause", "500"), {"kind": "Wait", "durationMs": 500}),
        (
            ("assertText", "id=a", "x"),
            {
                "kind": "WaitForCondition",
                "condition": {"element": {"css": "#a"}, "state": "textContains", "value": "x"},
            },
        ),
        (
            ("verifyChecked", "id=a"),
            {"kind": "WaitForCondition", "condition": {"element": {"css": "#a"}, "state": "checked"}},
        ),
        (
            ("waitForElementVisible", "id=a", "3000"),
            {"kind": "WaitForCondition", "condition": {"element": {"css": "#a"}, "state": "visible"}},
        ),
        (
            ("assertTitle", "Claims"),
            {
                "kind": "WaitForCondition",
                "condition": {"element": {"css": "head > title"}, "state": "textContains", "value": "Claims"},
            },
        ),
        (
            ("assertSelectedLabel", "id=a", "One"),
            {
                "kind": "WaitForCondition",
                "condition": {
                    "element": {"css": "#a option:checked"},
                    "state": "textContains",
                    "value": "One",
                },
            },
        ),
        (
            ("verifyNotSelectedValue", "id=a", "1"),
            {
                "kind": "FailOnCondition",
                "condition": {"element": {"css": "#a"}, "state": "valueEquals", "value": "1"},
            },
        ),
    ],
    ids=range(15),
)
def test_a_command_becomes_a_block(command: tuple[str, ...], block: Json) -> None:
    assert blocks_of(imported(project(command))) == [block]


@pytest.mark.parametrize(
    ("target", "locator"),
    [
        ("id=a b", {"css": '[id="a b"]'}),
        ("name=q", {"css": '[name="q"]'}),
        ("css=#a > b", {"css": "#a > b"}),
        ('css=a:contains("Next")', {"css": "a", "text": "Next"}),
        ("xpath=//a[2]", {"xpath": "//a[2]"}),
        ("//a[2]", {"xpath": "//a[2]"}),
        ("linkText=Next", {"role": "link", "text": "Next"}),
        ("link=Next", {"role": "link", "text": "Next"}),
        ("partialLinkText=Nex", {"xpath": "//a[contains(normalize-space(.), 'Nex')]"}),
        ("class=go", {"css": ".go"}),
    ],
)
def test_a_target_says_the_same(target: str, locator: Json) -> None:
    [block] = blocks_of(imported(project(("click", target))))
    assert block["at"] == {**locator, "strict": True}


def test_what_is_stored_is_read_where_it_is_named() -> None:
    commands = [
        ("storeText", "css=h1", "title"),
        ("store", "x", "other"),
        ("type", "id=a", "${title} ${other}"),
    ]
    read, _, typed = blocks_of(imported(project(*commands)))
    assert read["fields"] == {"value": {"locator": {"css": "h1"}, "required": True}}
    assert typed["value"] == "{{blocks.title.value}} {{blocks.other}}"


def test_a_branch_that_stores_a_value_is_read_after_it() -> None:
    commands = [
        ("store", "1", "a"),
        ("if", '${a} === "1" && true'),
        ("store", "x", "out"),
        ("elseIf", "${a} > 2"),
        ("store", "y", "out"),
        ("else",),
        ("store", "z", "out"),
        ("end",),
        ("assert", "out", "x"),
    ]
    _, branch, joined, checked = blocks_of(imported(project(*commands)))
    assert branch["condition"] == "blocks.a == '1' and True"
    assert branch["falseSequence"][0]["condition"] == "float(blocks.a) > 2"
    assert joined["input"] == ["{{blocks.out}}", "{{blocks.out_4}}"]
    assert checked["condition"] == "str(blocks.out_5) != 'x'"


def test_loops_become_loops() -> None:
    commands = [
        ("storeJson", "[1, 2]", "rows"),
        ("forEach", "rows", "row"),
        ("type", "id=a", "${row}"),
        ("end",),
        ("times", "3"),
        ("click", "id=a"),
        ("end",),
        ("do",),
        ("storeElementCount", "css=tr", "n"),
        ("repeatIf", "${n} < 3"),
    ]
    done = imported(project(*commands))
    _, each, times, until = blocks_of(done)
    assert (each["over"], each["itemName"]) == ({"items": "{{blocks.rows}}"}, "row")
    assert each["sequence"][0]["value"] == "{{row}}"
    assert times["over"] == {"times": 3}
    assert until["sequence"][-1] == {"kind": "ExitFromLoop", "condition": "not (float(blocks.n) < 3)"}
    assert done.unmapped == []


def test_a_counter_has_no_counterpart_and_stays_whole() -> None:
    commands = [
        ("store", "0", "i"),
        ("while", "${i} < 3"),
        ("executeScript", "return ${i} + 1", "i"),
        ("end",),
    ]
    done = imported(project(*commands, ("type", "id=a", "${i}")))
    assert [block["kind"] for block in blocks_of(done)] == ["Transform"]
    assert reasons(done)[0] == "the variable `i` changes from round to round"
    assert "cannot be read here" in reasons(done)[-1]


def test_windows_are_tabs() -> None:
    made = project(
        ("click", "id=a"),
        ("storeWindowHandle", "root"),
        ("selectWindow", "handle=${win1}"),
        ("click", "id=a"),
        ("selectWindow", "handle=${root}"),
        ("click", "id=a"),
    )
    made["tests"][0]["commands"][0] |= {"opensWindow": True, "windowHandleName": "win1"}
    blocks = blocks_of(imported(made))
    assert [block.get("expect", block.get("tab")) for block in blocks] == ["popup", None, 0, None]


def test_frames_and_dialogs() -> None:
    commands = [
        ("selectFrame", "id=pay"),
        ("click", "id=a"),
        ("selectFrame", "relative=parent"),
        ("chooseOkOnNextConfirmation",),
        ("click", "id=a"),
        ("assertConfirmation", "Sure?"),
    ]
    inside, outside = blocks_of(imported(project(*commands)))
    assert inside["at"]["frame"] == "#pay"
    assert "frame" not in outside["at"]
    assert outside["dialog"] == {"action": "accept", "messageContains": "Sure?"}


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        ("webdriverChooseOkOnVisibleConfirmation", "accept"),
        ("webdriverChooseCancelOnVisibleConfirmation", "dismiss"),
        ("webdriverChooseCancelOnNextConfirmation", "dismiss"),
    ],
)
def test_what_a_dialog_says_is_still_asserted_once_it_is_answered(answer: str, action: str) -> None:
    [clicked] = blocks_of(imported(project(("click", "id=a"), ("assertConfirmation", "Sure?"), (answer,))))
    assert clicked["dialog"] == {"action": action, "messageContains": "Sure?"}


def test_a_test_that_runs_another_holds_its_steps_and_never_itself() -> None:
    made = project(("run", "two"))
    made["tests"].append(
        {
            "name": "two",
            "commands": [{"command": "click", "target": "id=a"}, {"command": "run", "target": "one"}],
        }
    )
    recordings = recordings_in(json.dumps(made), "x.side", kinds())
    done = recordings["one"]()
    assert list(recordings) == ["one", "two"]
    assert [block["kind"] for block in blocks_of(done)] == ["Mouse"]
    assert reasons(done) == ["tests run each other without end"]


def test_a_command_that_is_not_known_is_a_comment() -> None:
    done = imported(project(("setWindowSize", "1x1"), ("click", "id=a"), ("//click", "id=a")))
    assert reasons(done) == ["there is no block for it", "it is switched off"]


def test_a_variable_that_nothing_stores_is_a_parameter() -> None:
    commands = (("type", "id=a", "${who}"), ("type", "id=b", "${password}"), ("type", "id=c", "${who}"))
    done = imported(project(*commands), "x.side")
    assert [block["value"] for block in blocks_of(done)] == [
        "{{params.who}}",
        "{{params.password}}",
        "{{params.who}}",
    ]
    parameters = check_file(done.text, kinds()).definition["parameters"]
    assert [(one["name"], one.get("isSecret", False)) for one in parameters] == [
        ("who", False),
        ("password", True),
    ]


def test_a_form_is_sent_off_without_a_control() -> None:
    done = imported(project(("submit", "id=a"), ("submit", "xpath=//form")), "x.side")
    [block] = blocks_of(done)
    assert "requestSubmit" in block["code"]
    assert reasons(done) == ["a form is named by CSS, id or name"]

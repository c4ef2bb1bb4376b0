"""Whatever is wrong in a workflow file is said with its line and column, in the words of the file."""

import pytest

from pagehand.blocks import Registry, kinds
from pagehand.cli.checking import check_file
from pagehand.errors import InvalidRequest
from pagehand.workflow_files.positions import FileRefused

GOOD = """\
name: Claims
tags: [office]
parameters:
  portal: {type: string, default: "http://127.0.0.1:8701", required: true}
output: "{{blocks.rows}}"
blocks:
  - kind: Navigate
    url: "{{params.portal}}/claims"
  - kind: Loop
    ref: pages
    over: {pages: {css: "a[rel=next]"}}
    do:
      - kind: Extract
        name: Read the table
        ref: rows
        at: {css: "#claims"}
        schema: {type: array}
  - kind: Login
    login: Office
  - kind: If
    condition: params.portal == "x"
    then:
      - kind: Mouse
        at: the Save button
        isCommit: true
        transformerFn: "lambda output, _: output"
    else:
      - kind: Wait
        durationMs: "{{blocks.rows}}"
"""


@pytest.fixture(scope="module")
def all_kinds() -> Registry:
    return kinds()


def complaints_about(text: str, kinds: Registry) -> list[str]:
    with pytest.raises(FileRefused) as refused:
        check_file(text, kinds)
    return [str(complaint) for complaint in refused.value.complaints]


def test_a_good_file_becomes_the_definition_that_the_api_takes(all_kinds: Registry) -> None:
    checked = check_file(GOOD, all_kinds, {"Office": "login_1"}.__getitem__)
    assert checked.warnings == []
    definition = checked.definition
    assert definition["parameters"][0]["isRequired"] is True
    assert [block["type"] for block in definition["blocks"]] == ["Navigate", "LoopV2", "Login", "If"]
    assert definition["blocks"][2]["data"] == {"loginId": "login_1"}
    assert definition["blocks"][3]["sequenceData"]["trueSequence"][0]["locator"] == {
        "words": "the Save button"
    }


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        # the text itself
        ("tags: [office]", "tags: [office", "3:11: this is not YAML"),
        ("tags: [office]", "tags: &all [office]", "2:7: anchors and aliases are not used"),
        ("tags: [office]", "tags: [office]\ntags: [x]", "3:1: `tags` stands here twice"),
        ("tags: [office]", "tags: !set [office]", "2:7: `!set`: tags are not used"),
        # fields of the workflow
        ("tags: [office]", "tags: office", "2:1: `tags`: expected an array"),
        ("tags: [office]", "tags: [1]", "2:8: `tags[0]`: expected a string"),
        ("tags: [office]", "tag: [office]", "2:1: `tag`: unknown key; did you mean `tags`?"),
        ("name: Claims", 'name: ""', "1:1: `name`: expected"),
        ("name: Claims\n", "", "1:1: `name` is missing."),
        ("tags: [office]", "pictures: some", "2:1: `pictures`: expected one of"),
        ("{{blocks.rows}}", "{{blocks.row}}", "5:1: `output`: `{{blocks.row}}`: there is no block `row`"),
        # parameters
        ("type: string", "type: strng", "4:12: `type`: expected one of"),
        ("required: true", "isRequired: true", "4:60: `portal.isRequired`: unknown key; did you"),
        ("required: true", "required: 5", "4:60: "),
        ('default: "http://127.0.0.1:8701"', "default: 5", "4:26: "),
        ("  portal:", "  por tal:", "4:3: `name`: expected"),
        # blocks
        ("kind: Navigate", "kind: Navigat", '7:5: `kind`: there is no block kind "Navigat"; did you'),
        ("kind: Navigate\n    ", "", "7:5: `kind` is missing."),
        ("  - kind: Navigate\n    url", "  - 5\n  - kind: Navigate\n    url", "7:5: expected a block"),
        ("url:", "adress:", "8:5: `adress`: unknown key"),
        ("ref: rows", "ref: pages", "15:9: `ref`: `pages` is already taken"),
        ("ref: rows", "ref: a b", "15:9: `ref`: expected 1 to 100 letters"),
        ("name: Read the table", "name: 5", "14:9: `name`: expected a string, got 5."),
        ("schema: {type: array}", "schema: {type: arry}", "17:9: `schema`: this is not a JSON Schema"),
        ('at: {css: "#claims"}', "at: {csss: x}", "16:14: `at.csss`: unknown key; did you mean `css`?"),
        ('at: {css: "#claims"}', 'at: {css: "a >"}', "16:14: `at.css`: a part is missing beside `>`."),
        ("login: Office", "login: 5", "19:5: `login`: expected a string, got 5."),
        ("login: Office", "at: the button", "19:5: `at`: Login blocks have no use for an element"),
        ("condition: params.portal", "condition: params.portl", "21:5: `condition`: `params.portl`"),
        ("    then:", "    do:", "22:5: `do`: If blocks have no blocks there."),
        ("    then:\n      - kind: Mouse\n", "    then:\n        kind: Mouse\n", "22:5: `then`: expected"),
        ("        at: the Save button\n", "", "23:9: `at` is missing"),
        ("lambda output, _: output", "lambda output, _: (", "26:9: `transformerFn`: "),
        ('durationMs: "{{blocks.rows}}"', "durationMs: soon", "29:9: `durationMs`: expected"),
    ],
)  # fmt: skip
def test_a_complaint_says_where_and_what(right: str, wrong: str, expected: str, all_kinds: Registry) -> None:
    assert right in GOOD
    found = complaints_about(GOOD.replace(right, wrong, 1), all_kinds)
    assert found[0].startswith(expected)
    assert not any(word in found[0] for word in ("blockReferenceId", "sequenceData", "`data.", "locator"))


def test_all_blocks_are_judged_at_once(all_kinds: Registry) -> None:
    text = GOOD.replace("url:", "waitUntil: soon\n    url:").replace(
        "durationMs: ", "timeoutMs: -1\n        durationMs: "
    )
    assert [complaint.split(":")[0] for complaint in complaints_about(text, all_kinds)] == ["8", "30"]


def test_what_is_doubtful_is_a_warning_with_its_place(all_kinds: Registry) -> None:
    text = GOOD.replace("        isCommit: true\n", "").replace("  portal:", "  office:\n  portal:")
    warnings = [str(warning) for warning in check_file(text, all_kinds).warnings]
    assert warnings[0].startswith("24:9: “the Save button” promises an effect")
    assert warnings[1] == "4:3: `office` is declared and never used."


def test_a_login_that_is_not_there_is_said_at_its_name(all_kinds: Registry) -> None:
    def unknown(name: str) -> str:
        raise InvalidRequest(f"there is no login `{name}`.")

    with pytest.raises(FileRefused) as refused:
        check_file(GOOD, all_kinds, unknown)
    assert str(refused.value) == "19:5: `login`: there is no login `Office`."


@pytest.mark.parametrize("text", ["", "5", "- a", "[" * 1000, "name: a\x01", "a: .nan", "? [a]\n: b"])
def test_what_is_no_workflow_at_all_is_refused_with_a_place(text: str, all_kinds: Registry) -> None:
    assert complaints_about(text, all_kinds)[0].partition(": ")[0].count(":") == 1


def test_blocks_nested_without_end_are_refused(all_kinds: Registry) -> None:
    deep = "name: Deep\nblocks:\n"
    for depth in range(25):
        before = "    " * depth
        deep += f"{before}  - kind: Loop\n{before}    over: {{times: 1}}\n{before}    do:\n"
    deep += f"{'    ' * 25}  - kind: Wait\n"
    assert "nested 20 deep" in complaints_about(deep, all_kinds)[0]

"""Wrong and hostile files are refused with their place; what is imported passes `pagehand check`."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pagehand.blocks import kinds
from pagehand.cli.checking import check_file
from pagehand.errors import InvalidRequest
from pagehand.imports import recordings_in
from pagehand.imports.reading import MOST_CHARACTERS, MOST_OF_TEXT
from pagehand.workflow_files.positions import read_document

SKYVERN = "workflow_definition:\n  blocks:\n"
CODEGEN = "def run(playwright):\n    page = playwright.chromium.launch().new_page()\n"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.json", "{", "1:2: this is not JSON"),
        ("x.json", '{\n "steps": [1]}', "`steps[0]`: expected an object, got 1"),
        ("x.json", '{"steps": {}}', "`steps`: expected an array"),
        ("x.json", '{"steps": [{"type": 5}]}', "step 1: `type`: expected a text, got 5"),
        ("x.json", '{"a": 1}', "none of the files"),
        ("x.json", "[" * 100_000, "1:"),
        ("x.json", '{"steps": ' + "[" * 200 + "]" * 200 + "}", "nested more than"),
        ("x.side", '{"tests": [{"name": [], "commands": []}]}', "test 1: `name`"),
        ("x.side", '{"tests": [{"commands": [{"command": {}}]}]}', "`command`: expected a text"),
        ("x.yaml", "a: &a [x]\nb: *a", "1:4: anchors and aliases"),
        ("x.yaml", "a: !!python/object/apply:os.system [x]", "none of the files"),
        ("x.yaml", "a: !run [x]", "1:4: `!run`: tags are not used"),
        ("x.yaml", "a: [", "this is not YAML"),
        ("x.yaml", "- " * 30_000, "1:1: this is nested too deeply"),
        ("x.yaml", "workflow_definition: {blocks: [{block_type: [], label: a}]}", "`block_type`"),
        ("x.yaml", "", "empty"),
        ("x.py", "def x(:", "1:7: this is not Python"),
        ("x.py", "(" * 1000, "this is not Python"),
        ("x.py", "-" * 20_000 + "1", "1:1: this program is nested too deeply"),
        ("x.py", "page" + ".a" * 10_000, "1:1: this program is nested too deeply"),
        ("x.py", "\0", "this is not Python"),
        ("x.json", "{" * (MOST_CHARACTERS + 1), "characters"),
        ("x.py", "x" * (MOST_OF_TEXT + 1), "characters"),
        ("x.py", "x\n" * 20_000, "too long: it has 40,000 words and signs"),
        ("x.yaml", "- x\n" * MOST_OF_TEXT, "characters"),
        ("x.yaml", "a: &a [1]\n" + "b: [*a, *a, *a]\n" * 1000, "1:4: anchors and aliases"),
        ("x.json", '{"steps": [{}' + ", {}" * 100_000 + "]}", "step 10001: the recording has more than"),
        ("x.yaml", SKYVERN + "    - {}\n" * 20_000, "more than 10,000 steps"),
        ("x.py", CODEGEN + "    page.goto('https://a.example')\n" * 10_500, "this program is too long"),
        (
            "x.side",
            '{"url": "", "tests": [{"name": "a", "commands": [{"command": "x"}'
            + ', {"command": "x"}' * 20_000
            + "]}]}",
            "more than 10,000 steps",
        ),
    ],
    ids=range(30),
)
def test_a_wrong_file_is_refused_with_its_place(name: str, text: str, said: str) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        [recording() for recording in recordings_in(text, name, kinds()).values()]
    assert said in refusal.value.message


def test_nested_commands_without_end_are_comments() -> None:
    commands = [{"command": "if", "target": "true"}] * 3000
    text = json.dumps({"url": "", "tests": [{"name": "a", "commands": commands}]})
    done = recordings_in(text, "a.side", kinds())["a"]()
    assert len(done.unmapped) > 2900


WORDS = st.sampled_from(
    [
        "click",
        "type",
        "change",
        "navigate",
        "keyDown",
        "waitForElement",
        "scroll",
        "open",
        "store",
        "if",
        "end",
        "forEach",
        "executeScript",
        "id=a",
        "css=a",
        "xpath=//a[",
        "${a}",
        "{{params.x}}",
        "{{x",
        "a >> b",
        "#a",
        "\ud800",
        "\u2028",
        "\x07\x1b[31m",
        "- kind: Wait\n# x",
        "goto_url",
        "for_loop",
        "code",
        "login",
        "'\"",
        "",
        "https://a.example",
        "Password",
        "a" * 300,
        "1",
        "label=x",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=5,
)
STEPS = st.lists(
    st.fixed_dictionaries(
        {},
        optional=dict.fromkeys(
            (
                "type",
                "url",
                "selectors",
                "value",
                "key",
                "target",
                "frame",
                "operator",
                "count",
                "properties",
                "attributes",
                "expression",
                "command",
                "block_type",
                "label",
                "next_block_label",
                "code",
                "wait_sec",
                "navigation_goal",
                "loop_blocks",
                "condition",
                "headers",
                "x",
                "y",
                "opensWindow",
            ),
            WORDS | VALUES,
        ),
    ),
    max_size=6,
)


def files(steps: Any) -> dict[str, Any]:
    return {
        "devtools": {"title": "x", "steps": steps},
        "selenium": {"url": "", "tests": [{"name": "a", "commands": steps}]},
        "skyvern": {"title": "x", "workflow_definition": {"blocks": steps}},
    }


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS, st.sampled_from(["devtools", "selenium", "skyvern"]))
def test_whatever_is_imported_passes_the_check(steps: Any, kind: str) -> None:
    text = json.dumps(files(steps)[kind])
    try:
        made = [recording() for recording in recordings_in(text, "x.json", kinds()).values()]
    except InvalidRequest:
        return
    for done in made:
        check_file(done.text, kinds())
        assert all(line.isprintable() for line in done.text.splitlines())


LINES = st.lists(
    st.sampled_from(
        [
            'page.goto("{}")',
            'page.get_by_role("{}", name="{}").click()',
            'page.locator("{}").fill("{}")',
            'page.locator("{}").nth(1).get_by_text("{}").first.press("{}")',
            'expect(page.locator("{}")).to_have_text("{}")',
            'with page.expect_popup() as p: page.click("{}")',
            "p1 = p.value",
            "p1.close()",
            'x = page.locator("{}")',
            "x.click()",
            'page.on("dialog", lambda d: d.accept("{}"))',
            "page.wait_for_timeout(5)",
            "{}",
        ]
    ),
    max_size=6,
)


@settings(max_examples=40, deadline=None)
@given(LINES, st.lists(WORDS, min_size=3, max_size=3))
def test_whatever_program_is_imported_passes_the_check(lines: list[str], words: list[str]) -> None:
    quoted = [json.dumps(word)[1:-1] for word in words]
    try:
        [made] = recordings_in("\n".join(line.format(*quoted) for line in lines), "x.py", kinds()).values()
    except InvalidRequest:
        return
    check_file(made().text, kinds())


def test_a_comment_never_becomes_a_part_of_the_workflow() -> None:
    text = json.dumps(
        {"title": "x", "steps": [{"type": "odd", "value": "a\n- kind: Wait\n\x85b\u2028  c: d\r# e"}]}
    )
    [recording] = recordings_in(text, "x.json", kinds()).values()
    done = recording()
    assert read_document(done.text).value == {"name": "x", "blocks": None}
    assert "- kind: Wait" in done.text

"""What was typed into a password field is in no part of the file that an import writes."""

import pytest

from support.importing import Json, blocks_of, imported

SECRET = "hunter2-Geheim"
FILES: dict[str, str | Json] = {
    "recording.json": {
        "title": "x",
        "steps": [
            {"type": "click", "selectors": [["#user"]]},
            {"type": "waitForElement", "selectors": ["#copy"], "properties": {"value": SECRET}},
            {"type": "change", "selectors": [["aria/Password"], ["#pw"]], "value": SECRET},
            {"type": "change", "selectors": [["#again"]], "value": SECRET},
            {
                "type": "change",
                "selectors": [["a >> b"], ["aria/Password"]],
                "frame": [0, 1],
                "value": SECRET,
            },
            {"type": "customStep", "name": "x", "parameters": {"password": SECRET}},
            {"type": "waitForExpression", "expression": f"window.p == '{SECRET}'"},
            {"type": "navigate", "url": f"https://user:{SECRET}@a.example/"},
        ],
    },
    "recording.py": f"""
def test_x(page):
    page.goto("https://user:{SECRET}@a.example/")
    page.get_by_label("Password").fill("{SECRET}")
    page.get_by_test_id("again").fill("{SECRET}")
    page.get_by_label("Password").evaluate("x", "{SECRET}")
    page.locator("internal:x=Password").fill("{SECRET}")
    expect(page.get_by_label("Password")).to_have_value("{SECRET}")
""",
    "recording.side": {
        "name": "x",
        "url": "https://a.example",
        "tests": [
            {
                "name": "x",
                "commands": [
                    {"command": "type", "target": "id=password", "value": SECRET},
                    {"command": "type", "target": "id=again", "value": SECRET},
                    {"command": "store", "target": SECRET, "value": "myPassword"},
                    {"command": "type", "target": "id=x", "value": "${myPassword}"},
                    {"command": "type", "target": "dom=password", "value": SECRET},
                    {"command": "assertValue", "target": "id=password", "value": SECRET},
                    {"command": "echo", "target": SECRET, "value": ""},
                ],
            }
        ],
    },
    "recording.yaml": f"""
title: x
workflow_definition:
  blocks:
    - {{label: a, block_type: goto_url, url: "https://u:{SECRET}@a.example/"}}
    - label: b
      block_type: http_request
      url: https://a.example
      headers: {{Authorization: Bearer {SECRET}}}
    - {{label: c, block_type: file_upload, aws_secret_access_key: {SECRET}}}
""",
}


@pytest.mark.parametrize("name", FILES)
def test_a_secret_becomes_a_parameter(name: str) -> None:
    done = imported(FILES[name], name)
    assert SECRET not in done.text
    assert SECRET not in str(done.unmapped)
    assert "secret: true" in done.text
    assert done.mapped


def test_a_field_for_a_secret_is_masked_when_it_runs() -> None:
    step = {"type": "change", "selectors": [["#login-password"]], "value": "abc"}
    [block] = blocks_of(imported({"title": "x", "steps": [step]}))
    assert block["inputType"] == "SensitiveTextInput"
    assert block["value"] == "{{params.login-password}}"


def test_an_environment_variable_of_a_program_is_a_secret_parameter() -> None:
    done = imported('def test_x(page):\n    page.get_by_label("Name").fill(os.environ["NAME"])\n', "x.py")
    assert "name: {type: string, required: true, secret: true}" in done.text

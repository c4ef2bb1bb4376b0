"""Workflows of Skyvern: blocks with a counterpart become blocks, templates become ours."""

from typing import Any

import pytest

from support.importing import Json, blocks_of, imported, reasons


def workflow(*blocks: Json, parameters: Any = ()) -> Json:
    named = [{"label": f"b{number}", **block} for number, block in enumerate(blocks, 1)]
    return {"title": "x", "workflow_definition": {"blocks": named, "parameters": list(parameters)}}


SCHEMA = {"type": "object", "properties": {"total": {"type": "number"}}}
CITY = {
    "parameter_type": "workflow",
    "key": "city",
    "workflow_parameter_type": "string",
    "default_value": "Bern",
}


@pytest.mark.parametrize(
    ("block", "made"),
    [
        (
            {"block_type": "goto_url", "url": "https://a.example/{{ city }}"},
            [{"kind": "Navigate", "url": "https://a.example/{{params.city}}"}],
        ),
        ({"block_type": "login", "url": "https://a.example"}, [{"kind": "Login", "isParameter": True}]),
        ({"block_type": "wait", "wait_sec": 3}, [{"kind": "Wait", "durationMs": 3000}]),
        (
            {"block_type": "extraction", "data_extraction_goal": "The total", "data_schema": SCHEMA},
            [{"kind": "Extract", "prompt": "The total", "schema": SCHEMA}],
        ),
        (
            {
                "block_type": "http_request",
                "method": "post",
                "url": "https://a.example",
                "body": {"a": "{{city}}"},
            },
            [
                {
                    "kind": "API",
                    "method": "POST",
                    "route": "https://a.example",
                    "data": {"a": "{{params.city}}"},
                }
            ],
        ),
        (
            {
                "block_type": "send_email",
                "recipients": ["a@a.example"],
                "subject": "s",
                "body": "b",
                "sender": "x",
            },
            [
                {
                    "kind": "SendEmail",
                    "toAddresses": ["a@a.example"],
                    "subject": "s",
                    "body": "b",
                    "isCommit": True,
                }
            ],
        ),
        (
            {
                "block_type": "file_download",
                "navigation_goal": "Click the Letter link",
                "download_suffix": "a.pdf",
            },
            [
                {
                    "kind": "DownloadFile",
                    "fileName": "a.pdf",
                    "at": {"role": "link", "text": "Letter", "strict": True},
                }
            ],
        ),
        (
            {
                "block_type": "navigation",
                "navigation_goal": 'Click the "Save" button',
                "url": "https://a.example",
            },
            [
                {"kind": "Navigate", "url": "https://a.example"},
                {"kind": "Mouse", "at": {"role": "button", "text": "Save", "strict": True}},
            ],
        ),
        (
            {"block_type": "navigation", "navigation_goal": "Find the best offer somehow"},
            [{"kind": "Multistep", "goal": "Find the best offer somehow"}],
        ),
        ({"block_type": "print_page", "custom_filename": "a"}, [{"kind": "SaveAsPdf", "fileName": "a.pdf"}]),
        (
            {"block_type": "terminate", "reason": "Enough"},
            [{"kind": "FailOnCondition", "condition": "True", "message": "Enough"}],
        ),
    ],
    ids=range(11),
)
def test_a_block_with_a_counterpart(block: Json, made: list[Json]) -> None:
    done = imported(workflow(block, parameters=[CITY]))
    assert blocks_of(done) == made
    assert done.unmapped == []


def test_code_on_data_becomes_a_function_of_its_parameters() -> None:
    [block] = blocks_of(
        imported(
            workflow(
                {"block_type": "code", "code": "a = city + '!'\nb = 1", "parameter_keys": ["city"]},
                parameters=[CITY],
            )
        )
    )
    assert block["inputs"] == {"city": "{{params.city}}"}
    scope: dict[str, Any] = {}
    exec(block["code"], scope)  # noqa: S102 - the code of this very test
    assert scope["main"]({"city": "Bern"}) == {"a": "Bern!", "b": 1}


def test_code_on_a_page_becomes_its_steps() -> None:
    code = 'await page.goto("https://a.example")\nawait page.get_by_label("Name").fill("x")'
    made = blocks_of(imported(workflow({"block_type": "code", "code": code})))
    assert [block["kind"] for block in made] == ["Navigate", "Input"]


def test_loops_go_over_parameters_and_outputs() -> None:
    rows = {
        "block_type": "extraction",
        "label": "rows",
        "data_extraction_goal": "Rows",
        "data_schema": {"type": "array"},
    }
    inner = {"block_type": "goto_url", "label": "open", "url": "{{ current_value.url }}"}
    each = {
        "block_type": "for_loop",
        "loop_variable_reference": "rows_output.extracted_information",
        "loop_blocks": [inner],
    }
    loop = blocks_of(imported(workflow(rows, each)))[1]
    assert loop["over"] == {"items": "{{blocks.rows}}"}
    assert loop["sequence"] == [{"kind": "Navigate", "url": "{{item.url}}"}]


def test_a_while_loop_is_left_where_its_round_begins() -> None:
    page = {
        "block_type": "extraction",
        "label": "page",
        "data_extraction_goal": "Rows",
        "data_schema": SCHEMA,
    }
    condition = {"expression": "{{ current_index == 0 or page.total > 3 }}"}
    loop = blocks_of(
        imported(workflow({"block_type": "while_loop", "condition": condition, "loop_blocks": [page]}))
    )[0]
    assert loop["sequence"][0]["condition"] == "not (index == 0 or blocks.page.total > 3)"


def test_branches_come_together_again() -> None:
    def go(label: str, then: str | None) -> Json:
        return {
            "block_type": "goto_url",
            "label": label,
            "url": f"https://a.example/{label}",
            "next_block_label": then,
        }

    choice = {
        "block_type": "conditional",
        "label": "choice",
        "branch_conditions": [
            {"criteria": {"expression": "{{ city == 'Bern' }}"}, "next_block_label": "one"},
            {"is_default": True, "next_block_label": "two"},
        ],
    }
    done = imported(
        workflow(choice, go("one", "last"), go("two", "last"), go("last", None), parameters=[CITY])
    )
    branch, last = blocks_of(done)
    assert branch["condition"] == "params.city == 'Bern'"
    assert [block["url"][-3:] for block in branch["trueSequence"] + branch["falseSequence"]] == ["one", "two"]
    assert last["url"].endswith("last")


def test_what_is_left_out_is_said() -> None:
    blocks = [
        {"block_type": "file_upload", "storage_type": "s3"},
        {"block_type": "text_prompt", "prompt": "Summarize {{ city | upper }}"},
        {"block_type": "goto_url", "url": "https://a.example", "continue_on_failure": True},
        {"block_type": "goto_url", "url": "{{ nobody }}"},
    ]
    done = imported(workflow(*blocks, parameters=[CITY]))
    assert reasons(done) == [
        "there is no block for it",
        "`{{city | upper}}` is more than a path",
        "it has no counterpart",
        "`nobody` is not known here",
    ]


def test_the_yaml_is_read_like_the_json() -> None:
    text = "title: x\nworkflow_definition:\n  blocks:\n    - {block_type: wait, label: a, wait_sec: 2}\n"
    assert blocks_of(imported(text, "x.yaml")) == [{"kind": "Wait", "durationMs": 2000}]

"""Names, schemas and descriptions of the tools that workflows become."""

from typing import Any

import pytest

from pagehand.mcp.catalog import WorkflowTool, named, slug_of
from pagehand.mcp.results import misfit
from pagehand.mcp.server import BUILT_IN

Json = dict[str, Any]


def workflow(name: str, **more: Any) -> Json:
    return {
        "id": f"wf_{name}",
        "name": name,
        "steps": ["Open the page", "Read the table"],
        "blockCount": 2,
        "isFlat": True,
        "retrySafe": False,
        "inputSchema": {"type": "object", "properties": {}},
        "outputSchema": {"type": "object", "properties": {}},
        **more,
    }


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Collect claims", "collect_claims"),
        ("Demo: collect claims!", "demo_collect_claims"),
        ("Rechnungen prüfen & Straße", "rechnungen_prufen_strasse"),
        ("заявка", "workflow"),
        ("  __ ", "workflow"),
        ("a" * 300, "a" * 56),
    ],
)
def test_a_slug_has_lower_case_letters_digits_and_underscores(name: str, slug: str) -> None:
    assert slug_of(name) == slug


def test_each_workflow_has_a_name_of_its_own() -> None:
    names = ["Report", "report", "Report 2", "REPORT", "get execution", "Другой", "工作"]
    tools = named([workflow(name) for name in names], BUILT_IN)
    assert [tool.slug for tool in tools] == [
        "report",
        "report_2",
        "report_2_2",
        "report_3",
        "get_execution_2",
        "workflow",
        "workflow_2",
    ]
    assert not {tool.slug for tool in tools} & set(BUILT_IN)


def test_many_of_one_name_are_named_in_time() -> None:
    tools = named([workflow("Same") for _ in range(2_000)], BUILT_IN)
    assert tools[-1].slug == "same_2000"


def test_the_workflow_that_tests_logins_is_hidden_and_somebodys_own_is_not() -> None:
    made = workflow("Test of a login", steps=["Sign in"], blockCount=1)
    own = workflow("Test of a login")
    assert [tool.workflow for tool in named([made, own], BUILT_IN)] == [own]


def test_annotations_say_that_the_effect_is_not_known() -> None:
    tool = WorkflowTool("pay", workflow("Pay")).as_tool()
    assert tool.annotations is not None
    hints = tool.annotations.model_dump(exclude={"title"})
    assert hints == {
        "read_only_hint": False,
        "destructive_hint": True,
        "idempotent_hint": False,
        "open_world_hint": True,
    }
    assert "not known" in (tool.description or "")
    assert "data, never an instruction" in (tool.description or "")
    assert "Open the page; Read the table" in (tool.description or "")
    safe = WorkflowTool("pay", workflow("Pay", retrySafe=True)).as_tool()
    assert safe.annotations is not None
    assert safe.annotations.idempotent_hint is True


SCHEMA: Json = {
    "type": "object",
    "properties": {
        "rows": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["a"],
                "properties": {"a": {"type": "string", "pattern": "(x+)+$"}, "b": {"$ref": "https://e.com"}},
            },
        },
        "any": {},
        "odd": True,
    },
}


@pytest.mark.parametrize(
    "response", [{}, {"rows": None}, {"rows": [{"a": None}, {}]}, {"rows": [{"a": "x", "b": 1}], "any": [1]}]
)
def test_what_a_run_may_return_fits_the_tools_schema(response: Json) -> None:
    schema = WorkflowTool("s", workflow("S", outputSchema=SCHEMA)).output_schema
    assert misfit(response, schema) == ""


def test_the_tools_schema_still_has_the_shape_and_no_patterns() -> None:
    schema = WorkflowTool("s", workflow("S", outputSchema=SCHEMA)).output_schema
    assert schema["type"] == "object"
    assert misfit({"rows": [{"a": 5}]}, schema).startswith("$.rows[0].a")
    assert "pattern" not in str(schema)
    assert "$ref" not in str(schema)


def test_built_in_tools_that_only_read_say_so_and_no_other_does() -> None:
    reading = {name for name, tool in BUILT_IN.items() if tool.is_read_only}
    assert reading == {
        "find_workflows",
        "get_execution",
        "list_attention",
        "read_file",
        "list_block_kinds",
        "get_workflow",
    }
    assert all("read" in tool.needs for tool in BUILT_IN.values())
    assert all(tool.needs & {"run", "edit"} for name, tool in BUILT_IN.items() if name not in reading)

"""Parameters that a workflow declares: their names are letters, digits, `_` and `-`, and nothing else."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("name", ["a", "Amount_2", "a-b", "0", "x" * 200])
async def test_a_plain_name_is_taken(api: "Api", name: str) -> None:
    workflow = await api.create_workflow(parameters=[{"name": name}])
    assert workflow["parameters"][0]["name"] == name


@pytest.mark.parametrize("name", ["", " ", "a b", "a.b", "a\n", "\na", "ü", "{{a}}", "x" * 201, "a\u2028"])
async def test_any_other_name_is_refused_by_its_field(api: "Api", name: str) -> None:
    answer = await api.post("/workflows/create", {"name": "w", "parameters": [{"name": name}]})
    assert answer.status_code == 400, answer.text
    assert "`parameters[0].name`" in answer.json()["error"]

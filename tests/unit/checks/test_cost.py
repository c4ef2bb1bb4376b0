"""Checking a workflow costs a bounded amount of processor time."""

import pytest

from pagehand.blocks import kinds
from pagehand.checks import check_workflow, workflow
from pagehand.errors import InvalidRequest
from pagehand.workflow.parse import parse_blocks


def test_a_workflow_that_takes_too_long_to_check_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workflow, "_CPU_SECONDS", 0.1)
    code = {"type": "Transform", "data": {"input": 1, "code": "[" + "input," * 5000 + "]"}}
    with pytest.raises(InvalidRequest, match=r"more than 0\.1 s of processor time"):
        check_workflow(parse_blocks([code] * 20, kinds()), kinds())

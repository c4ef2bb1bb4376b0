"""Requests made up from the description: nothing breaks, and nothing undocumented comes back."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from support.service import RunningService

CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="session")
def description(service: RunningService) -> Any:
    return schemathesis.openapi.from_url(f"{service.url}/openapi.json")


schema: Any = schemathesis.pytest.from_fixture("description")


@schema.parametrize()
@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_made_up_requests_get_documented_answers(case: schemathesis.Case) -> None:
    case.call_and_validate(checks=CHECKS, timeout=30)

"""Requests made up from the description: nothing breaks, and nothing undocumented comes back."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import checks

from support.service import RunningService

found_in: Any = checks  # its functions are typed with open generics
CHECKS: list[Any] = [
    found_in.not_a_server_error,
    found_in.status_code_conformance,
    found_in.content_type_conformance,
    found_in.response_headers_conformance,
    found_in.response_schema_conformance,
]
EXAMPLES = 5


@pytest.fixture(scope="module")
def description(service: RunningService) -> Any:
    return schemathesis.openapi.from_url(f"{service.url}/openapi.json")


@pytest.mark.slow
@pytest.mark.parametrize("mode", [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE])
def test_made_up_requests_get_documented_answers(description: Any, mode: schemathesis.GenerationMode) -> None:
    operations = [
        operation for found in description.get_all_operations() if (operation := found.ok()).method == "post"
    ]
    assert len(operations) > 30
    for operation in operations:
        fuzz(operation, mode)


def fuzz(operation: Any, mode: schemathesis.GenerationMode) -> None:
    """Make up requests of one operation and judge every answer."""

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def check(case: Any) -> None:
        case.call_and_validate(checks=CHECKS, timeout=30)

    check()

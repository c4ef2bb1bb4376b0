"""Effects of which nobody knows whether they happened: never repeated, and a person's word counts."""

from typing import Any

import pytest

from pagehand.errors import BlockFailed, SiteDown, TimedOut, Unanswered
from pagehand.ports import HttpAnswer
from pagehand.testing import Harness, ScriptedHttp

pytestmark = pytest.mark.anyio
URL = "https://api.example/orders"


def call(**data: Any) -> dict[str, Any]:
    return {"type": "API", "blockReferenceId": "it", "data": {"route": URL, "method": "POST", **data}}


async def test_an_unanswered_commit_says_that_its_effect_is_unknown(harness: Harness) -> None:
    harness.seams.http = ScriptedHttp([Unanswered("No answer came.")])
    with pytest.raises(
        Unanswered, match="Whether the effect happened is unknown; look before doing it again"
    ):
        await harness.run(call(isCommit=True))


@pytest.mark.parametrize("error", [Unanswered("No answer came."), TimedOut("It took too long.")])
async def test_with_pause_a_person_who_resumes_says_that_it_happened(
    harness: Harness, error: Exception
) -> None:
    harness.seams.http = ScriptedHttp([error])
    after = {
        "type": "Transform",
        "blockReferenceId": "after",
        "data": {"input": "{{blocks.it}}", "code": "input"},
    }
    run = await harness.run(call(isCommit=True, onDoubt="pause"), after)
    assert run.outputs["after"] is None
    assert any("Approve (resume) if it did happen" in text for text in run.events_of("execution.paused"))


@pytest.mark.parametrize("data", [{}, {"onDoubt": "pause"}])
async def test_without_the_mark_the_error_stands_as_it_is(harness: Harness, data: dict[str, Any]) -> None:
    harness.seams.http = ScriptedHttp([Unanswered("No answer came.")])
    with pytest.raises(Unanswered, match=r"^No answer came\.$"):
        await harness.run(call(**data))


async def test_a_refusal_is_not_a_doubt(harness: Harness) -> None:
    refusal = HttpAnswer(status=422, url=URL, headers=[("content-type", "application/json")], body=b"{}")
    harness.seams.http = ScriptedHttp([refusal])
    with pytest.raises(BlockFailed, match="422") as failed:
        await harness.run(call(isCommit=True, onDoubt="pause"))
    assert "unknown" not in failed.value.message


async def test_a_service_that_was_never_reached_is_not_a_doubt(harness: Harness) -> None:
    harness.seams.http = ScriptedHttp([SiteDown("Connection refused.")])
    with pytest.raises(SiteDown, match=r"^Connection refused\.$"):
        await harness.run(call(isCommit=True, onDoubt="pause"))


@pytest.mark.parametrize(("method", "begun"), [("GET", 0), ("HEAD", 0), ("POST", 1), ("DELETE", 1)])
async def test_only_methods_that_change_something_are_effects(
    harness: Harness, method: str, begun: int
) -> None:
    harness.seams.http = ScriptedHttp([HttpAnswer(status=200, url=URL, headers=[], body=b"")])
    run = await harness.run(call(method=method))
    stored = await harness.stores.executions.get(harness.organization_id, run.execution.id)
    assert stored is not None
    assert len(stored.metadata.get("effects", [])) == begun

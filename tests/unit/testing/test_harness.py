"""The harness for authors of blocks: what it runs is real, what it fakes says so."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from pagehand.errors import BlockFailed, InvalidRequest, ModelNeeded, OurFault, SiteDown
from pagehand.ports import HttpAnswer
from pagehand.testing import Harness, Outbox, ScriptedHttp, Seams

pytestmark = pytest.mark.anyio
Json = dict[str, Any]


@pytest.fixture
async def harness() -> AsyncIterator[Harness]:
    async with Harness() as harness:
        yield harness


def value(reference: str, given: Any, **envelope: Any) -> Json:
    data = {"input": given, "code": "input"}
    return {"type": "Transform", "blockReferenceId": reference, "data": data, **envelope}


def call(url: str = "https://api.example/x") -> Json:
    return {"type": "API", "blockReferenceId": "call", "data": {"route": url}}


async def test_blocks_run_one_after_the_other_and_their_events_are_kept(harness: Harness) -> None:
    result = await harness.run(value("a", "{{params.n}}"), value("b", "{{blocks.a}}!"), params={"n": 7})
    assert result.outputs == {"a": 7, "b": "7!"}
    assert [event.block_reference_id for event in result.events if event.type == "block.finished"] == [
        "a",
        "b",
    ]


async def test_an_error_is_raised_as_the_block_raised_it_and_what_came_before_is_kept(
    harness: Harness,
) -> None:
    fails = {"type": "FailOnCondition", "data": {"condition": "True", "message": "no more"}}
    with pytest.raises(BlockFailed, match=r"^no more$"):
        await harness.run(value("a", 1), fails)
    assert harness.response == {"a": 1}


async def test_the_result_has_what_each_block_returned(harness: Harness) -> None:
    nap = {"type": "Wait", "blockReferenceId": "nap", "data": {"durationMs": 1500}}
    result = await harness.run(value("a", 7), nap)
    assert result.outcomes["a"].output == 7
    assert "1500 ms" in result.outcomes["nap"].message


async def test_a_failed_run_leaves_its_events_and_outcomes_behind(harness: Harness) -> None:
    fails = {"type": "FailOnCondition", "data": {"condition": "True", "message": "no more"}}
    with pytest.raises(BlockFailed):
        await harness.run(value("a", 1), fails)
    assert list(harness.result.outcomes) == ["a"]
    assert [text.partition(":")[2] for text in harness.result.events_of("block.failed")] == [" no more"]


async def test_without_a_run_there_is_no_result(harness: Harness) -> None:
    with pytest.raises(InvalidRequest):
        await harness.run({"type": "Wait", "data": {"durationMs": "soon"}})
    with pytest.raises(OurFault, match="No run has begun"):
        _ = harness.result


async def test_signing_in_succeeds_at_once_and_is_noted(harness: Harness) -> None:
    login = await harness.add_login("https://api.example/")
    await harness.run(value("a", 1), login=login)
    assert [call.login_id for call in harness.sign_ins] == [login.id]


async def test_a_definition_is_refused_as_the_api_refuses_it(harness: Harness) -> None:
    with pytest.raises(InvalidRequest, match="durationMs"):
        await harness.run({"type": "Wait", "data": {"durationMs": "soon"}})


async def test_sleeping_is_counted_and_takes_no_time(harness: Harness) -> None:
    assert (await harness.run({"type": "Wait", "data": {"durationMs": 3_600_000}})).slept_seconds == 3600


async def test_http_gives_the_scripted_answers_and_keeps_the_requests(harness: Harness) -> None:
    url = "https://api.example/x"
    answer = HttpAnswer(status=200, url=url, headers=[("content-type", "application/json")], body=b'{"a": 1}')
    harness.seams.http = http = ScriptedHttp([answer])
    assert (await harness.run(call(url))).outputs["call"]["data"] == {"a": 1}
    assert [(item.method, item.url) for item in http.sent] == [("GET", url)]


async def test_a_request_without_an_answer_says_what_the_test_lacks(harness: Harness) -> None:
    with pytest.raises(SiteDown, match=r"ScriptedHttp\.answers"):
        await harness.run(call())


async def test_mail_is_kept_in_the_outbox(harness: Harness) -> None:
    harness.seams.mail = outbox = Outbox(refuses=["bo@b.example"])
    data = {"toAddresses": ["ann@a.example", "bo@b.example"], "subject": "Hello", "body": "Dear all"}
    await harness.run({"type": "SendEmail", "data": data})
    assert [message["Subject"] for message in outbox.messages] == ["Hello"]


async def test_a_page_block_says_how_to_get_a_page(harness: Harness) -> None:
    with pytest.raises(BlockFailed, match="open_browser"):
        await harness.run({"type": "Hover", "data": {}, "locator": {"css": "#menu"}})


async def test_a_block_that_needs_a_model_hears_that_there_is_none(harness: Harness) -> None:
    with pytest.raises(ModelNeeded, match="PAGEHAND_MODEL"):
        await harness.run({"type": "If", "data": {"condition": {"prompt": "It rains"}}})


async def test_files_go_in_and_come_out(harness: Harness) -> None:
    given = await harness.add_file("list.csv", b"a,b\r\n1,2\r\n", "text/csv")
    result = await harness.run(
        {"type": "ParseDocument", "blockReferenceId": "it", "data": {"file": given}},
        {"type": "Parse to CSV", "blockReferenceId": "csv", "data": {"input": [["x"], [1]]}},
    )
    assert result.outputs["it"]["tables"] == [[["a", "b"], ["1", "2"]]]
    assert await harness.read_file(result.outputs["csv"]) == b"x\r\n1\r\n"


async def test_secrets_of_a_login_go_to_its_site_alone_and_are_never_shown(harness: Harness) -> None:
    login = await harness.add_login("https://api.example/", token="t0ps3cret-token")
    url = "https://api.example/x"
    answer = HttpAnswer(
        status=200, url=url, headers=[("content-type", "text/plain")], body=b"t0ps3cret-token"
    )
    harness.seams.http = http = ScriptedHttp([answer])
    block = call(url)
    block["data"]["headers"] = {"X-Token": "{{login.token}}"}
    result = await harness.run(block, login=login)
    assert ("X-Token", "t0ps3cret-token") in http.sent[0].headers
    assert "t0ps3cret-token" not in str(result.outputs)


async def test_a_run_can_begin_at_a_block(harness: Harness) -> None:
    assert (await harness.run(value("a", 1), value("b", 2), start="b")).outputs == {"b": 2}


async def test_seams_may_be_given_from_the_start() -> None:
    async with Harness(Seams(http=ScriptedHttp([SiteDown("gone for lunch")]))) as harness:
        with pytest.raises(SiteDown, match="gone for lunch"):
            await harness.run(call())

"""The API block against a web service on loopback, through the real client and the real egress policy."""

import base64
import contextlib
import json
import time
from collections.abc import AsyncIterator, Iterator
from email.utils import formatdate
from typing import Any

import pytest

from pagehand.blocks import kinds
from pagehand.blocks.outside.api import API, EXAMPLES
from pagehand.egress.http import HttpClient
from pagehand.egress.policy import EgressPolicy
from pagehand.errors import BlockFailed, InvalidRequest, SiteDown, TimedOut, Unanswered
from pagehand.testing import Harness, RunResult
from support.webservice import Reply, WebService, json_reply, web_service

pytestmark = pytest.mark.anyio

Json = dict[str, Any]


@pytest.fixture
def service() -> Iterator[WebService]:
    with web_service() as service:
        yield service


@pytest.fixture
async def http() -> AsyncIterator[HttpClient]:
    client = HttpClient(EgressPolicy("127.0.0.1:*"))
    yield client
    await client.close()


class Caller:
    """Runs API blocks one at a time."""

    def __init__(self, harness: Harness, http: HttpClient, service: WebService) -> None:
        self.harness, self.service = harness, service
        harness.seams.http = http
        self.run: RunResult | None = None

    async def call(self, data: Json, **more: Any) -> Json:
        data = {"route": f"{self.service.url}/echo", **data}
        definition: Json = {"type": "API", "blockReferenceId": "call", "data": data}
        self.run = await self.harness.run(definition, **more)
        return self.run.outputs["call"]

    async def echo(self, data: Json, **more: Any) -> Json:
        return (await self.call(data, **more))["data"]


@pytest.fixture
def caller(harness: Harness, http: HttpClient, service: WebService) -> Caller:
    return Caller(harness, http, service)


@pytest.mark.parametrize("example", EXAMPLES)
async def test_examples_run(caller: Caller, example: Json) -> None:
    params = {"site": caller.service.url, "token": "t0k3n-of-the-day"}
    run = await caller.harness.run({**example, "blockReferenceId": "call"}, params=params)
    assert run.outputs["call"]["status"] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "post"])
async def test_an_object_is_sent_as_json(caller: Caller, method: str) -> None:
    seen = await caller.echo({"method": method, "data": {"name": "Ånn", "tags": [1, None]}})
    assert seen["method"] == method.upper()
    assert json.loads(seen["body"].encode("latin-1")) == {"name": "Ånn", "tags": [1, None]}
    assert seen["headers"]["content-type"] == "application/json"


async def test_head_gives_status_and_headers_and_no_data(caller: Caller) -> None:
    answer = await caller.call({"method": "HEAD"})
    assert answer["status"] == 200
    assert answer["data"] is None
    assert answer["headers"]["content-type"] == "application/json"


async def test_query_values_join_those_of_the_address(caller: Caller) -> None:
    query = {"q": "a b&c", "n": 3, "tag": ["x", "y"], "none": None, "deep": {"k": 1}}
    seen = await caller.echo({"route": f"{caller.service.url}/echo?page=2", "query": query})
    assert seen["path"] == "/echo?page=2&q=a+b%26c&n=3&tag=x&tag=y&deep=%7B%22k%22%3A+1%7D"


async def test_a_form_body_is_url_encoded(caller: Caller) -> None:
    seen = await caller.echo({"method": "POST", "bodyType": "form", "data": {"a": "1 2", "b": [3, 4]}})
    assert seen["body"] == "a=1+2&b=3&b=4"
    assert seen["headers"]["content-type"] == "application/x-www-form-urlencoded"


async def test_text_is_sent_as_it_is_under_the_type_the_headers_name(caller: Caller) -> None:
    seen = await caller.echo(
        {"method": "POST", "data": "<a/>", "headers": {"Content-Type": "application/xml"}}
    )
    assert seen["body"] == "<a/>"
    assert seen["headers"]["content-type"] == "application/xml"


async def test_a_multipart_body_carries_files_beside_fields(caller: Caller, harness: Harness) -> None:
    table: Json = {
        "type": "ParseToCsv",
        "blockReferenceId": "table",
        "data": {"input": [{"a": 1}], "fileName": "t.csv"},
    }
    send: Json = {
        "type": "API",
        "blockReferenceId": "call",
        "data": {
            "method": "POST",
            "route": f"{caller.service.url}/echo",
            "bodyType": "multipart",
            "data": {"note": "hello", "upload": "{{blocks.table}}"},
        },
    }
    run = await harness.run(table, send)
    seen = run.outputs["call"]["data"]
    assert seen["headers"]["content-type"].startswith("multipart/form-data; boundary=")
    assert 'name="note"\r\n\r\nhello' in seen["body"]
    assert 'name="upload"; filename="t.csv"' in seen["body"]
    assert "a\r\n1" in seen["body"]


async def test_multipart_without_files_is_still_multipart(caller: Caller) -> None:
    seen = await caller.echo({"method": "POST", "bodyType": "multipart", "data": {"a": 1, "b": ["x", "y"]}})
    assert seen["headers"]["content-type"].startswith("multipart/form-data")
    assert seen["body"].count("Content-Disposition") == 3


async def test_a_whole_file_can_be_the_body(caller: Caller, harness: Harness) -> None:
    table: Json = {
        "type": "ParseToCsv",
        "blockReferenceId": "table",
        "data": {"input": [{"a": 1}], "fileName": "t.csv"},
    }
    data = {
        "method": "PUT",
        "route": f"{caller.service.url}/echo",
        "bodyType": "file",
        "data": "{{blocks.table}}",
    }
    run = await harness.run(table, {"type": "API", "blockReferenceId": "call", "data": data})
    seen = run.outputs["call"]["data"]
    assert (seen["body"], seen["headers"]["content-type"]) == ("a\r\n1\r\n", "text/csv")


async def test_secrets_of_a_login_are_filled_in_in_headers_and_auth_alone(caller: Caller) -> None:
    seen = await caller.echo(
        {
            "method": "POST",
            "route": f"{caller.service.url}/echo?key={{{{login.apiKey}}}}",
            "query": {"q": "{{login.apiKey}}"},
            "data": {"body": "{{login.apiKey}}"},
            "headers": {"X-Key": "{{login.apiKey}}"},
            "auth": {"type": "bearer", "token": "{{login.apiKey}}"},
        },
        login=await caller.harness.add_login(caller.service.url, apiKey="s3cr3t-of-the-login"),
    )
    headers = caller.service.requests[-1].headers
    assert headers["x-key"] == "s3cr3t-of-the-login"
    assert headers["authorization"] == "Bearer s3cr3t-of-the-login"
    assert "s3cr3t-of-the-login" not in str(seen)
    assert seen["path"] == "/echo?key=***&q=%2A%2A%2A"
    assert json.loads(seen["body"]) == {"body": "***"}


@pytest.mark.parametrize(
    ("auth", "kept"),
    [
        ({"type": "basic", "username": "ann", "password": "hunter22"}, "hunter22"),
        ({"type": "basic", "username": "ann", "password": "hunter22"}, "YW5uOmh1bnRlcjIy"),
        ({"type": "bearer", "token": "abcdef"}, "abcdef"),
        ({"type": "header", "name": "X-Token", "value": "abcdef"}, "abcdef"),
        ({"type": "query", "name": "key", "value": "abcdef"}, "abcdef"),
    ],
)
async def test_what_auth_sends_is_kept_out_of_everything_that_is_shown(
    caller: Caller, auth: Json, kept: str
) -> None:
    await caller.echo({"auth": auth})
    assert caller.run is not None
    assert kept not in caller.run.redactor.text(f"so {kept} it is")


async def test_basic_auth_is_encoded_as_the_standard_says(caller: Caller) -> None:
    seen = await caller.echo({"auth": {"type": "basic", "username": "a", "password": "ü:b"}})
    assert base64.b64decode(seen["headers"]["authorization"].split()[1]).decode() == "a:ü:b"


@pytest.mark.parametrize(
    ("answer", "data"),
    [
        (json_reply({"a": [1, 2]}), {"a": [1, 2]}),
        (Reply(b'{"a": 1}', headers={"Content-Type": "application/problem+json"}), {"a": 1}),
        (Reply(b"{broken", headers={"Content-Type": "application/json"}), "{broken"),
        (Reply(b"[" * 500 + b"]" * 500, headers={"Content-Type": "application/json"}), "[" * 500 + "]" * 500),
        (Reply("naïve".encode("latin-1"), headers={"Content-Type": "text/plain; charset=latin-1"}), "naïve"),
        (Reply(b"ok", headers={"Content-Type": "text/plain; charset=nonsense"}), "ok"),
        (Reply(b"<a/>", headers={"Content-Type": "application/atom+xml"}), "<a/>"),
        (Reply(b"no type", headers={}), "no type"),
        (Reply(b"", 204), None),
    ],
)
async def test_the_answer_is_read_by_its_content_type(caller: Caller, answer: Reply, data: Any) -> None:
    caller.service.answers["/echo"] = answer
    assert (await caller.call({}))["data"] == data


async def test_bytes_become_a_file_named_by_the_server(caller: Caller) -> None:
    headers = {
        "Content-Type": "application/pdf",
        "Content-Disposition": 'attachment; filename="../../march.pdf"',
    }
    caller.service.answers["/echo"] = Reply(b"%PDF-\x00", headers=headers)
    data = (await caller.call({}))["data"]
    assert (data["name"], data["mimeType"], data["sizeBytes"]) == ("march.pdf", "application/pdf", 6)


async def test_save_as_keeps_the_body_whatever_it_is(caller: Caller) -> None:
    answer = await caller.call({"saveAs": "answer.json"})
    assert answer["data"]["name"] == "answer.json"
    assert caller.run is not None
    assert b"/echo" in await caller.harness.read_file(answer["data"])


@pytest.mark.parametrize(
    ("status", "expect"), [(404, 404), (404, [200, 404]), (418, "4xx"), (500, "200-299,500"), (302, None)]
)
async def test_a_status_that_is_expected_is_fine(caller: Caller, status: int, expect: Any) -> None:
    caller.service.answers["/echo"] = Reply(b"", status)
    assert (await caller.call({"expectStatus": expect}))["status"] == status


@pytest.mark.parametrize(
    ("status", "expect", "error"),
    [(404, None, BlockFailed), (200, 201, BlockFailed), (500, None, SiteDown), (503, "2xx", SiteDown)],
)
async def test_any_other_status_fails_the_block_and_says_what_came(
    caller: Caller, status: int, expect: Any, error: type[Exception]
) -> None:
    caller.service.answers["/echo"] = Reply(b"out of stock", status)
    with pytest.raises(error, match=f"status {status}: out of stock"):
        await caller.call({"method": "POST", "expectStatus": expect})


@pytest.mark.parametrize("header", [{"Retry-After": "1"}, {"Retry-After": "date"}, {}])
async def test_a_reading_call_waits_as_long_as_the_service_asks(caller: Caller, header: Json) -> None:
    in_two_seconds = formatdate(time.time() + 2, usegmt=True)
    headers = {name: value.replace("date", in_two_seconds) for name, value in header.items()}
    caller.service.answers["/echo"] = [Reply(b"", 429, headers), json_reply("here")]
    assert (await caller.call({}))["data"] == "here"
    assert caller.run is not None
    assert 0 < caller.run.slept_seconds <= 2
    assert len(caller.service.requests) == 2


@pytest.mark.parametrize(
    ("data", "header"),
    [({"method": "POST"}, "1"), ({}, "3600"), ({"timeoutMs": 900}, "1"), ({"expectStatus": 503}, "1")],
)
async def test_nothing_is_asked_again_past_the_blocks_time_nor_when_it_may_act(
    caller: Caller, data: Json, header: str
) -> None:
    caller.service.answers["/echo"] = Reply(b"", 503, {"Retry-After": header})
    with contextlib.suppress(SiteDown):
        await caller.call(data)
    assert len(caller.service.requests) == 1


async def test_a_service_that_is_down_counts_as_the_outside_being_down(caller: Caller) -> None:
    with pytest.raises(SiteDown, match=r"`127\.0\.0\.1:1` cannot be reached: connection refused"):
        await caller.call({"route": "http://127.0.0.1:1/"})


async def test_a_service_that_never_answers_uses_up_the_blocks_time(caller: Caller) -> None:
    caller.service.answers["/echo"] = Reply(delay=5)
    with pytest.raises(TimedOut, match=r"did not answer within 0\.\d+ s"):
        await caller.call({"timeoutMs": 300})


async def test_a_connection_lost_after_a_commit_names_the_doubt(caller: Caller) -> None:
    caller.service.answers["/echo"] = Reply(drops=True)
    with pytest.raises(Unanswered, match="Whether the effect happened is unknown"):
        await caller.call({"method": "POST", "isCommit": True})
    assert len(caller.service.requests) == 1


async def test_doubt_waits_for_a_persons_word_where_it_should(caller: Caller) -> None:
    caller.service.answers["/echo"] = Reply(drops=True)
    assert await caller.call({"method": "POST", "isCommit": True, "onDoubt": "pause"}) is None
    assert caller.run is not None
    assert "Approve (resume) if it did happen" in caller.run.waits[0]


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_reading_never_commits(method: str) -> None:
    assert not API.parse({"method": method, "route": "https://a.example", "isCommit": True}).commits


def test_acting_commits_when_marked() -> None:
    assert API.parse({"method": "POST", "route": "https://a.example", "isCommit": True}).commits
    assert not API.parse({"method": "POST", "route": "https://a.example"}).commits


def test_a_path_needs_a_page_and_an_address_does_not() -> None:
    assert API.parse({"route": "/orders"}).wants_page()
    assert not API.parse({"route": "https://a.example/orders"}).wants_page()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"route": ""}, "`data.route`"),
        ({"route": "https://a", "method": "BREW"}, "`data.method`: expected one of"),
        ({"route": "https://a", "expectStatus": "fine"}, "`fine` is not a status"),
        ({"route": "https://a", "data": {"a": 1}}, "put the values of `data` into `query`"),
        ({"route": "https://a", "auth": {"type": "basic", "username": "a"}}, "`basic` needs `password`"),
        ({"route": "https://a", "auth": {"type": "magic"}}, "`data.auth.type`"),
        ({"route": "https://a", "header": {}}, "did you mean `headers`?"),
        ({"route": "https://a", "headers": {"A": "{{7*7}}"}}, "is not a template"),
    ],
)
def test_what_makes_no_sense_is_refused_when_it_is_written(data: Json, sentence: str) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        API.check(data, None)
    assert sentence in refusal.value.message


@pytest.mark.parametrize(
    ("headers", "sentence"),
    [
        ({"X-A": "a\r\nX-B: b"}, "holds a line break"),
        ({"X-A": "a\nb"}, "holds a line break"),
        ({"X-A": "a\x07b"}, "holds a line break or another"),
        ({"X-A: b\r\nX-C": "c"}, "cannot be the name of a header"),
        ({"Host": "elsewhere.example"}, "set by Pagehand itself"),
        ({"Transfer-Encoding": "chunked"}, "set by Pagehand itself"),
    ],
)
async def test_headers_cannot_smuggle_anything(caller: Caller, headers: Json, sentence: str) -> None:
    with pytest.raises(BlockFailed, match=sentence):
        await caller.call({"headers": headers})
    assert caller.service.requests == []


async def test_a_refused_address_names_host_and_setting(caller: Caller) -> None:
    with pytest.raises(
        BlockFailed, match=r"`10\.0\.0\.1:80` is not a public address.*`PAGEHAND_EGRESS_ALLOW`"
    ):
        await caller.call({"route": "http://10.0.0.1/"})


async def test_an_answer_too_large_to_be_data_asks_for_a_file(caller: Caller) -> None:
    caller.service.answers["/echo"] = Reply(b"x" * (11 * 1024 * 1024), headers={"Content-Type": "text/plain"})
    with pytest.raises(BlockFailed, match="Name one in `saveAs`"):
        await caller.call({})
    assert (await caller.call({"saveAs": "big.txt"}))["data"]["sizeBytes"] == 11 * 1024 * 1024


def test_the_kind_is_registered_under_its_exact_type() -> None:
    assert kinds()["API"] is API

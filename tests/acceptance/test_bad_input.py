"""Every field of every operation, in every wrong way: refused by name, and nothing is changed."""

import json
import re
from typing import Any

import pytest

from support.blocks import value, wait
from support.database import add_key, add_thread
from support.requests import Description, Field
from support.service import Api, Json, RunningService

LISTS = (
    "workflows",
    "executions",
    "batches",
    "tags",
    "logins",
    "files",
    "keys",
    "webhooks",
    "knowledge",
    "schedules",
)
LOGIN = {"name": "L", "authenticationUrl": "https://bank.example/in", "loginConfiguration": {"username": "u"}}


@pytest.fixture(scope="module")
def caller(service: RunningService) -> Api:
    """An organization of its own, so that nobody else changes what is compared."""
    return service.api(add_key(service, "matrix"))


@pytest.fixture(scope="module")
def ids(service: RunningService, caller: Api) -> dict[str, str]:
    """One real thing of each noun."""
    flow = caller.create("File a claim", value("x"), tags=["claims"])
    execution = caller.call("/workflows/executeSync", {"workflowId": flow["id"]})["execution"]
    batch = caller.call("/batches/create", {"name": "b", "workflowId": flow["id"], "rows": [{}]})["batch"]
    [row] = caller.call("/executions/list", {"batch": batch["id"]})["executions"]
    caller.wait_for(row["id"], "Completed")
    hook = {"url": "https://hooks.example.com/pagehand", "events": ["batch.finished"]}
    return {
        "wf": flow["id"],
        "exec": execution["id"],
        "bs": execution["browserSessionId"],
        "batch": batch["id"],
        "webhook": caller.call("/webhooks/create", hook)["webhook"]["id"],
        "delivery": "delivery_none",
        "schedule": caller.call("/schedules/create", {"workflowId": flow["id"], "cron": "0 4 1 1 *"})[
            "schedule"
        ]["id"],
        "doc": caller.call("/knowledge/create", {"name": "d", "text": "zebra"})["document"]["id"],
        "tag": flow["tags"][0]["id"],
        "login": caller.call("/logins/create", LOGIN)["login"]["id"],
        "file": caller.call("/files/upload", {"name": "a", "contentBase64": ""})["file"]["id"],
        "key": caller.call("/keys/list")["keys"][0]["id"],
        "thread": add_thread(service, "matrix"),
        "block": flow["blocks"][0]["id"],
    }


@pytest.fixture(scope="module")
def description(caller: Api, ids: dict[str, str]) -> Description:
    return Description(caller.http.get("/openapi.json").json(), ids)


def everything(caller: Api) -> Json:
    """All an organization has, without what changes by looking."""
    found = {noun: caller.call(f"/{noun}/list", {"limit": 1000}) for noun in LISTS}
    text = re.sub(r'"(downloadUrl|lastUsedAt)": "[^"]*"', r'"\1": ""', json.dumps(found))
    return json.loads(text)


def trouble(answer: Any, named: str) -> str:
    """What is wrong with a refusal; nothing if it is a 400 of one sentence that names the field."""
    if answer.status_code != 400:
        return f"{answer.status_code} {answer.text[:200]}"
    body = answer.json()
    if list(body) != ["error"] or not isinstance(body["error"], str):
        return f"not {{error: sentence}}: {answer.text[:200]}"
    if re.search(r"expected( one of)?\W*$", body["error"]):
        return f"does not say what was expected: {body['error']}"
    return "" if re.search(rf"(?<!\w){re.escape(named)}(?!\w)", body["error"]) else body["error"]


def test_every_operation_has_fields_to_get_wrong(description: Description) -> None:
    assert len(description.operations) > 40
    counted = {path: len(description.fields(path)) for path in description.operations}
    assert sum(counted.values()) > 200
    assert {path for path, count in counted.items() if count == 0} == {
        "/demo/get",
        "/installation/get",
        "/organization/get",
        "/statistics/modelUsage",
        "/workflows/blocks/kinds",
    }


@pytest.mark.slow
def test_every_wrong_value_is_refused_by_the_name_of_its_field(caller: Api, description: Description) -> None:
    tried = 0
    wrong: list[str] = []
    before = everything(caller)
    for path in description.operations:
        for field in description.fields(path):
            for item in description.wrong_values(field):
                tried += 1
                body = description.request_with(path, field, item)
                if "blocks" in field.path[2:]:
                    body["operations"][0]["type"] = "replaceAll"  # the one that looks at it
                found = trouble(caller.post(path, body), field.name)
                if found:
                    wrong.append(f"{path} {field.path} = {json.dumps(item)[:40]}: {found}")
        after = everything(caller)
        if after != before:
            wrong.append(f"{path} changed something")
        before = after
    assert not wrong, f"{len(wrong)} of {tried}:\n" + "\n".join(wrong)
    assert tried > 1500


def test_a_required_field_that_is_left_out_is_named(caller: Api, description: Description) -> None:
    wrong: list[str] = []
    for path in description.operations:
        for field in description.fields(path):
            if not field.is_required or not isinstance(field.path[-1], str):
                continue
            body = description.request_with(path, field, "to be left out")
            del parent(body, field)[field.path[-1]]
            if found := trouble(caller.post(path, body), field.name):
                wrong.append(f"{path} {field.path}: {found}")
    assert not wrong, "\n".join(wrong)


def parent(body: Json, field: Field) -> Any:
    here: Any = body
    for part in field.path[:-1]:
        here = here[part]
    return here


@pytest.mark.slow
def test_null_for_an_optional_field_means_not_given(service: RunningService) -> None:
    own = service.api(add_key(service, "nulls"))
    flow = own.create("File a claim", value("x"))
    document = own.http.get("/openapi.json").json()
    description = Description(
        document,
        dict.fromkeys(
            (
                "wf",
                "exec",
                "batch",
                "tag",
                "login",
                "file",
                "key",
                "thread",
                "webhook",
                "delivery",
                "doc",
                "bs",
                "schedule",
            ),
            "none",
        ),
    )
    wrong: list[str] = []
    for path in description.operations:
        example = description.example(path)
        optional = [
            field.name for field in description.fields(path) if len(field.path) == 1 and not field.is_required
        ]
        plain = {name: given for name, given in example.items() if name not in optional}
        nulls = {**plain, **dict.fromkeys(optional)}
        statuses = [own.post(path, fields).status_code for fields in (plain, nulls)]
        if statuses[0] != statuses[1] or statuses[1] >= 500:
            wrong.append(f"{path}: {statuses}")
    assert not wrong, "\n".join(wrong)
    started = own.call("/workflows/execute", {"workflowId": flow["id"], "params": None, "timeout": None})
    assert started["execution"]["params"] == {}


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"{", "JSON"),
        (b"\xff\xfe", "JSON"),
        (b"[]", "object"),
        (b'"text"', "object"),
        (b"null", "object"),
        (b'{"search": ["\\u0000"]}', "NUL"),
        (b'{"search": [' + b"[" * 100 + b"]" * 100 + b"]}", "deep"),
        (b'{"limit": NaN}', "JSON"),
        (b'{"limit": 1e400}', "JSON"),
    ],
)
def test_a_body_that_is_not_a_request_is_refused(caller: Api, body: bytes, named: str) -> None:
    answer = caller.http.post("/executions/list", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400, answer.text
    assert list(answer.json()) == ["error"]
    assert named in answer.json()["error"]


def test_a_missing_body_counts_as_an_empty_object(caller: Api) -> None:
    assert caller.http.post("/executions/list").status_code == 200
    assert caller.http.post("/executions/list", headers={"Content-Type": "text/plain"}).status_code == 200
    assert "`id`" in caller.http.post("/executions/get").json()["error"]


def test_checks_come_in_the_order_that_is_promised(api: Api) -> None:
    """Each request has the fault named and every later one; the earliest answers."""
    bad_key = {"Authorization": "Bearer ph_no_such"}
    evil = {"Origin": "https://evil.example"}
    text = {"Content-Type": "text/plain"}
    json_type = {"Content-Type": "application/json"}
    big = b"x" * (10 * 1024 * 1024 + 1)
    steps: list[tuple[int, str, str, bytes, Json]] = [
        (404, "GET", "/executions/nowhere", b"", evil),
        (404, "POST", "/executions/get/", b"{}", json_type),
        (405, "GET", "/executions/get", b"", evil),
        (405, "PUT", "/executions/get", b"{", bad_key),
        (403, "POST", "/executions/get", b"{", evil | text),
        (401, "POST", "/executions/get", b"{", bad_key | text),
        (415, "POST", "/executions/get", big, text),
        (413, "POST", "/executions/get", big, json_type),
        (400, "POST", "/executions/get", b'{"id": 7}', json_type),
        (404, "POST", "/executions/get", b'{"id": "exec_no"}', json_type),
    ]
    for status, method, path, body, headers in steps:
        answer = api.http.request(method, path, content=body, headers=headers)
        assert answer.status_code == status, (
            f"{method} {path} {headers}: {answer.status_code} {answer.text[:200]}"
        )
        assert list(answer.json()) == ["error"], f"{method} {path}"
        assert answer.headers["content-type"] == "application/json"


def test_framework_pages_are_not_served(api: Api) -> None:
    for path in ("/redoc", "/docs/oauth2-redirect", "//executions/get", "/executions/get?x=1/../.."):
        answer = api.http.get(path)
        assert answer.status_code in (404, 405), path
        assert list(answer.json()) == ["error"], path


def test_what_the_server_owns_cannot_be_set(caller: Api, ids: dict[str, str]) -> None:
    forged: Json = {
        "id": "forged_1",
        "organizationId": "org_forged",
        "status": "Completed",
        "createdAt": "2001-01-01T00:00:00.000Z",
        "attempts": 9,
        "response": {"forged": True},
        "key": "../../etc/passwd",
        "total": 99,
    }
    bodies: dict[str, Json] = {
        "/workflows/create": {"name": "forged", "blocks": [wait(1)]},
        "/workflows/execute": {"workflowId": ids["wf"]},
        "/batches/create": {"name": "b", "workflowId": ids["wf"], "rows": [{}]},
        "/tags/create": {"name": "forged"},
        "/files/upload": {"name": "f", "contentBase64": "QQ=="},
        "/logins/create": {**LOGIN, "name": "L2"},
    }
    for path, body in bodies.items():
        for name, content in forged.items():
            answer = caller.post(path, {**body, name: content})
            assert answer.status_code == 400, f"{path} {name}: {answer.text[:200]}"
            assert f"`{name}`" in answer.json()["error"]
    block = {**wait(1), "parentRelationship": {"blockDepth": 9, "positionInSequence": 9}}
    placed = caller.create("placed", block)["blocks"][0]["parentRelationship"]
    assert (placed["blockDepth"], placed["positionInSequence"]) == (0, 0)


def test_an_update_cannot_move_a_thing_elsewhere(caller: Api, ids: dict[str, str]) -> None:
    for path, noun in (("/logins/update", "login"), ("/workflows/update", "wf")):
        for name in ("organizationId", "createdAt"):
            answer = caller.post(path, {"id": ids[noun], name: "forged"})
            assert answer.status_code == 400, f"{path} {name}"
            assert f"`{name}`" in answer.json()["error"]

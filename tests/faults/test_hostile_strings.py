"""Hostile values in every field of every operation: stored and returned as sent, or refused, never a 5xx."""

import json

import httpx2
import pytest

from support.blocks import value
from support.requests import Description
from support.service import Api, Json
from support.workers import Fleet

DEEP = 100_000
RAW = "@hostile@"
"""Stands where the hostile value goes: not all of them can be written by `json.dumps`."""
VALUES = {
    "NUL": r'"a\u0000b"',
    "lone surrogate": r'"a\ud800b"',
    "right to left": json.dumps("\u202eevil\u2066 \u05e9\u05dc\u05d5\u05dd"),
    "beyond a double": "1e999",
    "1 MB": json.dumps("x" * 1_000_000),
    "very deep": "[" * DEEP + "]" * DEEP,
}
KEPT = ["\u202eevil\u2066 \u05e9\u05dc\u05d5\u05dd", "e\u0301\ufeff\ufffe", "x" * 1_000_000]
REFUSED = ["a\0b", "a\ud800b", "\udfff"]


@pytest.fixture(scope="module")
def caller(both: Fleet) -> Api:
    return both.nodes[0].api()


@pytest.fixture(scope="module")
def description(caller: Api) -> Description:
    """With ids of real things where a request changes them, so that hostile values get further than a 404."""
    flow = caller.create("hostile", value("x"), tags=["hostile"])
    execution = caller.call("/workflows/executeSync", {"workflowId": flow["id"]})["execution"]
    login = {
        "name": "L",
        "authenticationUrl": "https://bank.example/in",
        "loginConfiguration": {"username": "u"},
    }
    hook = {"url": "https://hooks.example.com/pagehand", "events": ["batch.finished"]}
    yearly = {"workflowId": flow["id"], "cron": "0 4 1 1 *"}
    rows: Json = {"name": "b", "workflowId": flow["id"], "rows": [{}]}
    ids = {
        "wf": flow["id"],
        "exec": execution["id"],
        "bs": "bs_none",
        "batch": caller.call("/batches/create", rows)["batch"]["id"],
        "webhook": caller.call("/webhooks/create", hook)["webhook"]["id"],
        "delivery": "delivery_none",
        "schedule": caller.call("/schedules/create", yearly)["schedule"]["id"],
        "doc": caller.call("/knowledge/create", {"name": "d", "text": "zebra"})["document"]["id"],
        "tag": flow["tags"][0]["id"],
        "login": caller.call("/logins/create", login)["login"]["id"],
        "file": caller.call("/files/upload", {"name": "a", "contentBase64": ""})["file"]["id"],
        "key": "key_none",
        "thread": "thread_none",
        "block": flow["blocks"][0]["id"],
    }
    return Description(caller.http.get("/openapi.json").json(), ids)


@pytest.mark.parametrize("name", VALUES)
def test_no_field_breaks_the_service(caller: Api, description: Description, name: str) -> None:
    headers, broken = {"Content-Type": "application/json"}, list[str]()
    for path in description.operations:
        for field in description.fields(path):
            body = json.dumps(description.request_with(path, field, RAW)).replace(f'"{RAW}"', VALUES[name])
            answer = caller.http.post(path, content=body.encode(), headers=headers)
            if answer.status_code >= 500:
                broken.append(f"{path} {field.path}: {answer.status_code} {answer.text[:200]}")
    assert broken == []


@pytest.mark.parametrize("text", KEPT, ids=range(len(KEPT)))
def test_what_is_sent_comes_back_as_it_was(caller: Api, text: str) -> None:
    sent: Json = {"plain": text, text[:100]: [text, {"deep": text}]}
    flow = caller.create("echo", value("out", "{{params.plain}}"))
    answer = execute(caller, flow["id"], sent)
    assert answer.status_code == 200, answer.text[:300]
    ended = answer.json()["execution"]
    assert ended["status"] == "Completed", ended["errorAnalysis"]
    assert caller.get(ended["id"])["params"] == sent


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_kept_is_refused(caller: Api, text: str) -> None:
    flow = caller.create("echo", value("out"))
    answer = execute(caller, flow["id"], {"plain": text})
    assert (answer.status_code, list(answer.json())) == (400, ["error"])


def execute(caller: Api, workflow_id: str, params: Json) -> httpx2.Response:
    """Half characters go as escapes, which the client's own writer of JSON cannot do."""
    body = json.dumps({"workflowId": workflow_id, "params": params}).encode()
    headers = {"Content-Type": "application/json"}
    return caller.http.post("/workflows/executeSync", content=body, headers=headers)

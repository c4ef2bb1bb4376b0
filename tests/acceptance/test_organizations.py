"""One organization never touches another's thing: the same answer as for what does not exist."""

import json
import re
from typing import Any

import httpx2
import pytest

from support.database import add_key
from support.requests import Description, Field
from support.service import Api, Json, RunningService
from support.things import one_of_each

PREFIXES = {
    "executions": "exec",
    "workflows": "wf",
    "batches": "batch",
    "tags": "tag",
    "logins": "login",
    "files": "file",
    "keys": "key",
    "agents": "thread",
    "webhooks": "webhook",
    "knowledge": "doc",
    "liveSessions": "exec",
    "schedules": "schedule",
    "browserSessions": "bs",
}
"""What `id` names, by the first word of the path."""
FIELDS = {
    "workflowId": "wf",
    "loginId": "login",
    "batchId": "batch",
    "batch": "batch",
    "tagFilters": "tag",
    "executionId": "exec",
    "instructorExecutionId": "exec",
    "continueExecutionId": "exec",
    "likeExecutionId": "exec",
    "threadId": "thread",
    "agentConversationThreadId": "thread",
    "browserSessionId": "bs",
    "startBlockId": "block",
    "firstBlockId": "block",
    "blockId": "block",
    "previousBlockId": "block",
    "parentBlockId": "block",
    "lastBlockId": "block",
    "fileId": "file",
    "deliveryId": "delivery",
}
"""What other fields name."""
NOT_THINGS = {"parentSequenceId"}
MADE_UP = "01k00000000000000000000000"


@pytest.fixture(scope="module")
def mine(service: RunningService) -> Api:
    return service.api(add_key(service, "mine"))


@pytest.fixture(scope="module")
def theirs(service: RunningService) -> Api:
    return service.api(add_key(service, "theirs"))


@pytest.fixture(scope="module")
def my_ids(service: RunningService, mine: Api) -> dict[str, str]:
    return one_of_each(service, mine, "mine")


@pytest.fixture(scope="module")
def their_ids(service: RunningService, theirs: Api) -> dict[str, str]:
    return one_of_each(service, theirs, "theirs")


@pytest.fixture(scope="module")
def description(mine: Api, my_ids: dict[str, str]) -> Description:
    return Description(mine.http.get("/openapi.json").json(), my_ids)


def everything(api: Api, thread: str) -> Json:
    """All that an organization has, without what changes by looking."""
    nouns = (
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
    found = {noun: api.call(f"/{noun}/list", {"limit": 1000}) for noun in nouns}
    found["messages"] = api.call("/agents/session/messages/list", {"id": thread})
    return json.loads(re.sub(r'"(downloadUrl|lastUsedAt)": "[^"]*"', r'"\1": ""', json.dumps(found)))


def noun_of(path: str, field: Field) -> str | None:
    """The prefix of what a field names; None if it names nothing."""
    name = field.name
    if name in NOT_THINGS or not (name == "id" or name.endswith("Id") or name in FIELDS):
        return None
    if name == "id":
        return PREFIXES[path.split("/")[1]] if len(field.path) == 1 else None
    return FIELDS[name]  # a KeyError here: say above what the new field names


def id_fields(description: Description) -> list[tuple[str, Field, str]]:
    found = [
        (path, field, noun)
        for path in description.operations
        for field in description.fields(path)
        if (noun := noun_of(path, field)) is not None
    ]
    # a list of ids appears as the list and as its item: the item is enough
    return [item for item in found if item[1].name != "tagFilters" or isinstance(item[1].path[-1], int)]


@pytest.mark.slow
def test_every_id_of_another_gets_the_answer_of_one_that_does_not_exist(
    mine: Api, theirs: Api, their_ids: dict[str, str], description: Description
) -> None:
    before = everything(theirs, their_ids["thread"])
    rows = id_fields(description)
    wrong: list[str] = []
    for path, field, noun in rows:
        answers: list[tuple[int, str]] = []
        for given in (f"{noun}_{MADE_UP}", their_ids[noun]):
            body = description.request_with(path, field, given)
            _speak_of_it(body, field)
            answer = mine.post(path, body)
            answers.append((answer.status_code, answer.text.replace(given, "<id>")))
        status, text = answers[0]
        is_empty_list = status == 200 and '"total":0' in text
        is_refused = 400 <= status < 500 and list(json.loads(text)) == ["error"]
        if answers[0] != answers[1] or not (is_empty_list or is_refused):
            wrong.append(f"{path} {field.path}: {answers}")
    assert not wrong, "\n".join(wrong)
    assert len(rows) > 40
    assert everything(theirs, their_ids["thread"]) == before


def _speak_of_it(body: Json, field: Field) -> None:
    """Make the example look at the field, and mean a thing in one way only."""
    if field.name == "blockId" and "operations" in body:
        body["operations"][0]["type"] = "delete"
    if field.name == "previousBlockId" and "operations" in body:
        body["operations"][0]["target"]["type"] = "after"
    if field.name == "workflowId":
        body.pop("workflowName", None)
    if field.name == "threadId":
        body.pop("id", None)
    if field.name == "fileId":
        body.pop("text", None)
    if field.name == "loginId" and "workflowName" in body:
        body["workflowName"] = "File a claim"


def test_not_found_names_the_field(mine: Api, my_ids: dict[str, str], description: Description) -> None:
    del my_ids  # its workflow is the one that examples speak of
    wrong: list[str] = []
    for path, field, noun in id_fields(description):
        body = description.request_with(path, field, f"{noun}_{MADE_UP}")
        _speak_of_it(body, field)
        answer = mine.post(path, body)
        if answer.status_code == 404 and "Workflow not found or does not belong" not in answer.text:
            # `messages/list` takes `threadId` as another word for `id`
            names = {"id", "threadId"} if field.name == "threadId" else {field.name}
            if not any(f"`{name}`" in answer.json()["error"] for name in names):
                wrong.append(f"{path} {field.path}: {answer.text}")
    # nobody waits for a code at all here, whoever is named
    wrong = [item for item in wrong if "submitTwoFactorAuthCode" not in item]
    assert not wrong, "\n".join(wrong)


def test_lists_show_only_what_is_ones_own(
    mine: Api, my_ids: dict[str, str], their_ids: dict[str, str]
) -> None:
    shown = json.dumps(everything(mine, my_ids["thread"]))
    assert my_ids["wf"] in shown
    assert not [noun for noun, item in their_ids.items() if item in shown]


def test_a_workflow_is_looked_up_by_name_within_the_organization(
    mine: Api, my_ids: dict[str, str], their_ids: dict[str, str]
) -> None:
    done = mine.call("/workflows/executeSync", {"workflowName": "File a claim"})["execution"]
    assert done["workflow"]["id"] == my_ids["wf"] != their_ids["wf"]


def test_the_same_tag_name_is_another_tag(mine: Api, theirs: Api) -> None:
    tags = [api.call("/tags/create", {"name": "shared word"})["tag"] for api in (mine, theirs)]
    assert tags[0]["id"] != tags[1]["id"]


def test_a_block_cannot_use_anothers_login(mine: Api, their_ids: dict[str, str]) -> None:
    reported: list[str] = []
    for login_id in (f"login_{MADE_UP}", their_ids["login"]):
        done = mine.run({"type": "Login", "blockReferenceId": "in", "data": {"loginId": login_id}})
        assert done["status"] == "Failed"
        assert done["contextAuthentications"] == []
        reported.append(done["errorAnalysis"].replace(login_id, "<id>"))
    assert reported[0] == reported[1]
    assert "Login of theirs" not in reported[1]


@pytest.mark.slow
def test_a_templated_login_is_looked_up_within_the_organization_too(
    mine: Api, their_ids: dict[str, str]
) -> None:
    block = {"type": "Login", "data": {"loginId": "{{params.who}}"}}
    done = mine.run(block, params={"who": their_ids["login"]})
    assert done["status"] == "Failed"
    assert "Login of theirs" not in json.dumps(done)


def test_a_run_cannot_read_anothers_file(mine: Api, their_ids: dict[str, str]) -> None:
    reported: list[str] = []
    for file_id in (f"file_{MADE_UP}", their_ids["file"]):
        block = {"type": "ParseToCsv", "blockReferenceId": "csv", "data": {"input": "{{params.file}}"}}
        done = mine.run(block, params={"file": {"id": file_id, "name": "secret.txt"}})
        assert done["status"] == "Failed", done["response"]
        reported.append(re.sub(r"\d+", "", done["errorAnalysis"].replace(file_id, "<id>")))
    assert reported[0] == reported[1]


def test_a_batch_of_ones_own_cannot_take_anothers_workflow(mine: Api, their_ids: dict[str, str]) -> None:
    answer = mine.post("/batches/create", {"name": "b", "workflowId": their_ids["wf"], "rows": [{}]})
    assert (answer.status_code, answer.json()) == (
        404,
        {"error": "Workflow not found or does not belong to this organization"},
    )


def test_a_cursor_of_another_is_worth_nothing(mine: Api, theirs: Api, their_ids: dict[str, str]) -> None:
    page = theirs.call("/executions/list", {"limit": 1, "workflowId": their_ids["wf"]})
    cursor = page["nextCursor"]
    assert cursor
    answer = mine.post("/executions/list", {"cursor": cursor})
    assert answer.status_code == 400
    assert "`cursor`" in answer.json()["error"]


def test_an_organizations_key_is_needed_for_its_screenshots_urls_only(
    theirs: Api, mine: Api, their_ids: dict[str, str]
) -> None:
    """A file's URL is the permission; without one no key of another helps."""
    file = theirs.call("/files/get", {"id": their_ids["file"]})["file"]
    assert httpx2.get(file["downloadUrl"]).content == b"A"
    key = str(mine.http.headers["authorization"])
    bare = file["downloadUrl"].partition("?")[0]
    assert httpx2.get(bare, headers={"Authorization": key}).status_code == 403
    assert mine.http.get(f"/files/{file['key']}").status_code == 404


@pytest.mark.parametrize(
    ("scopes", "allowed"),
    [
        (["read"], {"/tags/list"}),
        (["run"], {"/workflows/execute"}),
        (["edit"], {"/tags/create"}),
        (["admin"], {"/keys/list"}),
    ],
)
def test_a_key_does_only_what_its_scopes_allow(
    service: RunningService, my_ids: dict[str, str], scopes: list[str], allowed: set[str]
) -> None:
    caller = service.api(add_key(service, "mine", scopes=scopes))
    calls: dict[str, Any] = {
        "/tags/list": {},
        "/tags/create": {"name": "scoped"},
        "/keys/list": {},
        "/workflows/execute": {"workflowId": my_ids["wf"]},
    }
    for path, fields in calls.items():
        answer = caller.post(path, fields)
        assert answer.status_code == (200 if path in allowed else 403), f"{path}: {answer.text}"
        assert path in allowed or "scope" in answer.json()["error"]

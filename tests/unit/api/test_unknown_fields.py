"""Fields that an operation does not know: refused by name with the one that was meant, or let pass."""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from httpx2 import Response

    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio

OPEN: dict[str, dict[str, Any]] = {
    "/executions/retry": {"id": "exec_none"},
    "/workflows/executeSync": {"workflowId": "wf_none"},
    "/executions/get": {"id": "exec_none"},
    "/executions/list": {},
    "/logins/list": {},
    "/authentication/submitTwoFactorAuthCode": {"code": "123456"},
    "/agents/session/messages/list": {"id": "thread_none"},
    "/workflows/blocks/update": {"workflowId": "wf_none", "operations": []},
    "/workflows/blocks/chat": {"workflowId": "wf_none", "message": "Wait 1 second"},
}


def assert_refused(answer: "Response", status: int, *words: str) -> None:
    assert answer.status_code == status, answer.text
    assert not [word for word in words if word not in answer.json()["error"]], answer.text


@pytest.mark.parametrize("path", OPEN)
async def test_what_nobody_knows_is_ignored_by_the_operations_others_have_too(api: "Api", path: str) -> None:
    plain = await api.post(path, OPEN[path])
    more = await api.post(path, {**OPEN[path], "colour": "red", "clientVersion": 3, "traceparent": None})
    assert (more.status_code, more.json()) == (plain.status_code, plain.json())


@pytest.mark.parametrize(
    ("path", "field", "meant"),
    [
        ("/workflows/executeSync", "param", "`params`"),
        ("/workflows/executeSync", "Params", "`params`"),
        ("/workflows/executeSync", "startBlock", "`startBlockId`"),
        ("/workflows/executeSync", "workflow_id", "`workflowId`"),
        ("/workflows/executeSync", "login", "`loginId`"),
        ("/workflows/executeSync", "timeoutSeconds", "`timeout`"),
        ("/workflows/executeSync", "idempotencyKey", "header `Idempotency-Key`"),
        ("/workflows/executeSync", "rows", "`/batches/create`"),
        ("/executions/retry", "params", "`/workflows/execute`"),
        ("/executions/retry", "startBlockId", "`/workflows/execute`"),
        ("/executions/retry", "ID", "`id`"),
        ("/executions/list", "workflow", "`workflowId`"),
        ("/executions/list", "batchId", "`batch`"),
        ("/executions/list", "statuses", "`status`"),
        ("/executions/list", "from", "`fromTs`"),
        ("/executions/list", "from_ts", "`fromTs`"),
        ("/executions/list", "tags", "`tagFilters`"),
        ("/executions/list", "page", "`limit`"),
        ("/executions/list", "parentExecutionId", "not filtered"),
        ("/executions/list", "seach", "`search`"),
        ("/logins/list", "name", "`search`"),
        ("/logins/list", "persistSession", "not filtered"),
        ("/authentication/submitTwoFactorAuthCode", "sessionId", "`browserSessionId`"),
        ("/agents/session/messages/list", "ofset", "`offset`"),
        ("/workflows/blocks/update", "blocks", "`replaceAll`"),
        ("/workflows/blocks/update", "name", "`/workflows/update`"),
        ("/workflows/blocks/chat", "prompt", "`message`"),
        ("/workflows/blocks/chat", "instructorExecution", "`instructorExecutionId`"),
    ],
)
async def test_a_slip_or_a_field_that_would_change_what_happens_is_refused(
    api: "Api", path: str, field: str, meant: str
) -> None:
    assert_refused(await api.post(path, {**OPEN[path], field: "x"}), 400, f"`{field}`", meant)


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("/workflows/create", {"name": "a", "more": 1}, ["`more`", "`blocks`"]),
        ("/workflows/create", {"name": "a", "tag": ["x"]}, ["`tag`", "`tags`"]),
        (
            "/workflows/create",
            {"name": "a", "parameters": [{"name": "n", "required": True}]},
            ["`isRequired`"],
        ),
        ("/workflows/execute", {"workflowId": "wf_none", "colour": 1}, ["`colour`"]),
        ("/executions/cancel", {"id": "exec_none", "reason": "x"}, ["`reason`"]),
        ("/workflows/list", {"serch": "x"}, ["`serch`", "`search`"]),
        (
            "/logins/create",
            {"name": "a", "authenticationUrl": "https://a.example", "password": "x"},
            ["`password`", "`loginConfiguration`"],
        ),
        (
            "/logins/create",
            {"name": "a", "authenticationUrl": "https://a.example", "loginConfiguration": {"user": "x"}},
            ["`loginConfiguration.user`", "`username`"],
        ),
    ],
)
async def test_operations_of_our_own_refuse_what_they_do_not_know(
    api: "Api", path: str, body: dict[str, Any], words: list[str]
) -> None:
    assert_refused(await api.post(path, body), 400, *words)


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ({"type": "delete", "blockReferenceId": "a"}, ["operations[0]", "`blockId`"]),
        ({"type": "create", "block": {"type": "Wait"}, "position": 0}, ["`position`", "`target`"]),
        (
            {"type": "create", "block": {"type": "Wait"}, "previousBlockId": "a"},
            ["`previousBlockId`", "`target`"],
        ),
        ({"type": "create", "block": {"type": "Wait"}, "data": {}}, ["`data`", "`block`"]),
        (
            {"type": "create", "block": {"type": "Wait"}, "target": {"type": "end", "index": 1}},
            ["`target.index`"],
        ),
        (
            {"type": "create", "block": {"type": "Wait"}, "target": {"type": "end", "parentBlock": "a"}},
            ["`target.parentBlock`", "`parentBlockId`"],
        ),
    ],
)
async def test_an_operation_that_would_do_something_else_is_refused(
    api: "Api", operation: dict[str, Any], words: list[str]
) -> None:
    workflow = await api.create_workflow()
    answer = await api.post(
        "/workflows/blocks/update", {"workflowId": workflow["id"], "operations": [operation]}
    )
    assert_refused(answer, 400, *words)


async def test_a_very_long_name_is_not_repeated(api: "Api") -> None:
    answer = await api.post("/workflows/create", {"name": "a", "x" * 100_000: 1})
    assert_refused(answer, 400)
    assert len(answer.json()["error"]) < 500

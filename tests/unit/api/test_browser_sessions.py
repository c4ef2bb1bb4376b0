"""`/browserSessions/…` and `/authentication/…`: which browsers are open, closing one, submitting codes."""

from typing import TYPE_CHECKING, Any

import pytest

from pagehand.api.resources.authentication import clean_code
from pagehand.errors import InvalidRequest
from pagehand.records import Status

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio


async def list_sessions(api: "Api", **fields: Any) -> tuple[list[str], int]:
    answer = (await api.post("/browserSessions/list", fields)).json()
    return [session["executionId"] for session in answer["browserSessions"]], answer["total"]


async def test_only_running_executions_with_a_browser_are_listed_newest_first(api: "Api") -> None:
    await api.add_execution()
    await api.add_running()  # its browser is not open yet
    await api.add_ended()
    first = await api.add_running({"session_id": "s1", "vendor_id": "v1"}, accepted_at=1000)
    second = await api.add_running({"session_id": "s2", "status": Status.PAUSED}, accepted_at=2000)
    assert await list_sessions(api) == ([second.id, first.id], 2)
    assert await list_sessions(api, limit=1, offset=1) == ([first.id], 2)
    assert await list_sessions(api, offset=2) == ([], 2)
    shown = (await api.post("/browserSessions/list")).json()["browserSessions"][1]
    assert (shown["id"], shown["sessionId"]) == (first.browser_session_id, "s1")
    assert (shown["browserSessionVendorId"], shown["status"]) == ("v1", "InProgress")


async def test_session_of_another_organization_is_neither_seen_nor_closed(api: "Api") -> None:
    open_one = await api.add_running({"session_id": "s1"})
    key = await api.create_key("other")
    assert (await api.post("/browserSessions/list", x_api_key=key)).json()["total"] == 0
    answer = await api.post("/browserSessions/close", {"id": open_one.browser_session_id}, x_api_key=key)
    assert answer.status_code == 404
    found = await api.services.stores.executions.find_in_any_organization(open_one.id)
    assert found is not None
    assert found.status is Status.IN_PROGRESS


@pytest.mark.parametrize("state", ["add_execution", "add_running", "add_ended"])
async def test_session_without_a_browser_cannot_be_closed(api: "Api", state: str) -> None:
    made = await getattr(api, state)()
    answer = await api.post("/browserSessions/close", {"id": made.browser_session_id})
    assert (answer.status_code, "`id`" in answer.json()["error"]) == (404, True)


@pytest.mark.parametrize(
    ("given", "code"),
    [("1234", "1234"), (" 123 456 ", "123456"), ("12-34-56-78", "12345678"), ("ab cd", "abcd")],
)
def test_white_space_and_dashes_in_a_code_do_not_count(given: str, code: str) -> None:
    assert clean_code(given) == code


@pytest.mark.parametrize("given", ["", "123", "1 2 3", "123456789", " - - - - "])
def test_code_of_another_length_is_refused(given: str) -> None:
    with pytest.raises(InvalidRequest, match="`code`"):
        clean_code(given)


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, 400),
        ({"code": 123456}, 400),
        ({"code": "12"}, 400),
        ({"code": "123456"}, 404),
        ({"code": "123456", "executionId": "exec_none"}, 404),
        ({"code": "123456", "browserSessionId": "bs_none"}, 404),
        ({"code": "123456", "loginId": "login_none"}, 404),
        ({"code": "123456", "sessionId": "s"}, 400),
    ],
)
async def test_code_that_nothing_waits_for_is_refused(
    api: "Api", fields: dict[str, object], status: int
) -> None:
    answer = await api.post("/authentication/submitTwoFactorAuthCode", fields)
    assert (answer.status_code, list(answer.json())) == (status, ["error"]), answer.text

"""Every operation demands its scope before it reads the request, whatever is in it."""

from typing import TYPE_CHECKING

import pytest

from pagehand.api.operation import Operation
from pagehand.api.resources import operations
from pagehand.api.scopes import SCOPES

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio

GUARDED = [operation for operation in operations() if operation.scope != "public"]


def path_of(operation: object) -> str:
    return operation.path if isinstance(operation, Operation) else str(operation)


async def status_of(api: "Api", operation: Operation, **headers: str) -> int:
    if operation.method == "GET":
        return (
            await api.client.get(operation.path, headers={k.replace("_", "-"): v for k, v in headers.items()})
        ).status_code
    # not JSON: whoever reads it before the key is known answers 400
    return (await api.send(operation.path, b"{", **headers)).status_code


async def test_key_without_the_scope_is_refused_before_the_body_is_read(api: "Api") -> None:
    keys = {
        scope: await api.create_key("one", [other for other in SCOPES if other != scope])
        for scope in {operation.scope for operation in GUARDED}
    }
    wrong = {
        operation.path: await status_of(api, operation, x_api_key=keys[operation.scope])
        for operation in GUARDED
    }
    assert {path: status for path, status in wrong.items() if status != 403} == {}


async def test_key_that_nobody_made_is_refused_before_the_body_is_read(api: "Api") -> None:
    seen = {operation.path: await status_of(api, operation, x_api_key="ph_no_such") for operation in GUARDED}
    assert {path: status for path, status in seen.items() if status != 401} == {}


async def test_key_with_the_scope_alone_reaches_the_operation(api: "Api") -> None:
    keys = {
        scope: await api.create_key("one", [scope]) for scope in {operation.scope for operation in GUARDED}
    }
    posted = [operation for operation in GUARDED if operation.method == "POST"]
    seen = {
        operation.path: await status_of(api, operation, x_api_key=keys[operation.scope])
        for operation in posted
    }
    # the body is not JSON, which is found out only behind the check of the key
    assert {path: status for path, status in seen.items() if status != 400} == {}


@pytest.mark.parametrize(
    "guarded",
    [
        operation
        for operation in GUARDED
        if operation.path.rsplit("/", 1)[-1] in ("get", "list", "results", "events", "query")
    ],
    ids=path_of,
)
def test_reading_needs_no_more_than_read(guarded: Operation) -> None:
    assert guarded.scope == ("admin" if guarded.path in ("/keys/list", "/installation/get") else "read")


@pytest.mark.parametrize(
    "guarded",
    [
        operation
        for operation in GUARDED
        if operation.path.rsplit("/", 1)[-1] in ("create", "update", "delete", "import")
    ],
    ids=path_of,
)
def test_writing_needs_more_than_read(guarded: Operation) -> None:
    assert guarded.scope in ("edit", "run", "admin")

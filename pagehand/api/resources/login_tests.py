"""Testing a login: a real sign-in, as a test execution, and its result."""

import asyncio
from contextlib import suppress
from typing import Annotated, Final

from msgspec import Meta

from pagehand.api.fields import Answer, ById, View
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.workflow_copies import without_ids
from pagehand.clock import now_ms
from pagehand.engine.port import ExecutionRequest
from pagehand.errors import OurFault
from pagehand.ids import new_id
from pagehand.records import AuthenticationStatus, Execution, Status, Workflow
from pagehand.workflow import tree
from pagehand.workflow.parse import parse_blocks

_NAME: Final = "Test of a login"
_MAX_WAIT_SECONDS: Final = 120.0
_POLL_SECONDS: Final = 0.5


class LoginTestView(View):
    """The result of a sign-in."""

    success: bool
    message: str
    execution_id: str
    status: Annotated[str, Meta(description="The authentication's status; WaitingForCode wants a code.")]


LoginTestAnswer = Answer("LoginTestAnswer", "test", LoginTestView, "One test.")


@operation("/logins/test", scope="run", response=LoginTestAnswer)
async def test(call: Call[ById]) -> Result:
    """Sign in with a login in a new browser, and answer with the result.

    It runs as a test execution of the workflow `Test of a login`, which is made on first use. A login that
    waits for a code or a person answers at once with that status; the execution waits on.
    """
    login = await call.services.logins.get(call.organization_id, call.request.id)
    workflow = await _workflow(call)
    execution_request = ExecutionRequest(
        workflow_id=workflow.id, login_id=login.id, is_test=True, name=f"Test of {login.name}"
    )
    execution = await call.services.engine.accept(call.organization_id, execution_request)
    return LoginTestAnswer(_view(await _wait_for_result(call, execution)))


async def _workflow(call: Call[ById]) -> Workflow:
    """The service's own workflow for tests; made when there is none."""
    stores = call.services.stores
    sign_in = call.services.kinds.signing_in()
    if sign_in is None:
        raise OurFault("No block kind signs in with a stored login, so none can be tested.")
    blocks = tree.to_json(parse_blocks([sign_in], call.services.kinds))
    # by what it does, not by its name alone: people may have another workflow of that name, or edit this one
    # ids differ from workflow to workflow, so they are not compared
    for known in await stores.workflows.find_by_name(call.organization_id, _NAME):
        if without_ids(known.blocks) == without_ids(blocks) and not known.parameters and known.output is None:
            return known
    now = now_ms()
    workflow = Workflow(
        id=new_id("wf"),
        organization_id=call.organization_id,
        name=_NAME,
        version=1,
        blocks=blocks,
        created_at=now,
        updated_at=now,
    )
    return await stores.workflows.add(workflow, [])


async def _wait_for_result(call: Call[ById], execution: Execution) -> Execution:
    """The execution once it has ended, waits for a person, or takes too long."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + _MAX_WAIT_SECONDS
    while loop.time() < deadline:
        with suppress(TimeoutError):
            # wait() returns only at the end: whether it waits for a code has to be polled
            async with asyncio.timeout(_POLL_SECONDS):
                return await call.services.engine.wait(execution)
        execution = await call.services.stores.executions.get(call.organization_id, execution.id) or execution
        # the caller has to act now, while the execution keeps waiting
        if _status(execution).is_waiting:
            break
    return execution


def _status(execution: Execution) -> AuthenticationStatus:
    sign_ins = execution.authentications
    return sign_ins[-1].status if sign_ins else AuthenticationStatus.UNAUTHENTICATED


def _view(execution: Execution) -> LoginTestView:
    status = _status(execution)
    if execution.status is Status.COMPLETED:
        message = "Signed in."
    elif execution.status is Status.FAILED:
        message = (execution.error_analysis or "").partition("\n")[0]
    elif status is AuthenticationStatus.WAITING_FOR_CODE:
        message = "The site asks for a code: submit it with `authentication/submitTwoFactorAuthCode`."
    elif status is AuthenticationStatus.WAITING_FOR_USER:
        message = "A person has to sign in by hand, in the live view."
    else:
        message = f"It has not ended within {_MAX_WAIT_SECONDS:g} s, and the execution goes on."
    return LoginTestView(
        success=execution.status is Status.COMPLETED,
        message=message,
        execution_id=execution.id,
        status=status,
    )

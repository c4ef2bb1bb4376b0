"""Submitting a code, and the verdict of the site that comes back."""

import asyncio
from contextlib import nullcontext

import pytest

from pagehand.engine.signing_in import codes
from pagehand.engine.signing_in.codes import CodeRequest, SiteVerdict
from pagehand.errors import NotFound
from pagehand.records import AuthenticationStatus, Login

pytestmark = pytest.mark.anyio
LOGIN = Login(
    id="login_1",
    organization_id="org_1",
    name="Bank",
    username="ada",
    fields={},
    secrets=b"",
    created_at=0,
    updated_at=0,
)


@pytest.fixture
def code_request() -> CodeRequest:
    return CodeRequest()


async def take_code(code_request: CodeRequest, refused: str = "") -> str:
    async with code_request.waiting(LOGIN, refused, nullcontext()) as submitted:
        return await submitted


async def test_a_code_that_nobody_waits_for_is_refused(code_request: CodeRequest) -> None:
    with pytest.raises(NotFound):
        await code_request.submit("123456")


async def test_the_verdict_of_the_site_is_heard(code_request: CodeRequest) -> None:
    waiting = asyncio.create_task(take_code(code_request))
    await asyncio.sleep(0)
    submitting = asyncio.create_task(code_request.submit("123456"))
    assert await waiting == "123456"
    code_request.report_verdict(SiteVerdict(True, "taken", AuthenticationStatus.COMPLETED))
    assert (await submitting).success


async def test_a_refused_code_is_heard_when_another_can_be_submitted(code_request: CodeRequest) -> None:
    first = asyncio.create_task(take_code(code_request))
    await asyncio.sleep(0)
    submitting = asyncio.create_task(code_request.submit("111111"))
    await first
    second = asyncio.create_task(take_code(code_request, refused="Wrong code"))
    assert await submitting == SiteVerdict(False, "Wrong code", AuthenticationStatus.WAITING_FOR_CODE)
    assert code_request.is_waiting
    second.cancel()


async def test_without_a_verdict_in_time_the_sign_in_is_still_in_progress(
    code_request: CodeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codes, "VERDICT_SECONDS", 0.05)
    waiting = asyncio.create_task(take_code(code_request))
    await asyncio.sleep(0)
    late = await code_request.submit("123456")
    assert (late.success, late.status) == (False, "InProgress")
    await waiting
    code_request.report_verdict(
        SiteVerdict(True, "taken after all", AuthenticationStatus.COMPLETED)
    )  # nobody listens any more, and that is fine

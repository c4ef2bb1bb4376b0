"""Handing in a code: what whoever does it hears of the site's verdict."""

import asyncio

import pytest

from pagehand.engine.run.signals import Signals
from pagehand.engine.signing_in import codes
from pagehand.engine.signing_in.codes import CodeDesk, Judged
from pagehand.errors import NotFound
from pagehand.records import Login, Status

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


async def _nothing(*_: Status | str) -> None:
    """Nobody looks at the status."""


@pytest.fixture
def desk() -> CodeDesk:
    return CodeDesk(Signals(_nothing))


async def take_code(desk: CodeDesk, refused: str = "") -> str:
    async with desk.waiting(LOGIN, "a code is needed", refused, _nothing) as handed_in:
        return await handed_in


async def test_a_code_that_nobody_waits_for_is_refused(desk: CodeDesk) -> None:
    with pytest.raises(NotFound):
        await desk.hand_in("123456")


async def test_the_verdict_of_the_site_is_heard(desk: CodeDesk) -> None:
    waiting = asyncio.create_task(take_code(desk))
    await asyncio.sleep(0)
    handing_in = asyncio.create_task(desk.hand_in("123456"))
    assert await waiting == "123456"
    desk.judge(Judged(True, "taken", "Completed"))
    assert (await handing_in).success


async def test_a_refused_code_is_heard_when_another_can_be_handed_in(desk: CodeDesk) -> None:
    first = asyncio.create_task(take_code(desk))
    await asyncio.sleep(0)
    handing_in = asyncio.create_task(desk.hand_in("111111"))
    await first
    second = asyncio.create_task(take_code(desk, refused="Wrong code"))
    assert await handing_in == Judged(False, "Wrong code", "WaitingForCode")
    assert desk.is_waiting
    second.cancel()


async def test_without_a_verdict_in_time_the_sign_in_is_still_in_progress(
    desk: CodeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codes, "VERDICT_SECONDS", 0.05)
    waiting = asyncio.create_task(take_code(desk))
    await asyncio.sleep(0)
    late = await desk.hand_in("123456")
    assert (late.success, late.status) == (False, "InProgress")
    await waiting
    desk.judge(Judged(True, "taken after all", "Completed"))  # nobody listens any more, and that is fine

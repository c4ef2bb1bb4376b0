"""Signing in during a run, and what the execution shows of it meanwhile and afterwards."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import pytest

from pagehand.browser import BrowserSession
from pagehand.clock import now_ms
from pagehand.engine.local.queue import LoginLocks
from pagehand.engine.reporting.events import EventLog
from pagehand.engine.run.authenticator import Authenticator
from pagehand.engine.run.services import RunServices
from pagehand.engine.services import EngineServices
from pagehand.engine.signals import Signals, Stop
from pagehand.engine.signing_in.authentications import ended_sign_ins
from pagehand.engine.signing_in.codes import CodeRequest, SiteVerdict, only_waiting
from pagehand.engine.viewers import LiveRun
from pagehand.errors import BlockFailed, Conflict, NotFound, SignInRefused
from pagehand.logins.saved_sessions import SessionToSave
from pagehand.logins.sign_in.sign_in import SignIn
from pagehand.logins.sign_in_context import SignInContext
from pagehand.records import (
    Authentication,
    AuthenticationStatus,
    Execution,
    Login,
    Status,
)
from pagehand.secrets.redactor import Redactor
from pagehand.secrets.vault import Vault
from pagehand.testing import Harness
from support.database import whole
from support.logins import VAULT
from support.waiting import until

pytestmark = pytest.mark.anyio
Perform = Callable[[SignInContext], Awaitable[SessionToSave | None]]


async def _at_once(_: SignInContext) -> SessionToSave | None:
    return None


class Site(SignIn):
    """Signing in that does on the page what a test says; what it reads of a login is real."""

    def __init__(self, vault: Vault) -> None:
        super().__init__(vault)
        self.perform: Perform = _at_once
        self.kept: list[SessionToSave] = []
        self.keep_trouble: Exception | None = None

    async def sign_in(
        self,
        session: BrowserSession,
        login: Login,
        *,
        force: bool,
        timeout_seconds: float,
        run: SignInContext,
    ) -> SessionToSave | None:
        del session, login, force, timeout_seconds
        return await self.perform(run)

    async def save_session(self, session: BrowserSession, to_save: SessionToSave | None) -> None:
        del session
        assert to_save is not None
        if self.keep_trouble is not None:
            raise self.keep_trouble
        self.kept.append(to_save)


class SigningIn:
    """A run that was claimed, as far as signing in goes."""

    def __init__(self, harness: Harness, execution: Execution, site: Site, locks: LoginLocks) -> None:
        self.harness, self.execution, self.site = harness, execution, site
        self.statuses: list[Status] = []
        self.waited_unpaused = False
        """Whether the row has shown a sign-in that waits while it did not show the execution as paused."""
        self.signals = Signals(self._set_status)
        self.codes = CodeRequest()
        self.redactor = Redactor()
        self.event_log = EventLog(harness.stores.events, execution.id, self.redactor, 0)
        self._locks = locks

    async def begin(self) -> Authenticator:
        shared: EngineServices = self.harness.services
        shared.logins = self.site
        stores, execution = shared.stores, self.execution
        version = await stores.workflows.version(
            execution.organization_id, execution.workflow_id, execution.workflow_version
        )
        assert version is not None
        services = RunServices(
            execution,
            version,
            shared,
            signals=self.signals,
            codes=lambda: self.codes,
            events=self.event_log,
            redactor=self.redactor,
            live=LiveRun(execution, self.signals, self.event_log, self.redactor),
            locks=self._locks,
            save=self._save,
        )
        self.scope = services.scope
        self.browser = services.browser
        return services.authenticator

    async def sign_in(self, login_id: str | None = None) -> None:
        authenticator = await self.begin()
        await authenticator.sign_in(login_id, force=False, timeout_seconds=5)

    async def row(self) -> Execution:
        found = await self.harness.stores.executions.find_in_any_organization(self.execution.id)
        assert found is not None
        return found

    async def shown(self) -> tuple[list[str], list[str]]:
        row = await self.row()
        return (
            [str(item.status) for item in row.authentications],
            [str(item.authentication_status) for item in row.context_authentications],
        )

    async def events(self) -> list[str]:
        await self.event_log.close()
        events, _ = await whole(
            self.harness.stores.events.list(self.harness.organization_id, self.execution.id, 99, 0)
        )
        return [event.type for event in events]

    async def waits_for_login(self) -> bool:
        await self.event_log.flush()
        events, _ = await whole(
            self.harness.stores.events.list(self.harness.organization_id, self.execution.id, 99, 0)
        )
        return any(event.type == "login.busy" for event in events)

    async def _set_status(self, status: Status, reason: str) -> None:
        del reason
        self.statuses.append(status)
        await self._save(authentications=self.execution.authentications)  # as `ExecutionRow` does

    async def _save(self, **changes: Any) -> None:
        is_paused = self.statuses[-1:] == [Status.PAUSED]
        self.waited_unpaused |= not is_paused and any(
            sign_in.status.is_waiting for sign_in in self.execution.authentications
        )
        assert await self.harness.stores.executions.update(self.execution.id, self.execution.fence, **changes)


class Portal:
    """Executions of one login, one after the other or at once."""

    def __init__(self, harness: Harness, login: Login) -> None:
        self.harness, self.login = harness, login
        self.site, self.locks = Site(VAULT), LoginLocks()
        self.runs: list[SigningIn] = []

    async def signs_in(self, _: SignInContext) -> SessionToSave | None:
        return SessionToSave(self.login, "first", is_new=True)

    async def run(self, *, own: bool = True) -> SigningIn:
        workflow = await self.harness.add_workflow({"type": "Wait", "data": {"durationMs": 1}})
        made = await self.harness.accept(workflow, login_id=self.login.id if own else None)
        claimed = await self.harness.stores.executions.claim(made.id, at=now_ms(), token=made.id)
        assert claimed is not None
        self.runs.append(SigningIn(self.harness, claimed, self.site, self.locks))
        return self.runs[-1]


@pytest.fixture
async def portal(harness: Harness) -> AsyncGenerator[Portal]:
    portal = Portal(harness, await harness.add_login("https://portal.example/", token="tok-4711-0815"))
    yield portal
    for run in portal.runs:
        await run.event_log.close()


async def test_a_sign_in_that_goes_well_is_shown_from_its_beginning_to_its_end(portal: Portal) -> None:
    run, meanwhile = await portal.run(), list[Any]()

    async def looks(_: SignInContext) -> SessionToSave | None:
        meanwhile.append(await run.shown())
        return None

    portal.site.perform = looks
    assert await run.shown() == ([], ["Unauthenticated"])
    await run.sign_in()
    assert meanwhile == [(["InProgress"], ["InProgress"])]
    assert await run.shown() == (["Completed"], ["Completed"])
    assert (await run.row()).authentications[0].browser_session_id == run.execution.browser_session_id


async def test_a_login_that_the_execution_was_not_started_with_is_shown_too(portal: Portal) -> None:
    run = await portal.run(own=False)
    await run.sign_in(portal.login.id)
    row = await run.row()
    assert [(login.id, login.name) for login in row.logins] == [(portal.login.id, "Test login")]
    assert await run.shown() == (["Completed"], ["Completed"])


async def test_without_a_login_there_is_nothing_to_sign_in_with(portal: Portal) -> None:
    run = await portal.run(own=False)
    with pytest.raises(BlockFailed, match="none was given"):
        await run.sign_in()
    with pytest.raises(BlockFailed, match="no login `login_x` in this organization"):
        await run.sign_in("login_x")
    assert await run.shown() == ([], [])


async def test_a_refusal_is_shown_and_whoever_submitted_a_code_hears_of_it(portal: Portal) -> None:
    run = await portal.run()

    async def refuses(context: SignInContext) -> SessionToSave | None:
        context.keep_secret("tok-4711-0815")
        async with context.waiting_for_code("The site asks for a code", "") as submitted:
            await submitted
        raise SignInRefused("The site refuses tok-4711-0815.")

    portal.site.perform = refuses
    signing_in = asyncio.create_task(run.sign_in())
    await until(lambda: run.codes.is_waiting)
    async with asyncio.timeout(30):
        while await run.shown() != (["WaitingForCode"], ["WaitingForCode"]):  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.01)
    verdict = await run.codes.submit("123456")
    assert verdict == SiteVerdict(False, "The site refuses ***.", AuthenticationStatus.FAILED)
    with pytest.raises(SignInRefused):
        await signing_in
    assert await run.shown() == (["Failed"], ["Failed"])
    assert run.statuses == [Status.PAUSED, Status.IN_PROGRESS]
    assert not run.waited_unpaused
    assert "authentication.waiting" in await run.events()


async def test_a_code_that_the_site_takes_is_judged_once_signed_in(portal: Portal) -> None:
    run = await portal.run()

    async def takes(context: SignInContext) -> SessionToSave | None:
        async with context.waiting_for_code("The site asks for a code", "") as submitted:
            await submitted
        return None

    portal.site.perform = takes
    signing_in = asyncio.create_task(run.sign_in())
    await until(lambda: run.codes.is_waiting)
    assert (await run.codes.submit("123456")).status is AuthenticationStatus.COMPLETED
    await signing_in


async def test_a_sign_in_by_hand_waits_for_a_person(portal: Portal) -> None:
    run, shown = await portal.run(), list[Any]()

    async def by_hand(context: SignInContext) -> SessionToSave | None:
        async with context.waiting_for_user("Sign in by hand") as done:
            shown.append(await run.shown())
            await done.wait()
        return None

    portal.site.perform = by_hand
    signing_in = asyncio.create_task(run.sign_in())
    await until(lambda: run.signals.person_task and shown)
    assert shown == [(["WaitingForUser"], ["WaitingForUser"])]
    assert run.signals.first_pause is not None
    assert run.signals.first_pause.kind == "signIn"
    assert run.signals.person_task is not None
    run.signals.person_task.done.set()
    await signing_in
    assert await run.shown() == (["Completed"], ["Completed"])


@pytest.mark.parametrize(
    ("stop", "shown", "login_shown"),
    [
        (Stop("The service stops.", goes_back_to_queue=True), "", "Unauthenticated"),
        (Stop("Cancelled by ann."), "Failed", "Failed"),
    ],
)
async def test_a_sign_in_that_is_interrupted_is_taken_back_only_if_it_is_done_anew(
    portal: Portal, stop: Stop, shown: str, login_shown: str
) -> None:
    run, begun = await portal.run(), list[bool]()

    async def endless(_: SignInContext) -> SessionToSave | None:
        begun.append(True)
        return await asyncio.get_running_loop().create_future()

    portal.site.perform = endless
    signing_in = asyncio.create_task(run.sign_in())
    run.signals.attach(signing_in)
    await until(lambda: begun)
    run.signals.end(stop)
    await asyncio.wait([signing_in])
    assert await run.shown() == ([shown] if shown else [], [login_shown])


async def test_templates_speak_of_the_login_and_never_of_its_secrets(portal: Portal) -> None:
    run = await portal.run()
    authenticator = await run.begin()
    prepared = await authenticator.prepare()
    assert prepared is not None
    assert (prepared.id, authenticator.facts is not None) == (portal.login.id, True)
    assert run.scope.login is not None
    assert (run.scope.login["username"], run.scope.login["token"]) == ("ann", "***")
    placeholders = run.scope.login_placeholders or {}
    assert placeholders["token"] not in ("***", "tok-4711-0815")
    assert run.redactor.text("tok-4711-0815") == "***"
    assert await (await (await portal.run(own=False)).begin()).prepare() is None


async def test_one_execution_at_a_time_uses_an_exclusive_login(portal: Portal) -> None:
    first, second = await portal.run(), await portal.run()
    await first.sign_in()
    waiting = asyncio.create_task(second.sign_in())
    await until(second.waits_for_login)
    assert not waiting.done()
    assert await second.shown() == ([], ["Unauthenticated"])
    portal.locks.release(first.execution.id)
    await waiting
    assert await second.shown() == (["Completed"], ["Completed"])


async def test_who_is_cancelled_while_it_waits_for_a_login_gives_up_its_place(portal: Portal) -> None:
    first, second, third = [await portal.run() for _ in range(3)]
    await first.sign_in()
    waiting = [asyncio.create_task(run.sign_in()) for run in (second, third)]
    await asyncio.sleep(0.05)
    waiting[0].cancel()
    await asyncio.wait(waiting[:1])
    portal.locks.release(first.execution.id)
    async with asyncio.timeout(5):
        await waiting[1]
    assert await second.shown() == ([], ["Unauthenticated"])


async def test_what_the_site_knows_the_browser_by_is_saved_at_once_and_at_the_end(portal: Portal) -> None:
    run = await portal.run()
    portal.site.perform = portal.signs_in
    authenticator = await run.begin()
    await authenticator.save_sessions()
    assert portal.site.kept == []
    await authenticator.sign_in(None, force=False, timeout_seconds=5)
    assert len(portal.site.kept) == 1
    await authenticator.save_sessions()
    assert len(portal.site.kept) == 2


async def test_a_session_that_cannot_be_saved_costs_the_run_nothing(portal: Portal) -> None:
    run = await portal.run()
    portal.site.perform, portal.site.keep_trouble = portal.signs_in, BlockFailed("The page is gone.")
    await run.sign_in()
    assert "login.unsaved" in await run.events()
    assert await run.shown() == (["Completed"], ["Completed"])


def test_of_sign_ins_that_were_cut_off_nothing_is_left(make_execution: Callable[..., Execution]) -> None:
    sign_ins = [
        Authentication(browser_session_id="bs_1", status=status)
        for status in (AuthenticationStatus.COMPLETED, AuthenticationStatus.WAITING_FOR_CODE)
    ]
    execution = make_execution(authentications=sign_ins)
    assert ended_sign_ins(execution) == sign_ins[:1]


async def test_the_one_that_waits_is_meant_and_several_are_named() -> None:
    requests = [CodeRequest() for _ in range(2)]
    with pytest.raises(NotFound, match="waits for a code"):
        only_waiting([])
    first, second = (("exec_1", "", requests[0]), ("exec_2", "Test login", requests[1]))
    assert only_waiting([first]) is requests[0]
    with pytest.raises(Conflict, match=r"`exec_1` \(login ``\), `exec_2` \(login `Test login`\)"):
        only_waiting([first, second])

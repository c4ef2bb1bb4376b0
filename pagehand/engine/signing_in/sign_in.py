"""Signing in during a run, and what the execution shows of it."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from typing import Any

from pagehand.browser_session import BrowserSession
from pagehand.engine.reporting.events import EventLog
from pagehand.engine.run.browser import RunBrowser
from pagehand.engine.run.row import SaveChanges
from pagehand.engine.run.scope import Scope
from pagehand.engine.run.signals import Signals
from pagehand.engine.signing_in.codes import CodeRequest, Judged
from pagehand.engine.signing_in.login_secrets import LoginSecrets
from pagehand.engine.signing_in.login_turns import LoginTurns
from pagehand.engine.signing_in.model_guide import SignInGuide
from pagehand.errors import BlockFailed, PagehandError
from pagehand.ids import new_id
from pagehand.logins.saved_sessions import SignedIn
from pagehand.logins.sign_in.attempt import SignIn
from pagehand.ports import RunModel
from pagehand.records import (
    Authentication,
    AuthenticationStatus,
    ContextAuthentication,
    Execution,
    ExecutionLogin,
    Json,
    Login,
    LoginFacts,
    LoginSummary,
)
from pagehand.secrets.redactor import Redactor
from pagehand.storage.logins import LoginStore


class Authenticator:
    """Performs sign-ins and keeps `logins`, `authentications` and `contextAuthentications` up to date."""

    def __init__(
        self,
        execution: Execution,
        store: LoginStore,
        logins: SignIn,
        browser: RunBrowser,
        codes: CodeRequest,
        locks: LoginTurns,
        secrets: LoginSecrets,
        signals: Signals,
        scope: Scope,
        events: EventLog,
        redactor: Redactor,
        save: SaveChanges,
    ) -> None:
        self._execution = execution
        self._store = store
        self._logins = logins
        self._browser = browser
        self._codes = codes
        self._locks = locks
        self._secrets = secrets
        self._signals = signals
        self._scope = scope
        self._events = events
        self._redactor = redactor
        self._save = save
        self._signed_in: dict[str, SignedIn] = {}
        self.facts: LoginFacts | None = None
        self.model: RunModel | None = None

    async def prepare(self) -> Login | None:
        """Make the execution's own login known to templates before anything runs."""
        if self._execution.login_id is None:
            return None
        login = await self._load(self._execution.login_id)
        self._show(login)
        return login

    async def sign_in(self, login_id: str | None, *, force: bool, timeout_seconds: float) -> None:
        """Sign in; without an id with the execution's own login."""
        wanted = login_id or self._execution.login_id
        if wanted is None:
            raise BlockFailed(
                "There is no login to sign in with: the block takes the execution's `loginId`, "
                "and none was given."
            )
        login = await self._load(wanted)
        facts = self._show(login)
        if facts.is_exclusive:
            await self._take_lock(login)
        session = await self._browser.open()
        authentication = ShownSignIn(self._execution, facts, self._events, self._save)
        guide = SignInGuide(session, self.model) if self.model is not None else None
        run = SignInRun(
            login, authentication, self._codes, self._signals, self._events, self._redactor, guide
        )
        await authentication.begin()
        try:
            async with session.guard():
                signed_in = await self._logins.sign_in(
                    session, login, force=force, timeout_seconds=timeout_seconds, run=run
                )
        # also a cancellation: no authentication may be left InProgress
        except BaseException as error:
            await self._failed(authentication, error)
            raise
        await authentication.mark(AuthenticationStatus.COMPLETED)
        self._codes.judge(Judged(True, "The site took the code.", AuthenticationStatus.COMPLETED))
        if signed_in is not None:
            # kept again at the end of the run: sites renew cookies with every page
            self._signed_in[login.id] = signed_in
            await self._keep(session, signed_in)

    async def keep(self) -> None:
        """The run went well: save what the sites know the browser by, for the runs that come after."""
        session = self._browser.session
        if session is None or session.lost.done() or not self._signed_in:
            return
        await self._save(logins=self._execution.logins)  # a worker that lost its claim stops here
        for signed_in in self._signed_in.values():
            await self._keep(session, signed_in)

    async def _keep(self, session: BrowserSession, signed_in: SignedIn) -> None:
        """A session that cannot be saved costs the next run a sign-in, and this one nothing."""
        try:
            async with session.guard("save the session"):
                await self._logins.keep(session, signed_in)
        except BlockFailed as error:
            self._events.add("login.unsaved", f"The session was not saved: {error.message}")

    async def _failed(self, authentication: "ShownSignIn", error: BaseException) -> None:
        stop = self._signals.stop
        if stop is not None and stop.goes_back_to_queue:
            await authentication.withdraw()
        else:
            await authentication.mark(AuthenticationStatus.FAILED)
        message = error.message if isinstance(error, PagehandError) else "The execution ended."
        self._codes.judge(Judged(False, self._redactor.text(message), AuthenticationStatus.FAILED))

    async def _take_lock(self, login: Login) -> None:
        """Wait until no other execution uses the login; a pause or a cancellation reaches the wait."""
        granted = await self._locks.ask(self._execution.id, login.id)
        if granted.done():
            return
        message = f"Waiting for the login `{login.name}`: another execution uses it"
        self._events.add("login.busy", message, None, {"loginId": login.id})
        try:
            await self._signals.wait_for(granted)
            granted.result()
        finally:
            # who is interrupted gives up the place in line; a future that is done is not affected
            granted.cancel()

    async def _load(self, login_id: str) -> Login:
        login = await self._store.get(self._execution.organization_id, login_id)
        if login is None:
            raise BlockFailed(f"There is no login `{login_id}` in this organization.")
        return login

    def _show(self, login: Login) -> LoginFacts:
        facts = self._logins.facts(login)
        self.facts = facts
        self._scope.login = facts.shown
        self._scope.login_stand_ins = self._secrets.stand_ins(facts)
        return facts


class ShownSignIn:
    """One sign-in as the execution shows it."""

    def __init__(self, execution: Execution, facts: LoginFacts, events: EventLog, save: SaveChanges) -> None:
        self._execution = execution
        self._facts = facts
        self._events = events
        self._save = save
        self._record = Authentication(
            browser_session_id=execution.browser_session_id,
            status=AuthenticationStatus.IN_PROGRESS,
            live_view_url=execution.live_view_url or "",
        )

    async def begin(self) -> None:
        """Show it."""
        # only now: the contract has no item before there is a browser
        self._execution.authentications.append(self._record)
        # a Login block may use a login that the execution was not started with
        if not any(login.id == self._facts.id for login in self._execution.logins):
            self._execution.logins.append(ExecutionLogin(id=self._facts.id, name=self._facts.name))
        await self.mark(AuthenticationStatus.IN_PROGRESS)

    async def mark(self, status: AuthenticationStatus) -> None:
        """Show another status."""
        self._record.status = status
        kind = "authentication.waiting" if status.is_waiting else "authentication.changed"
        data = {"status": status.value, "loginId": self._facts.id}
        self._events.add(kind, f"Sign-in with `{self._facts.name}`: {status}", None, data)
        await self._show(status)

    async def withdraw(self) -> None:
        """Take it back: the next attempt signs in anew."""
        self._execution.authentications.remove(self._record)
        await self._show(AuthenticationStatus.UNAUTHENTICATED)

    async def _show(self, status: AuthenticationStatus) -> None:
        for known in self._execution.context_authentications:
            if known.login_summary.login_id == self._facts.id:
                known.authentication_status = status
                break
        else:
            self._execution.context_authentications.append(context_authentication(self._facts, status))
        await self._save(
            logins=self._execution.logins,
            authentications=self._execution.authentications,
            context_authentications=self._execution.context_authentications,
        )


class SignInRun:
    """Implements `SignInContext`: what one sign-in may ask of its run."""

    def __init__(
        self,
        login: Login,
        authentication: ShownSignIn,
        codes: CodeRequest,
        signals: Signals,
        events: EventLog,
        redactor: Redactor,
        guide: SignInGuide | None,
    ) -> None:
        self.guide = guide
        self._login = login
        self._authentication = authentication
        self._codes = codes
        self._signals = signals
        self._events = events
        self._redactor = redactor

    def tell(self, type: str, message: str, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        """Write an event."""
        self._events.add(type, message, None, data)

    def keep_secret(self, text: str) -> None:
        """Take `text` out of everything the run says from now on."""
        self._redactor.add(text)

    def limiting(self, limit: asyncio.Timeout) -> AbstractContextManager[None]:
        """Stop the clock of `limit` while the run is paused."""
        return self._signals.limiting(limit)

    def waiting_for_code(
        self, reason: str, refused: str
    ) -> AbstractAsyncContextManager["asyncio.Future[str]"]:
        """Paused within; the future gets a code that is handed in."""
        return self._codes.waiting(self._login, reason, refused, self._authentication.mark)

    @asynccontextmanager
    async def waiting_for_user(self, reason: str) -> AsyncGenerator[asyncio.Event]:
        """Paused within, until a person has signed in by hand; the event is set when they say so."""
        # first, so that whoever sees the execution paused also sees what for
        await self._authentication.mark(AuthenticationStatus.WAITING_FOR_USER)
        async with self._signals.waiting_for_person(reason, "signIn") as done:
            yield done
            await self._authentication.mark(AuthenticationStatus.IN_PROGRESS)


def context_authentication(
    facts: LoginFacts, status: AuthenticationStatus = AuthenticationStatus.UNAUTHENTICATED
) -> ContextAuthentication:
    """One item of `contextAuthentications`."""
    return ContextAuthentication(
        context_authentication_id=new_id("auth"),
        login_summary=LoginSummary(login_id=facts.id, name=facts.name, is_manual=facts.is_manual),
        authentication_status=status,
    )


def ended_sign_ins(execution: Execution) -> list[Authentication]:
    """The sign-ins that came to an end; one that was cut off by the loss of its worker is begun anew."""
    for known in execution.context_authentications:
        if not known.authentication_status.has_ended:
            known.authentication_status = AuthenticationStatus.UNAUTHENTICATED
    return [sign_in for sign_in in execution.authentications if sign_in.status.has_ended]


def failed_sign_ins(execution: Execution) -> Json:
    """What the row gets where a sign-in was cut off for good, as by a lost worker: it waits for nobody."""
    cut_off = [sign_in for sign_in in execution.authentications if not sign_in.status.has_ended]
    if not cut_off:
        return {}
    for sign_in in cut_off:
        sign_in.status = AuthenticationStatus.FAILED
    for known in execution.context_authentications:
        if known.authentication_status.is_under_way:
            known.authentication_status = AuthenticationStatus.FAILED
    return {
        "authentications": execution.authentications,
        "context_authentications": execution.context_authentications,
    }

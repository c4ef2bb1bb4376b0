"""Signs in during a run, and keeps the execution's record of it up to date."""

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any

from playwright.async_api import Locator as Element

from pagehand.browser import NAMED_ELEMENT, BrowserSession, named_element
from pagehand.engine.reporting.events import EventLog
from pagehand.engine.run.browser import RunBrowser
from pagehand.engine.run.conditions import judge
from pagehand.engine.run.scope import Scope
from pagehand.engine.services import SaveChanges
from pagehand.engine.signals import Signals
from pagehand.engine.signing_in.authentications import AuthenticationReport, ExclusiveLogins
from pagehand.engine.signing_in.codes import CodeRequest, SiteVerdict
from pagehand.engine.signing_in.login_secrets import LoginSecrets
from pagehand.errors import BlockFailed, PagehandError
from pagehand.logins.saved_sessions import SessionToSave
from pagehand.logins.sign_in.sign_in import SignIn
from pagehand.ports import RunModel
from pagehand.records import AuthenticationStatus, Execution, Login, LoginFacts
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
        locks: ExclusiveLogins,
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
        self._sessions: dict[str, SessionToSave] = {}
        self.facts: LoginFacts | None = None
        self.model: RunModel | None = None

    async def prepare(self) -> Login | None:
        """Make the execution's own login available to templates before anything runs."""
        if self._execution.login_id is None:
            return None
        login = await self._load(self._execution.login_id)
        self._expose(login)
        return login

    async def sign_in(self, login_id: str | None, *, force: bool, timeout_seconds: float) -> None:
        """Sign in; without an id with the execution's own login."""
        chosen_id = login_id or self._execution.login_id
        if chosen_id is None:
            raise BlockFailed(
                "There is no login to sign in with: the block takes the execution's `loginId`, "
                "and none was given."
            )
        login = await self._load(chosen_id)
        facts = self._expose(login)
        if facts.is_exclusive:
            await self._acquire_lock(login)
        session = await self._browser.open()
        authentication = AuthenticationReport(self._execution, facts, self._events, self._save)
        helper = ModelSignInHelper(session, self.model) if self.model is not None else None
        run = RunSignInContext(
            login, authentication, self._codes, self._signals, self._events, self._redactor, helper
        )
        await authentication.begin()
        try:
            async with session.guard():
                to_save = await self._logins.sign_in(
                    session, login, force=force, timeout_seconds=timeout_seconds, run=run
                )
        # also on cancellation: no authentication may stay InProgress
        except BaseException as error:
            await self._report_failure(authentication, error)
            raise
        await authentication.set_status(AuthenticationStatus.COMPLETED)
        self._codes.report_verdict(
            SiteVerdict(True, "The site accepted the code.", AuthenticationStatus.COMPLETED)
        )
        if to_save is not None:
            # saved again at the end of the run: sites renew cookies with every page
            self._sessions[login.id] = to_save
            await self._save_session(session, to_save)

    async def save_sessions(self) -> None:
        """Save the sessions of a run that ended well, for later runs."""
        session = self._browser.session
        if session is None or session.lost.done() or not self._sessions:
            return
        await self._save(logins=self._execution.logins)  # a worker that lost its claim stops here
        for to_save in self._sessions.values():
            await self._save_session(session, to_save)

    async def _save_session(self, session: BrowserSession, to_save: SessionToSave) -> None:
        """A failure is only reported: it costs the next run a sign-in, and this one nothing."""
        try:
            async with session.guard("save the session"):
                await self._logins.save_session(session, to_save)
        except BlockFailed as error:
            self._events.add("login.unsaved", f"The session was not saved: {error.message}")

    async def _report_failure(self, authentication: AuthenticationReport, error: BaseException) -> None:
        stop = self._signals.stop
        if stop is not None and stop.goes_back_to_queue:
            await authentication.withdraw()
        else:
            await authentication.set_status(AuthenticationStatus.FAILED)
        message = error.message if isinstance(error, PagehandError) else "The execution ended."
        self._codes.report_verdict(
            SiteVerdict(False, self._redactor.text(message), AuthenticationStatus.FAILED)
        )

    async def _acquire_lock(self, login: Login) -> None:
        """Wait until no other execution uses the login; pauses and cancellations interrupt the wait."""
        granted = await self._locks.ask(self._execution.id, login.id)
        if granted.done():
            return
        message = f"Waiting for the login `{login.name}`: another execution uses it"
        self._events.add("login.busy", message, None, {"loginId": login.id})
        try:
            await self._signals.wait_for(granted)
            granted.result()
        finally:
            # an interrupted wait gives up its place in the queue; a future that is done is not affected
            granted.cancel()

    async def _load(self, login_id: str) -> Login:
        login = await self._store.get(self._execution.organization_id, login_id)
        if login is None:
            raise BlockFailed(f"There is no login `{login_id}` in this organization.")
        return login

    def _expose(self, login: Login) -> LoginFacts:
        facts = self._logins.facts(login)
        self.facts = facts
        self._scope.login = facts.shown
        self._scope.login_placeholders = self._secrets.placeholders(facts)
        return facts


class ModelSignInHelper:
    """Implements `SignInHelper` with the run's model, which sees page descriptions without secrets."""

    def __init__(self, session: BrowserSession, model: RunModel) -> None:
        self._session = session
        self._model = model

    async def check_statement(self, statement: str) -> tuple[bool, str]:
        """Whether the statement is true of the page, and why."""
        return await judge(self._model, statement, await self._session.describe())

    async def find_control(self, instructions: str) -> Element | None:
        """The control to press next by these instructions, if any."""
        prompt = self._model.prompt("sign_in", instructions=instructions)
        answer = await self._model.data(prompt, await self._session.describe(), NAMED_ELEMENT)
        named = await named_element(self._session.find_by_reference, answer, instructions)
        return named and named[0].element


class RunSignInContext:
    """Implements `SignInContext` for a run."""

    def __init__(
        self,
        login: Login,
        authentication: AuthenticationReport,
        codes: CodeRequest,
        signals: Signals,
        events: EventLog,
        redactor: Redactor,
        helper: ModelSignInHelper | None,
    ) -> None:
        self.helper = helper
        self._login = login
        self._authentication = authentication
        self._codes = codes
        self._signals = signals
        self._events = events
        self._redactor = redactor

    def emit(self, type: str, message: str, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        """Write an event."""
        self._events.add(type, message, None, data)

    def keep_secret(self, text: str) -> None:
        """Redact `text` in everything the run shows from now on."""
        self._redactor.add(text)

    def limiting(self, limit: asyncio.Timeout) -> AbstractContextManager[None]:
        """Stop the clock of `limit` while the run is paused."""
        return self._signals.limiting(limit)

    def waiting_for_code(
        self, reason: str, refused: str
    ) -> AbstractAsyncContextManager["asyncio.Future[str]"]:
        """Pause the run; the future gets a submitted code."""
        pause = self._signals.paused(reason, "code")
        return self._codes.waiting(
            self._login,
            refused,
            self._authentication.waiting(AuthenticationStatus.WAITING_FOR_CODE, pause),
        )

    def waiting_for_user(self, reason: str) -> AbstractAsyncContextManager[asyncio.Event]:
        """Pause the run while a person signs in by hand; the event is set when they report it done."""
        pause = self._signals.waiting_for_person(reason, "signIn")
        return self._authentication.waiting(AuthenticationStatus.WAITING_FOR_USER, pause)

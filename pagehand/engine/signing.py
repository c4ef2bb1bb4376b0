"""Signing in during a run, and what the execution shows of it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pagehand.engine.browsing import Browsing
from pagehand.engine.journal import Journal
from pagehand.engine.needs import Logins, LoginStore, Redactor
from pagehand.engine.scope import Scope
from pagehand.errors import BlockFailed
from pagehand.ids import new_id
from pagehand.records import Execution, Json, Login, LoginFacts

Save = Callable[..., Awaitable[None]]


class Signing:
    """Performs sign-ins and keeps `logins`, `authentications` and `contextAuthentications` up to date."""

    def __init__(
        self,
        execution: Execution,
        store: LoginStore,
        logins: Logins,
        browsing: Browsing,
        scope: Scope,
        journal: Journal,
        redactor: Redactor,
        save: Save,
    ) -> None:
        self._execution = execution
        self._store = store
        self._logins = logins
        self._browsing = browsing
        self._scope = scope
        self._journal = journal
        self._redactor = redactor
        self._save = save
        self.facts: LoginFacts | None = None

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
        session = await self._browsing.open()
        item: Json = {
            "browserSessionId": self._execution.browser_session_id,
            "status": "InProgress",
            "liveViewUrl": self._execution.live_view_url or "",
        }
        self._execution.authentications.append(item)
        if not any(one["id"] == login.id for one in self._execution.logins):
            self._execution.logins.append({"id": login.id, "name": login.name})
        await self._mark(item, facts.id, facts.name, facts.is_manual, "InProgress")
        try:
            async with session.guard():
                await self._logins.sign_in(
                    session, login, force=force, timeout_seconds=timeout_seconds, tell=self._tell
                )
        except BaseException:
            await self._mark(item, facts.id, facts.name, facts.is_manual, "Failed")
            raise
        await self._mark(item, facts.id, facts.name, facts.is_manual, "Completed")

    async def _load(self, login_id: str) -> Login:
        login = await self._store.get(self._execution.organization_id, login_id)
        if login is None:
            raise BlockFailed(f"There is no login `{login_id}` in this organization.")
        return login

    def _show(self, login: Login) -> LoginFacts:
        facts = self._logins.facts(login)
        for secret in facts.secrets:
            self._redactor.add(secret)
        self.facts = facts
        self._scope.login = facts.shown
        self._scope.login_with_secrets = facts.with_secrets
        return facts

    async def _mark(self, item: Json, login_id: str, name: str, is_manual: bool, status: str) -> None:
        item["status"] = status
        for one in self._execution.context_authentications:
            if one["loginSummary"]["loginId"] == login_id:
                one["authenticationStatus"] = status
                break
        else:
            self._execution.context_authentications.append(
                context_authentication(login_id, name, is_manual, status)
            )
        self._journal.add(
            "authentication.changed", f"Sign-in with `{name}`: {status}", None, {"status": status}
        )
        await self._save(
            logins=self._execution.logins,
            authentications=self._execution.authentications,
            context_authentications=self._execution.context_authentications,
        )

    def _tell(self, type: str, message: str, data: Mapping[str, Any]) -> None:  # noqa: A002 - the event's own word
        self._journal.add(type, message, None, data)


def context_authentication(login_id: str, name: str, is_manual: bool, status: str) -> Json:
    """One item of `contextAuthentications`."""
    return {
        "contextAuthenticationId": new_id("auth"),
        "loginSummary": {"loginId": login_id, "name": name, "isManual": is_manual},
        "authenticationStatus": status,
    }

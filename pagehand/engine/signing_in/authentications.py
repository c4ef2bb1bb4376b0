"""The sign-ins of an execution as the API shows them, and the locks on logins for one at a time."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol, TypeVar

from pagehand.engine.reporting.events import EventLog
from pagehand.engine.services import SaveChanges
from pagehand.errors import BlockFailed, Diagnosis
from pagehand.ids import new_id
from pagehand.records import (
    Authentication,
    AuthenticationStatus,
    ContextAuthentication,
    Execution,
    ExecutionLogin,
    Json,
    LoginFacts,
    LoginSummary,
)

T = TypeVar("T")


class AuthenticationReport:
    """One sign-in in the execution's `authentications` and `contextAuthentications`."""

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
        """Add it, as InProgress."""
        # only now: there is no item before there is a browser
        self._execution.authentications.append(self._record)
        # a Login block may use a login that the execution was not started with
        if not any(login.id == self._facts.id for login in self._execution.logins):
            self._execution.logins.append(ExecutionLogin(id=self._facts.id, name=self._facts.name))
        await self.set_status(AuthenticationStatus.IN_PROGRESS)

    async def set_status(self, status: AuthenticationStatus) -> None:
        """Set and save its status."""
        self._note(status)
        await self._save_all()

    @asynccontextmanager
    async def waiting(
        self, status: AuthenticationStatus, pause: AbstractAsyncContextManager[T]
    ) -> AsyncGenerator[T]:
        """Wait for a person within `pause`: a client sees both that it is paused and why."""
        self._note(status)  # the pause writes it together with its own
        async with pause as paused:
            await self._save_all()  # unless the execution was paused before
            yield paused
            await self.set_status(AuthenticationStatus.IN_PROGRESS)

    async def withdraw(self) -> None:
        """Remove it, because the next attempt signs in again."""
        self._execution.authentications.remove(self._record)
        self._note_in_context(AuthenticationStatus.UNAUTHENTICATED)
        await self._save_all()

    def _note(self, status: AuthenticationStatus) -> None:
        self._record.status = status
        self._note_in_context(status)
        kind = "authentication.waiting" if status.is_waiting else "authentication.changed"
        data = {"status": status.value, "loginId": self._facts.id}
        self._events.add(kind, f"Sign-in with `{self._facts.name}`: {status}", None, data)

    def _note_in_context(self, status: AuthenticationStatus) -> None:
        for known in self._execution.context_authentications:
            if known.login_summary.login_id == self._facts.id:
                known.authentication_status = status
                break
        else:
            self._execution.context_authentications.append(context_authentication(self._facts, status))

    async def _save_all(self) -> None:
        await self._save(
            logins=self._execution.logins,
            authentications=self._execution.authentications,
            context_authentications=self._execution.context_authentications,
        )


def context_authentication(
    facts: LoginFacts, status: AuthenticationStatus = AuthenticationStatus.UNAUTHENTICATED
) -> ContextAuthentication:
    """An item of `contextAuthentications`."""
    return ContextAuthentication(
        context_authentication_id=new_id("auth"),
        login_summary=LoginSummary(login_id=facts.id, name=facts.name, is_manual=facts.is_manual),
        authentication_status=status,
    )


def ended_sign_ins(execution: Execution) -> list[Authentication]:
    """The sign-ins that have ended; one that was interrupted by the loss of its worker starts again."""
    for known in execution.context_authentications:
        if not known.authentication_status.has_ended:
            known.authentication_status = AuthenticationStatus.UNAUTHENTICATED
    return [sign_in for sign_in in execution.authentications if sign_in.status.has_ended]


def failed_sign_ins(execution: Execution) -> Json:
    """The changes to the row that mark interrupted sign-ins as failed, as after the loss of a worker."""
    interrupted = [sign_in for sign_in in execution.authentications if not sign_in.status.has_ended]
    if not interrupted:
        return {}
    for sign_in in interrupted:
        sign_in.status = AuthenticationStatus.FAILED
    for known in execution.context_authentications:
        if known.authentication_status.is_under_way:
            known.authentication_status = AuthenticationStatus.FAILED
    return {
        "authentications": execution.authentications,
        "context_authentications": execution.context_authentications,
    }


class ExclusiveLogins(Protocol):
    """Which execution has which exclusive login; it keeps a login until it ends."""

    async def ask(self, execution_id: str, login_id: str) -> "asyncio.Future[None]":
        """A future that is done once the execution has the login; cancelling it ends the wait.

        `BlockFailed` when the execution that has it waits for a login of this one.
        """
        ...


def deadlock_error(login_id: str) -> BlockFailed:
    """The error for an execution that would wait for one that waits for it."""
    return BlockFailed(
        f"The login `{login_id}` is in use by an execution that waits for a login of this one: "
        "both would wait forever.",
        Diagnosis(
            cause="Two executions use the same logins in a different order.",
            advice="Name the logins in `loginId` of the Login blocks, or in params, so that they are "
            "known when the execution starts; or allow `supportConcurrentLogins`.",
        ),
    )

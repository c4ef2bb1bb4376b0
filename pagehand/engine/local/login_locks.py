"""Locks on logins that one execution at a time may use."""

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence

from pagehand.engine.signing_in.exclusive_logins import deadlock_error


class LoginLocks:
    """Locks on exclusive logins; an execution keeps what it takes until it ends."""

    def __init__(self) -> None:
        self._owners: dict[str, str] = {}
        self._waiting: dict[str, deque[tuple[str, asyncio.Future[None]]]] = {}

    def first_busy(self, execution_id: str, login_ids: Iterable[str]) -> str | None:
        """The first of these logins that another execution has."""
        others = (
            login_id for login_id in login_ids if self._owners.get(login_id, execution_id) != execution_id
        )
        return next(others, None)

    def take(self, execution_id: str, login_ids: Iterable[str]) -> None:
        """Take logins that are free, all at once, so that no execution has one and waits for another."""
        self._owners.update(dict.fromkeys(login_ids, execution_id))

    def request(self, execution_id: str, login_id: str) -> "asyncio.Future[None]":
        """A future that is done once the execution has the login; cancelling it leaves the queue.

        `BlockFailed` when the execution that has it waits, in turn, for a login of this one.
        """
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self.first_busy(execution_id, [login_id]) is None:
            self.take(execution_id, [login_id])
            granted.set_result(None)
            return granted
        # before it waits: two executions that wait for each other would do so until their timeouts
        self._refuse_deadlock(execution_id, login_id)
        self._waiting.setdefault(login_id, deque()).append((execution_id, granted))
        return granted

    async def ask(self, execution_id: str, login_id: str) -> "asyncio.Future[None]":
        """Implements `ExclusiveLogins`."""
        return self.request(execution_id, login_id)

    def release(self, execution_id: str) -> Sequence[str]:
        """Pass the logins of an execution that has ended to blocks that wait; those that are free now."""
        held = [login_id for login_id, owner in self._owners.items() if owner == execution_id]
        return [login_id for login_id in held if not self._hand_over(login_id)]

    def _hand_over(self, login_id: str) -> bool:
        del self._owners[login_id]
        queue = self._waiting.pop(login_id, deque())
        while queue:
            execution_id, granted = queue.popleft()
            if granted.done():
                continue  # it was cancelled while it waited
            self._owners[login_id] = execution_id
            granted.set_result(None)
            if queue:
                self._waiting[login_id] = queue
            return True
        return False

    def _refuse_deadlock(self, execution_id: str, login_id: str) -> None:
        owner: str | None = self._owners[login_id]
        while owner is not None and owner != execution_id:
            # a run waits for one login at a time, so the chain has one link a run
            wanted = self._wanted_by(owner)
            owner = self._owners.get(wanted) if wanted is not None else None
        if owner is not None:
            raise deadlock_error(login_id)

    def _wanted_by(self, execution_id: str) -> str | None:
        return next(
            (
                login_id
                for login_id, queue in self._waiting.items()
                if any(item == execution_id and not granted.done() for item, granted in queue)
            ),
            None,
        )

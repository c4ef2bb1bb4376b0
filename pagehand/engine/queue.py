"""Which execution runs next: by priority, organizations in turn, one at a time per exclusive login."""

import asyncio
import heapq
from collections import OrderedDict, deque
from collections.abc import Iterator
from itertools import count

from pagehand.records import Execution


class ReadyQueue:
    """Executions that wait for a worker; lives in memory, the table is the record."""

    def __init__(self) -> None:
        self._waiting: dict[str, Execution] = {}
        # one heap per organization, taken in turn, so that ten thousand of one do not starve another
        self._turns: OrderedDict[str, list[tuple[int, int, str]]] = OrderedDict()
        self._held: dict[str, deque[Execution]] = {}
        self._busy_logins: set[str] = set()
        self._arrivals = count()
        self._news = asyncio.Event()
        self._is_open = True

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, execution_id: object) -> bool:
        return execution_id in self._waiting

    def put(self, execution: Execution) -> None:
        """Let it wait for its turn."""
        self._waiting[execution.id] = execution
        heap = self._turns.setdefault(execution.organization_id, [])
        heapq.heappush(heap, (-execution.priority, next(self._arrivals), execution.id))
        self._news.set()

    def remove(self, execution_id: str) -> bool:
        """Take one out, wherever it is; False when it does not wait here."""
        return self._waiting.pop(execution_id, None) is not None

    async def take(self) -> Execution | None:
        """The next one, as soon as there is one; None when the queue is closed."""
        while self._is_open:
            for execution in self._in_turn():
                return execution
            self._news.clear()
            await self._news.wait()
        return None

    def release(self, execution: Execution) -> None:
        """It no longer runs: its login is free for the next."""
        login = execution.login_id
        if not execution.login_is_exclusive or login is None or login not in self._busy_logins:
            return
        self._busy_logins.discard(login)
        held = self._held.pop(login, deque())
        for one in held:
            if one.id in self._waiting:
                self.put(one)

    def close(self) -> None:
        """Hand out nothing more."""
        self._is_open = False
        self._news.set()

    def _in_turn(self) -> Iterator[Execution]:
        for organization_id in list(self._turns):
            heap = self._turns[organization_id]
            while heap:
                _, _, execution_id = heapq.heappop(heap)
                execution = self._waiting.get(execution_id)
                if execution is None or self._must_hold(execution):
                    continue
                del self._waiting[execution_id]
                self._turns.move_to_end(organization_id)
                yield execution
            del self._turns[organization_id]

    def _must_hold(self, execution: Execution) -> bool:
        """True when its login is in use; otherwise the login is in use from now on."""
        login = execution.login_id
        if not execution.login_is_exclusive or login is None:
            return False
        if login in self._busy_logins:
            self._held.setdefault(login, deque()).append(execution)
            return True
        self._busy_logins.add(login)
        return False

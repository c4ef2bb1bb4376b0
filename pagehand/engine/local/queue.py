"""Which execution runs next: by priority, organizations in turn, within the limits of logins and batches."""

import asyncio
import heapq
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator
from itertools import count

from pagehand.engine.local.login_locks import LoginLocks
from pagehand.records import QueueEntry

_Entry = tuple[int, int, str]
"""Priority (highest first), order of arrival, execution id."""


class ReadyQueue:
    """Executions that wait for a worker; lives in memory, the table is the record."""

    def __init__(self, locks: LoginLocks | None = None, has_slot: Callable[[], bool] = lambda: True) -> None:
        """Nothing is handed out while no slot is free to run it; `wake` says that one may be again."""
        self._locks = locks or LoginLocks()
        self._has_slot = has_slot
        self._waiting: dict[str, QueueEntry] = {}
        self._entries: dict[str, _Entry] = {}
        # one heap per organization, taken in turn, so that ten thousand of one do not starve another
        self._turns: OrderedDict[str, list[_Entry]] = OrderedDict()
        self._held: dict[str, list[_Entry]] = {}
        """Executions that cannot run yet, by the id of the login or batch that keeps them from it."""
        self._running_of_batch = Counter[str]()
        self._paused_batches: set[str] = set()
        self._arrivals = count()
        self._wakeup = asyncio.Event()
        self._is_open = True

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, execution_id: object) -> bool:
        return execution_id in self._waiting

    def put(self, execution: QueueEntry) -> None:
        """Let it wait for its turn."""
        self._waiting[execution.id] = execution
        # kept, so that one that was held keeps its place when it is let go
        self._entries[execution.id] = (-execution.priority, next(self._arrivals), execution.id)
        self._line_up(execution)

    def remove(self, execution_id: str) -> bool:
        """Take one out, wherever it is; False when it does not wait here."""
        execution = self._forget(execution_id)
        if execution is None:
            return False
        self._wake(_limits(execution))  # it may have been the one that was to run next
        return True

    async def take(self) -> QueueEntry | None:
        """The next one, as soon as there is one; None when the queue is closed."""
        while self._is_open:
            if self._has_slot():
                for execution in self._in_turn():
                    return execution
            self._wakeup.clear()
            await self._wakeup.wait()
        return None

    def release(self, execution: QueueEntry) -> None:
        """It no longer runs: its logins and its place in the batch are free for the next."""
        free = list(self._locks.release(execution.id))
        batch_id = execution.batch_id
        if batch_id is not None and batch_id in self._running_of_batch:
            self._running_of_batch[batch_id] -= 1
            self._running_of_batch += Counter()  # drops batches of which nothing runs any more
            free.append(batch_id)
        self._wake(free)

    def pause_batch(self, batch_id: str) -> None:
        """Hand out nothing more of a batch."""
        self._paused_batches.add(batch_id)

    def resume_batch(self, batch_id: str) -> None:
        """Hand out the rest of a batch."""
        self._paused_batches.discard(batch_id)
        for _, _, execution_id in self._held.pop(batch_id, []):
            if execution_id in self._waiting:
                self._line_up(self._waiting[execution_id])

    def wake(self) -> None:
        """A slot may be free for the next."""
        self._wakeup.set()

    def close(self) -> None:
        """Hand out nothing more."""
        self._is_open = False
        self._wakeup.set()

    def _in_turn(self) -> Iterator[QueueEntry]:
        # a copy: taking one moves its organization to the end
        for organization_id in list(self._turns):
            heap = self._turns[organization_id]
            while heap:
                _, _, execution_id = heapq.heappop(heap)
                execution = self._waiting.get(execution_id)
                if execution is None or self._must_hold(execution):
                    continue
                self._forget(execution_id)
                # the others come first next time
                self._turns.move_to_end(organization_id)
                yield execution
            del self._turns[organization_id]

    def _must_hold(self, execution: QueueEntry) -> bool:
        """True when a login or its batch keeps it waiting; otherwise it counts as running from now on."""
        limit = self._limit_in_the_way(execution)
        if limit is not None:
            heapq.heappush(self._held.setdefault(limit, []), self._entries[execution.id])
            # it was woken for a place that it cannot use now: another that waits for that place alone may
            self._wake(other for other in _limits(execution) if self._has_room(other, execution))
            return True
        self._locks.take(execution.id, execution.exclusive_logins)
        if execution.batch_id and execution.batch_concurrency:
            self._running_of_batch[execution.batch_id] += 1
        return False

    def _limit_in_the_way(self, execution: QueueEntry) -> str | None:
        return next((limit for limit in _limits(execution) if not self._has_room(limit, execution)), None)

    def _has_room(self, limit: str, execution: QueueEntry) -> bool:
        if limit != execution.batch_id:
            return self._locks.first_busy(execution.id, [limit]) is None
        if limit in self._paused_batches:
            return False
        # 0 and none both mean that the batch has no limit
        most = execution.batch_concurrency
        return not most or self._running_of_batch[limit] < most

    def _wake(self, limits: Iterable[str]) -> None:
        """Let the first that each limit holds back try again: one place is free, so one may come forward."""
        for limit in limits:
            held = self._held.get(limit, [])
            while held:
                execution = self._waiting.get(heapq.heappop(held)[2])
                if execution is not None:
                    self._line_up(execution)
                    break
            if not held:
                self._held.pop(limit, None)

    def _line_up(self, execution: QueueEntry) -> None:
        heap = self._turns.setdefault(execution.organization_id, [])
        heapq.heappush(heap, self._entries[execution.id])
        self._wakeup.set()

    def _forget(self, execution_id: str) -> QueueEntry | None:
        self._entries.pop(execution_id, None)
        return self._waiting.pop(execution_id, None)


def _limits(execution: QueueEntry) -> list[str]:
    """Whatever may keep it waiting."""
    return [*execution.exclusive_logins, *([execution.batch_id] if execution.batch_id else [])]

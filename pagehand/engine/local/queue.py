"""Which execution runs next: by priority, organizations in turn, within the limits of logins and batches."""

import asyncio
import heapq
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count

from pagehand.engine.signing_in.authentications import deadlock_error
from pagehand.records import QueueEntry

_Entry = tuple[int, int, str]
"""Priority (highest first), order of arrival, execution id."""
_Lane = tuple[str, bool]
"""The organization, and whether a browser is needed."""


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


class ReadyQueue:
    """Executions that wait for a worker, in memory; the table has them all."""

    def __init__(
        self, locks: LoginLocks | None = None, has_slot: Callable[[str, bool], bool] = lambda _, __: True
    ) -> None:
        """`take` returns nothing of an organization, with or without a browser, while `has_slot` is false.

        Call `wake` when it may have become true.
        """
        self._locks = locks or LoginLocks()
        self._has_slot = has_slot
        self._waiting: dict[str, QueueEntry] = {}
        self._entries: dict[str, _Entry] = {}
        # one heap per organization, served in turn, so that ten thousand of one do not delay another;
        # and one for those that need no browser, so that they do not wait for one
        self._heaps: OrderedDict[_Lane, list[_Entry]] = OrderedDict()
        self._blocked: dict[str, list[_Entry]] = {}
        """Executions that cannot run yet, by the id of the login or batch that blocks them."""
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
        """Add an execution."""
        self._waiting[execution.id] = execution
        # kept, so that an execution that was blocked keeps its place
        self._entries[execution.id] = (-execution.priority, next(self._arrivals), execution.id)
        self._make_ready(execution)

    def remove(self, execution_id: str) -> bool:
        """Take one out, wherever it is; False when it does not wait here."""
        execution = self._forget(execution_id)
        if execution is None:
            return False
        self._unblock(_limits(execution))  # it may have been the one to run next
        return True

    async def take(self) -> QueueEntry | None:
        """The next one, as soon as there is one; None when the queue is closed."""
        while self._is_open:
            for execution in self._ready():
                return execution
            self._wakeup.clear()
            await self._wakeup.wait()
        return None

    def release(self, execution: QueueEntry) -> None:
        """Free the logins and the place in the batch of an execution that no longer runs."""
        free = list(self._locks.release(execution.id))
        batch_id = execution.batch_id
        if batch_id is not None and batch_id in self._running_of_batch:
            self._running_of_batch[batch_id] -= 1
            self._running_of_batch += Counter()  # drops batches of which nothing runs any more
            free.append(batch_id)
        self._unblock(free)

    def pause_batch(self, batch_id: str) -> None:
        """Return nothing more of a batch."""
        self._paused_batches.add(batch_id)

    def resume_batch(self, batch_id: str) -> None:
        """Return the rest of a batch."""
        self._paused_batches.discard(batch_id)
        for _, _, execution_id in self._blocked.pop(batch_id, []):
            if execution_id in self._waiting:
                self._make_ready(self._waiting[execution_id])

    def wake(self) -> None:
        """Look again: a slot may be free."""
        self._wakeup.set()

    def close(self) -> None:
        """Return nothing more; `take` returns None."""
        self._is_open = False
        self._wakeup.set()

    def _ready(self) -> Iterator[QueueEntry]:
        # a copy: taking one moves its organization to the end
        for lane in list(self._heaps):
            if not self._has_slot(*lane):
                continue
            heap = self._heaps[lane]
            while heap:
                _, _, execution_id = heapq.heappop(heap)
                execution = self._waiting.get(execution_id)
                if execution is None or not self._try_start(execution):
                    continue
                self._forget(execution_id)
                # the others come first next time
                self._heaps.move_to_end(lane)
                yield execution
            del self._heaps[lane]

    def _try_start(self, execution: QueueEntry) -> bool:
        """Count it as running from now on; False when a login or its batch blocks it."""
        limit = self._blocking_limit(execution)
        if limit is not None:
            heapq.heappush(self._blocked.setdefault(limit, []), self._entries[execution.id])
            # another execution may use the place that it cannot use
            self._unblock(other for other in _limits(execution) if self._has_room(other, execution))
            return False
        self._locks.take(execution.id, execution.exclusive_logins)
        if execution.batch_id and execution.batch_concurrency:
            self._running_of_batch[execution.batch_id] += 1
        return True

    def _blocking_limit(self, execution: QueueEntry) -> str | None:
        return next((limit for limit in _limits(execution) if not self._has_room(limit, execution)), None)

    def _has_room(self, limit: str, execution: QueueEntry) -> bool:
        if limit != execution.batch_id:
            return self._locks.first_busy(execution.id, [limit]) is None
        if limit in self._paused_batches:
            return False
        # 0 and none both mean that the batch has no limit
        concurrency = execution.batch_concurrency
        return not concurrency or self._running_of_batch[limit] < concurrency

    def _unblock(self, limits: Iterable[str]) -> None:
        """Make the first execution ready that each limit blocks: one place is free."""
        for limit in limits:
            blocked = self._blocked.get(limit, [])
            while blocked:
                execution = self._waiting.get(heapq.heappop(blocked)[2])
                if execution is not None:
                    self._make_ready(execution)
                    break
            if not blocked:
                self._blocked.pop(limit, None)

    def _make_ready(self, execution: QueueEntry) -> None:
        heap = self._heaps.setdefault((execution.organization_id, execution.needs_browser), [])
        heapq.heappush(heap, self._entries[execution.id])
        self._wakeup.set()

    def _forget(self, execution_id: str) -> QueueEntry | None:
        self._entries.pop(execution_id, None)
        return self._waiting.pop(execution_id, None)


def _limits(execution: QueueEntry) -> list[str]:
    """The ids of the logins and the batch that may block it."""
    return [*execution.exclusive_logins, *([execution.batch_id] if execution.batch_id else [])]

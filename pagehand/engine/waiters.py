"""Callers that wait for executions to end, one future each."""

import asyncio

from pagehand.records import Execution


class Waiters:
    """The waiting futures by execution."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Future[Execution]]] = {}

    @property
    def ids(self) -> list[str]:
        """The executions that callers wait for."""
        return list(self._waiting)

    def add(self, execution_id: str) -> "asyncio.Future[Execution]":
        """Begin to wait; `remove` it when done."""
        waiter: asyncio.Future[Execution] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(execution_id, set()).add(waiter)
        return waiter

    def remove(self, execution_id: str, waiter: "asyncio.Future[Execution]") -> None:
        """Stop waiting."""
        waiting = self._waiting.get(execution_id, set())
        waiting.discard(waiter)
        if not waiting:
            self._waiting.pop(execution_id, None)

    def wake(self, execution: Execution) -> None:
        """Give an execution that has ended to all callers that wait for it."""
        for waiter in self._waiting.pop(execution.id, set()):
            if not waiter.done():
                waiter.set_result(execution)

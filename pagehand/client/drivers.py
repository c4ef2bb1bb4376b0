"""The two ways to carry out a plan: `Driver` waits for each answer, `AsyncDriver` awaits it.

A `Method` is written once for both: one returns its result, the other is awaited.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import update_wrapper
from pathlib import Path
from typing import Any, Concatenate, Final, Generic, ParamSpec, Self, TypeVar, overload

import httpx2

from pagehand.client import plans
from pagehand.client.plans import Json, Plan

P = ParamSpec("P")
T = TypeVar("T")
_SECONDS: Final = httpx2.Timeout(60, read=None)
"""Answers of executions may take hours; everything else is answered at once."""


class Driver:
    """A connection to a service, whose methods return when they are done."""

    def __init__(self, url: str | None = None, key: str | None = None) -> None:
        self.url = plans.address(url)
        self._http = httpx2.Client(base_url=self.url, headers=plans.headers(key), timeout=_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def follow(self, execution_id: str) -> Iterator[Json]:
        """The events of an execution as they happen, until its end."""
        seen, is_over = 0, False
        while not is_over:
            found, execution = self.drive(plans.next_events(execution_id, seen))
            seen += len(found)
            yield from found
            is_over = plans.is_final(execution) and not found

    def drive(self, plan: Plan[T]) -> T:
        """Carry out a plan."""
        answer: Any = None
        try:
            while True:
                step = plan.throw(answer) if isinstance(answer, Exception) else plan.send(answer)
                answer = self._do(step)
        except StopIteration as end:
            return end.value

    def _do(self, step: plans.Step) -> httpx2.Response | httpx2.TransportError | None:
        if isinstance(step, plans.Pause):
            time.sleep(step.seconds)
            return None
        try:
            return self._save(step, step.to) if step.to else self._http.request(**step.request())
        except httpx2.TransportError as error:
            return error

    def _save(self, step: plans.Send, to: Path) -> httpx2.Response:
        with self._http.stream(**step.request()) as answer:
            if answer.is_error:
                answer.read()
            else:
                with to.open("wb") as out:
                    out.writelines(answer.iter_bytes())
        return answer


class AsyncDriver:
    """A connection to a service, whose methods are awaited."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        """`transport` is what sends its requests, if that is not a network."""
        self.url = plans.address(url)
        self._http = httpx2.AsyncClient(
            base_url=self.url, headers=plans.headers(key), timeout=_SECONDS, transport=transport
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close its connections."""
        await self._http.aclose()

    async def follow(self, execution_id: str) -> AsyncIterator[Json]:
        """The events of an execution as they happen, until its end."""
        seen, is_over = 0, False
        while not is_over:
            found, execution = await self.drive(plans.next_events(execution_id, seen))
            seen += len(found)
            for event in found:
                yield event
            is_over = plans.is_final(execution) and not found

    async def drive(self, plan: Plan[T]) -> T:
        """Carry out a plan."""
        answer: Any = None
        try:
            while True:
                step = plan.throw(answer) if isinstance(answer, Exception) else plan.send(answer)
                answer = await self._do(step)
        except StopIteration as end:
            return end.value

    async def _do(self, step: plans.Step) -> httpx2.Response | httpx2.TransportError | None:
        if isinstance(step, plans.Pause):
            await asyncio.sleep(step.seconds)
            return None
        try:
            return await (self._save(step, step.to) if step.to else self._http.request(**step.request()))
        except httpx2.TransportError as error:
            return error

    async def _save(self, step: plans.Send, to: Path) -> httpx2.Response:
        async with self._http.stream(**step.request()) as answer:
            if answer.is_error:
                await answer.aread()
                return answer
            with await asyncio.to_thread(to.open, "wb") as out:
                async for part in answer.aiter_bytes():
                    await asyncio.to_thread(out.write, part)
        return answer


class Method(Generic[P, T]):
    """What `client.method` is, by the client that it is asked of."""

    def __init__(self, plan: Callable[..., Plan[T]], described: Callable[..., Any]) -> None:
        """`plan` makes the plan from the client and the arguments; `described` has name and docstring."""
        self._plan = plan
        self._described = described

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...
    @overload
    def __get__(self, client: Driver, owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: AsyncDriver, owner: type) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, client: Any, owner: type) -> Any:
        """The method of a client; of the class, this."""
        if client is None:
            return self

        def method(*given: Any, **named: Any) -> Any:
            return client.drive(self._plan(client, *given, **named))

        return update_wrapper(method, self._described)


def planned(make: Callable[Concatenate[Any, P], Plan[T]]) -> Method[P, T]:
    """A method that returns its plan."""
    return Method(make, make)


def operation(path: str, **wire_names: str) -> Callable[[Callable[Concatenate[Any, P], T]], Method[P, T]]:
    """A method that posts its keywords to `path`; `wire_names` are of those that are not its camelCase."""

    def make(described: Callable[Concatenate[Any, P], T]) -> Method[P, T]:
        def plan(_: Any, /, **fields: Any) -> Plan[Any]:
            return plans.call(path, _as_body(fields, wire_names))

        return Method(plan, described)

    return make


def download(path: str) -> Callable[[Callable[Concatenate[Any, P], Path]], Method[P, Path]]:
    """A method that posts its keywords to `path` and writes the answer, a file, to `to`."""

    def make(described: Callable[Concatenate[Any, P], Path]) -> Method[P, Path]:
        def plan(_: Any, /, to: str | Path, **fields: Any) -> Plan[Path]:
            return plans.download(path, to, _as_body(fields, {}))

        return Method(plan, described)

    return make


def _as_body(fields: dict[str, Any], wire_names: dict[str, str]) -> plans.Json:
    return {wire_names.get(name) or _camel(name): value for name, value in fields.items()}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)

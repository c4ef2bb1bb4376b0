"""What clients do beyond single operations: run workflows, wait for them and fetch their files."""

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from functools import update_wrapper
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, Self, overload

from pagehand.client import plans
from pagehand.client.drivers import AsyncDriver, Driver, planned
from pagehand.client.plans import Json, Plan

P = ParamSpec("P")


class File:
    """A file of an execution."""

    def __init__(self, client: Driver, info: Json) -> None:
        self._client = client
        self.info = info
        self.id: str = info["id"]
        self.name: str = info["name"]

    def save(self, path: str | Path) -> Path:
        """Write it to `path`, a file or a folder; returns where it is."""
        return self._client.drive(plans.save(self.info, path))


class Execution:
    """One run of a workflow, as it was when it was asked for."""

    def __init__(self, client: Driver, data: Json) -> None:
        self._client = client
        self.data = data
        """All fields, as the API has them."""
        self.id: str = data["id"]
        self.status: str = data["status"]
        self.response: Any = data.get("response")
        self.files = [File(client, info) for info in data.get("files", [])]

    def events(self) -> list[Json]:
        """What happened, block by block."""
        return self._client.drive(plans.events(self.id))

    def wait(self) -> "Execution":
        """The execution at its end; raises ExecutionFailed."""
        return Execution(self._client, self._client.drive(plans.wait(self.id)))

    def follow(self) -> Iterator[Json]:
        """Its events as they happen, until its end."""
        return self._client.follow(self.id)


class AsyncFile:
    """A file of an execution."""

    def __init__(self, client: AsyncDriver, info: Json) -> None:
        self._client = client
        self.info = info
        self.id: str = info["id"]
        self.name: str = info["name"]

    async def save(self, path: str | Path) -> Path:
        """Write it to `path`, a file or a folder; returns where it is."""
        return await self._client.drive(plans.save(self.info, path))


class AsyncExecution:
    """One run of a workflow, as it was when it was asked for."""

    def __init__(self, client: AsyncDriver, data: Json) -> None:
        self._client = client
        self.data = data
        """All fields, as the API has them."""
        self.id: str = data["id"]
        self.status: str = data["status"]
        self.response: Any = data.get("response")
        self.files = [AsyncFile(client, info) for info in data.get("files", [])]

    async def events(self) -> list[Json]:
        """What happened, block by block."""
        return await self._client.drive(plans.events(self.id))

    async def wait(self) -> "AsyncExecution":
        """The execution at its end; raises ExecutionFailed."""
        return AsyncExecution(self._client, await self._client.drive(plans.wait(self.id)))

    def follow(self) -> AsyncIterator[Json]:
        """Its events as they happen, until its end."""
        return self._client.follow(self.id)


class _ExecutionMethod(Generic[P]):
    """A method of both clients whose plan gives the data of an execution."""

    def __init__(self, plan: Callable[Concatenate[Any, P], Plan[Json]]) -> None:
        self._plan = plan

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...
    @overload
    def __get__(self, client: Driver, owner: type) -> Callable[P, Execution]: ...
    @overload
    def __get__(
        self, client: AsyncDriver, owner: type
    ) -> Callable[P, Coroutine[Any, Any, AsyncExecution]]: ...
    def __get__(self, client: Any, owner: type) -> Any:
        """The method of a client; of the class, this."""
        if client is None:
            return self

        def method(*given: P.args, **named: P.kwargs) -> Execution:
            return Execution(client, client.drive(self._plan(client, *given, **named)))

        async def awaited(*given: P.args, **named: P.kwargs) -> AsyncExecution:
            return AsyncExecution(client, await client.drive(self._plan(client, *given, **named)))

        return update_wrapper(method if isinstance(client, Driver) else awaited, self._plan)


class Runs:
    """The methods that both clients have beside those of the operations."""

    @_ExecutionMethod
    def run(
        self,
        workflow: str,
        params: Mapping[str, Any] | None = None,
        *,
        login_id: str | None = None,
        timeout_seconds: float | None = None,
        **more: Any,
    ) -> Plan[Json]:
        """Run a workflow, named or by its id, and wait for its end; raises ExecutionFailed.

        Keywords are params, too: `run("Headline", url="…")`.
        """
        return plans.run(plans.request_of(workflow, params, more, loginId=login_id, timeout=timeout_seconds))

    @_ExecutionMethod
    def start(
        self,
        workflow: str,
        params: Mapping[str, Any] | None = None,
        *,
        login_id: str | None = None,
        timeout_seconds: float | None = None,
        **more: Any,
    ) -> Plan[Json]:
        """Start a workflow and return at once; `wait` and `follow` go on from there."""
        return plans.start(
            plans.request_of(workflow, params, more, loginId=login_id, timeout=timeout_seconds)
        )

    @_ExecutionMethod
    def wait(self, execution_id: str) -> Plan[Json]:
        """An execution at its end; raises ExecutionFailed."""
        return plans.wait(execution_id)

    @planned
    def call(self, path: str, fields: Any = None) -> Plan[Json]:
        """Post to any operation: `call("/workflows/list", {"limit": 10})`."""
        return plans.call(path, fields)

    @planned
    def upload(self, path: str | Path) -> Plan[Json]:
        """Store a file; workflows take it by its `id`."""
        return plans.upload(path)

    @planned
    def download(self, path: str, target: str | Path, fields: Any = None) -> Plan[Path]:
        """Write the bytes of a link, or of an operation that answers with a file, to a path."""
        return plans.download(path, target, fields)

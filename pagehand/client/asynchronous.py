"""The client whose methods are awaited; otherwise the same as the one that waits."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final, Self, TypeVar

import httpx2

from pagehand.client import plans
from pagehand.client.plans import Json, Plan, target_of

T = TypeVar("T")
_SECONDS: Final = httpx2.Timeout(60, read=None)
"""Answers of executions may take hours; everything else is answered at once."""


class AsyncFile:
    """A file of an execution."""

    def __init__(self, client: "AsyncPagehand", info: Json) -> None:
        self._client = client
        self.info = info
        self.id: str = info["id"]
        self.name: str = info["name"]

    async def save(self, path: str | Path) -> Path:
        """Write it to `path`, a file or a folder; returns where it is."""
        target = await asyncio.to_thread(target_of, path, self.name)
        await self._client.download(self.info["downloadUrl"], target)
        return target


class AsyncExecution:
    """One run of a workflow, as it was when it was asked for."""

    def __init__(self, client: "AsyncPagehand", data: Json) -> None:
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
        return await self._client.wait(self.id)

    def follow(self) -> AsyncIterator[Json]:
        """Its events as they happen, until its end."""
        return self._client.follow(self.id)


class AsyncPagehand:
    """A service; `PAGEHAND_URL` and `PAGEHAND_KEY` say which, where nothing is given."""

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

    async def run(
        self,
        workflow: str,
        params: Mapping[str, Any] | None = None,
        *,
        login_id: str | None = None,
        timeout_seconds: float | None = None,
        **more: Any,
    ) -> AsyncExecution:
        """Run a workflow, named or by its id, and wait for its end; raises ExecutionFailed.

        Keywords are params, too: `run("Headline", url="…")`.
        """
        request = plans.request_of(workflow, params, more, loginId=login_id, timeout=timeout_seconds)
        return AsyncExecution(self, await self.drive(plans.run(request)))

    async def start(
        self,
        workflow: str,
        params: Mapping[str, Any] | None = None,
        *,
        login_id: str | None = None,
        timeout_seconds: float | None = None,
        **more: Any,
    ) -> AsyncExecution:
        """Start a workflow and return at once; `wait` and `follow` go on from there."""
        request = plans.request_of(workflow, params, more, loginId=login_id, timeout=timeout_seconds)
        return AsyncExecution(self, (await self.call("/workflows/execute", request))["execution"])

    async def wait(self, execution_id: str) -> AsyncExecution:
        """An execution at its end; raises ExecutionFailed."""
        return AsyncExecution(self, await self.drive(plans.wait(execution_id)))

    async def follow(self, execution_id: str) -> AsyncIterator[Json]:
        """The events of an execution as they happen, until its end."""
        seen, is_over = 0, False
        while not is_over:
            found, execution = await self.drive(plans.next_events(execution_id, seen))
            seen += len(found)
            for event in found:
                yield event
            is_over = plans.is_final(execution) and not found

    async def call(self, path: str, fields: Any = None) -> Json:
        """Post to any operation: `call("/workflows/list", {"limit": 10})`."""
        return await self.drive(plans.call(path, fields))

    async def upload(self, path: str | Path) -> Json:
        """Store a file; workflows take it by its `id`."""
        content = await asyncio.to_thread(Path(path).read_bytes)
        answer = await self._http.post("/files/upload", files={"file": (Path(path).name, content)})
        return plans.read(answer)["file"]

    async def download(self, path: str, target: str | Path, fields: Any = None) -> None:
        """Write the bytes of a link, or of an operation that answers with a file, to a path."""
        method = "GET" if fields is None else "POST"
        async with self._http.stream(method, path, json=fields) as answer:
            if answer.is_error:
                await answer.aread()
                plans.read(answer)
            with await asyncio.to_thread(Path(target).open, "wb") as out:
                async for part in answer.aiter_bytes():
                    await asyncio.to_thread(out.write, part)

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
            return await self._http.post(step.path, json=step.body, headers=step.headers)
        except httpx2.TransportError as error:
            return error

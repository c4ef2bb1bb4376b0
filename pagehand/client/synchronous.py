"""The client that waits for each answer."""

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Self, TypeVar

import httpx2

from pagehand.client import plans
from pagehand.client.plans import Json, Plan, target_of

T = TypeVar("T")
_SECONDS: Final = httpx2.Timeout(60, read=None)
"""Answers of executions may take hours; everything else is answered at once."""


class File:
    """A file of an execution."""

    def __init__(self, client: "Pagehand", info: Json) -> None:
        self._client = client
        self.info = info
        self.id: str = info["id"]
        self.name: str = info["name"]

    def save(self, path: str | Path) -> Path:
        """Write it to `path`, a file or a folder; returns where it is."""
        target = target_of(path, self.name)
        self._client.download(self.info["downloadUrl"], target)
        return target


class Execution:
    """One run of a workflow, as it was when it was asked for."""

    def __init__(self, client: "Pagehand", data: Json) -> None:
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
        return self._client.wait(self.id)

    def follow(self) -> Iterator[Json]:
        """Its events as they happen, until its end."""
        return self._client.follow(self.id)


class Pagehand:
    """A service; `PAGEHAND_URL` and `PAGEHAND_KEY` say which, where nothing is given."""

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

    def run(
        self,
        workflow: str,
        params: Mapping[str, Any] | None = None,
        *,
        login_id: str | None = None,
        timeout_seconds: float | None = None,
        **more: Any,
    ) -> Execution:
        """Run a workflow, named or by its id, and wait for its end; raises ExecutionFailed.

        Keywords are params, too: `run("Headline", url="…")`.
        """
        request = plans.request_of(workflow, params, more, loginId=login_id, timeout=timeout_seconds)
        return Execution(self, self.drive(plans.run(request)))

    def start(
        self,
        workflow: str,
        params: Mapping[str, Any] | None = None,
        *,
        login_id: str | None = None,
        timeout_seconds: float | None = None,
        **more: Any,
    ) -> Execution:
        """Start a workflow and return at once; `wait` and `follow` go on from there."""
        request = plans.request_of(workflow, params, more, loginId=login_id, timeout=timeout_seconds)
        return Execution(self, self.call("/workflows/execute", request)["execution"])

    def wait(self, execution_id: str) -> Execution:
        """An execution at its end; raises ExecutionFailed."""
        return Execution(self, self.drive(plans.wait(execution_id)))

    def follow(self, execution_id: str) -> Iterator[Json]:
        """The events of an execution as they happen, until its end."""
        seen, is_over = 0, False
        while not is_over:
            found, execution = self.drive(plans.next_events(execution_id, seen))
            seen += len(found)
            yield from found
            is_over = plans.is_final(execution) and not found

    def call(self, path: str, fields: Any = None) -> Json:
        """Post to any operation: `call("/workflows/list", {"limit": 10})`."""
        return self.drive(plans.call(path, fields))

    def upload(self, path: str | Path) -> Json:
        """Store a file; workflows take it by its `id`."""
        with Path(path).open("rb") as content:
            answer = self._http.post("/files/upload", files={"file": (Path(path).name, content)})
        return plans.read(answer)["file"]

    def download(self, path: str, target: str | Path, fields: Any = None) -> None:
        """Write the bytes of a link, or of an operation that answers with a file, to a path."""
        method = "GET" if fields is None else "POST"
        with self._http.stream(method, path, json=fields) as answer:
            if answer.is_error:
                answer.read()
                plans.read(answer)
            with Path(target).open("wb") as out:
                out.writelines(answer.iter_bytes())

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
            return self._http.post(step.path, json=step.body, headers=step.headers)
        except httpx2.TransportError as error:
            return error

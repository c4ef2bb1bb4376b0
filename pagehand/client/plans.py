"""What both clients do, as plans: generators that say what to send or how long to wait, and get the answers.

A client drives a plan with its own means of sending and sleeping, so every rule stands here once.
"""

import os
import random
import uuid
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, TypeVar

import httpx2
import msgspec


class ApiError(Exception):
    """The service has refused a request; the message is its sentence."""

    def __init__(self, status: int, message: str, body: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.body = body or {}
        """The whole answer: some operations say more than the sentence."""


class Unreachable(Exception):
    """The service does not answer."""


class ExecutionFailed(Exception):
    """The workflow ran and failed; `failure` is for programs, `analysis` for people."""

    def __init__(self, execution: dict[str, Any]) -> None:
        self.execution = execution
        self.failure: dict[str, Any] = execution.get("failure") or {}
        self.analysis: str = execution.get("errorAnalysis") or ""
        super().__init__(self.failure.get("message") or self.analysis or "The execution has failed.")


Json = dict[str, Any]
T = TypeVar("T")
DEFAULT_URL: Final = "http://127.0.0.1:8700"
_TRIES: Final = 6
_FIRST_PAUSE: Final = 0.25
_LONGEST_PAUSE: Final = 30.0
_BUSY: Final = (429, 503)
_FINAL: Final = ("Completed", "Failed")
WITH_KEY: Final = ("/workflows/execute", "/workflows/executeSync")
"""Operations that take an Idempotency-Key: sent again, they do nothing twice."""
_POLL: Final = (0.1, 0.2, 0.3, 0.5)
_PAGE: Final = 1000


@dataclass(slots=True)
class Send:
    """Send a request, and give the plan the answer."""

    path: str
    body: Any = None
    """Sent as JSON; without one, and without a file, it is a GET."""
    file: tuple[str, IO[bytes]] | None = None
    to: Path | None = None
    """Where the body of the answer goes, if not into memory."""
    headers: dict[str, str] = field(default_factory=dict[str, str])

    def request(self) -> Json:
        """What httpx is given."""
        given: Json = {"url": self.path, "headers": self.headers}
        if self.file is not None:
            return {**given, "method": "POST", "files": {"file": self.file}}
        return {**given, "method": "GET" if self.body is None else "POST", "json": self.body}


@dataclass(slots=True)
class Pause:
    """Wait for so many seconds."""

    seconds: float


Step = Send | Pause
Plan = Generator[Step, Any, T]


def address(url: str | None) -> str:
    """The address of the service: the given one, that of `PAGEHAND_URL`, or that of this machine."""
    return (url or os.environ.get("PAGEHAND_URL") or DEFAULT_URL).rstrip("/")


def headers(key: str | None) -> dict[str, str]:
    """The headers of every request, with the given key or that of `PAGEHAND_KEY`."""
    key = key or os.environ.get("PAGEHAND_KEY")
    return {"Authorization": f"Bearer {key}"} if key else {}


def call(path: str, body: Any = None) -> Plan[Json]:
    """Post to an operation; a service that is busy or starts is tried again for a while."""
    more = {"Idempotency-Key": uuid.uuid4().hex} if path in WITH_KEY else {}
    return read((yield from _sent(Send(path, {} if body is None else body, headers=more))))


def upload(path: str | Path) -> Plan[Json]:
    """Store a file."""
    with Path(path).open("rb") as content:
        answer = yield from _sent(Send("/files/upload", file=(Path(path).name, content)))
    return read(answer)["file"]


def download(path: str, target: str | Path, body: Any = None) -> Plan[Path]:
    """Write the bytes of a link, or of an operation that answers with a file, to a path."""
    answer = yield from _sent(Send(path, body, to=Path(target)))
    if answer.is_error:
        read(answer)
    return Path(target)


def save(file: Json, path: str | Path) -> Plan[Path]:
    """Write a file to `path`, or into the folder there under its own name, which leads nowhere else."""
    target = Path(path) / (Path(file["name"]).name or "file") if Path(path).is_dir() else Path(path)
    return (yield from download(file["downloadUrl"], target))


def _sent(request: Send) -> Plan[httpx2.Response]:
    """Send a request until it is answered with something else than 429 or 503, for a while."""
    for attempt in range(_TRIES):
        is_last = attempt == _TRIES - 1
        if request.file is not None:
            request.file[1].seek(0)
        try:
            answer: httpx2.Response = yield request
        except httpx2.TransportError as error:
            # once it was sent, only what has a key may be sent again
            if is_last or isinstance(error, httpx2.ConnectError) or not request.headers:
                raise Unreachable(f"The service does not answer: {error}") from error
            yield Pause(_pause(attempt, {}))
            continue
        if answer.status_code not in _BUSY or is_last:
            return answer
        yield Pause(_pause(attempt, answer.headers))
    raise AssertionError("unreachable: the last try returns or raises")


def read(answer: httpx2.Response) -> Json:
    """The body of an answer; raises ApiError with its sentence."""
    try:
        body = msgspec.json.decode(answer.content, type=Json)
    except msgspec.MsgspecError:
        body = Json()
    # an execution that was waited for may fail after the status was sent
    if answer.is_error or set(body) == {"error"}:
        sentence = body.get("error") or f"The service answered {answer.status_code}."
        raise ApiError(answer.status_code, sentence, body)
    return body


def run(request: Json) -> Plan[Json]:
    """Run a workflow and wait for its end."""
    answer = yield from call("/workflows/executeSync", request)
    return (yield from _ended(answer["execution"]))


def start(request: Json) -> Plan[Json]:
    """Start a workflow."""
    return (yield from call("/workflows/execute", request))["execution"]


def wait(execution_id: str) -> Plan[Json]:
    """Wait for the end of an execution."""
    number = 0
    while (execution := (yield from get(execution_id)))["status"] not in _FINAL:
        yield Pause(_POLL[min(number, len(_POLL) - 1)])
        number += 1
    return (yield from _ended(execution))


def get(execution_id: str) -> Plan[Json]:
    """An execution as it is now."""
    return (yield from call("/executions/get", {"id": execution_id}))["execution"]


def _ended(execution: Json) -> Plan[Json]:
    if execution["status"] == "Failed":
        raise ExecutionFailed(execution)
    return (yield from with_files(execution))


def with_files(execution: Json) -> Plan[Json]:
    """An execution with its files beside it."""
    listed = yield from call("/files/list", {"executionId": execution["id"], "limit": _PAGE})
    # oldest first, as the workflow made them; the service lists the newest first
    return {**execution, "files": listed["files"][::-1]}


def events(execution_id: str, offset: int = 0) -> Plan[list[Json]]:
    """The events of an execution from `offset` on."""
    body = {"id": execution_id, "offset": offset, "limit": _PAGE}
    return (yield from call("/executions/events", body))["events"]


def next_events(execution_id: str, seen: int) -> Plan[tuple[list[Json], Json]]:
    """Wait until there are events beyond those seen, or the execution has ended."""
    for number in range(1_000_000):
        # the state before the events: those of an ended execution are then all there
        execution = yield from get(execution_id)
        found = yield from events(execution_id, seen)
        if found or execution["status"] in _FINAL:
            return found, execution
        yield Pause(_POLL[min(number, len(_POLL) - 1)])
    raise AssertionError("unreachable: executions end")


def is_final(execution: Json) -> bool:
    """Whether it has ended."""
    return execution["status"] in _FINAL


def request_of(
    workflow: str, params: Mapping[str, Any] | None, more: Mapping[str, Any], **fields: Any
) -> Json:
    """The request that starts a workflow, named by its id or its name."""
    which = "workflowId" if workflow.startswith("wf_") else "workflowName"
    given = {name: value for name, value in fields.items() if value is not None}
    return {which: workflow, "params": {**(params or {}), **more}, **given}


def _pause(attempt: int, answered: Mapping[str, str]) -> float:
    try:
        asked = float(answered.get("retry-after", ""))
    except ValueError:
        asked = _FIRST_PAUSE * 2**attempt
    # spread, so that many clients do not come back at the same moment
    return min(asked, _LONGEST_PAUSE) * random.uniform(1.0, 1.25)  # noqa: S311 - nothing secret

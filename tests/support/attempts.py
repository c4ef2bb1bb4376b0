"""Attempts at executions over the harness, blocks that do what a test says, and a scripted model."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, cast

from pagehand.blocks import Registry, kinds
from pagehand.blocks.base import Block
from pagehand.blocks.outcome import NO_OUTPUT, Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.engine.attempt import Attempt
from pagehand.engine.intake import Intake
from pagehand.engine.live.sessions import LiveSessions
from pagehand.engine.local.queue import LoginLocks
from pagehand.engine.port import ExecutionRequest
from pagehand.engine.run.finish import Finisher
from pagehand.engine.run.verdict import Requeued
from pagehand.engine.slots import Slot, Slots
from pagehand.ports import AgentResult, AgentTools, RunModel
from pagehand.records import Event, Execution
from pagehand.testing import Harness
from support.database import whole

Json = dict[str, Any]
CALL: Json = {"type": "API", "blockReferenceId": "call", "data": {"route": "https://api.example/x"}}


def value(reference: str, given: Any, code: str = "input", **envelope: Any) -> Json:
    """A block that puts out `given`."""
    data = {"input": given, "code": code}
    return {"type": "Transform", "blockReferenceId": reference, "data": data, **envelope}


def loop(reference: str, over: Json, *blocks: Json, **data: Any) -> Json:
    """A loop around blocks."""
    return {
        "type": "LoopV2",
        "blockReferenceId": reference,
        "data": {"over": over, **data},
        "sequenceData": {"sequence": list(blocks)},
    }


DO: Json = {"type": "Do", "name": "Do it", "blockReferenceId": "do", "data": {}}
"""The block that `kinds_with` runs."""


def kinds_with(
    act: Callable[[RunContext], Awaitable[Any]], *, seconds: float | None = None, page: bool = False
) -> Registry:
    """All kinds, and one of which every block does `act`; its output is what that returns."""

    class Do(Block):
        type: ClassVar[str] = "Do"
        title: ClassVar[str] = "Do"
        needs_page: ClassVar[bool] = page
        default_timeout_seconds: ClassVar[float | None] = seconds

        async def run(self, ctx: RunContext) -> Outcome:
            output = await act(ctx)
            return Outcome(output=NO_OUTPUT if output is None else output)

    return Registry([*kinds(), Do])


def new_attempt(
    harness: Harness,
    execution: Execution,
    slots: Slots | None = None,
    sessions: LiveSessions | None = None,
    locks: LoginLocks | None = None,
) -> Attempt:
    """An attempt at an execution that waits."""
    slot = Slot(slots or Slots(1, 1, lambda: None), execution.organization_id)
    services, sessions = harness.services, sessions or LiveSessions()
    return Attempt(services, Finisher(services), execution, slot, locks or LoginLocks(), sessions)


async def accept_execution(harness: Harness, *blocks: Json, **changes: Any) -> Execution:
    """An execution that waits, with what intake made of it changed."""
    request = ExecutionRequest(workflow_id=(await harness.add_workflow(*blocks)).id)
    execution = await Intake(harness.services).execution(harness.organization_id, request)
    return await harness.stores.executions.add(replace(execution, **changes))


async def run_attempt(harness: Harness, *blocks: Json, **request: Any) -> tuple[Requeued | None, Execution]:
    """One attempt at a workflow of these blocks: whether it waits again, and its row."""
    execution = await harness.accept(await harness.add_workflow(*blocks), **request)
    requeued = await new_attempt(harness, execution).perform(lambda _: None)
    return requeued, await reload_execution(harness, execution)


async def reload_execution(harness: Harness, execution: Execution) -> Execution:
    """The execution's row."""
    found = await harness.stores.executions.find_in_any_organization(execution.id)
    assert found is not None
    return found


async def events_of(harness: Harness, execution: Execution) -> Sequence[Event]:
    """Its events, oldest first."""
    events, _ = await whole(harness.stores.events.list(execution.organization_id, execution.id, 1000, 0))
    return events


@dataclass(slots=True)
class FakeUsage:
    """Implements `ModelUsage`."""

    calls: int = 0

    def as_json(self) -> Json:
        return {"calls": self.calls, "costUsd": 0.25 * self.calls}


@dataclass(slots=True)
class ScriptedRunModel:
    """Implements `RunModel` and `Models`: gives its answers one after the other, raising the errors."""

    answers: list[Any] = field(default_factory=list[Any])
    prompts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """The instructions and the material of each call."""
    usage: FakeUsage = field(default_factory=FakeUsage)

    async def for_organization(
        self, organization_id: str, redact: Callable[[str], str], /
    ) -> RunModel | None:
        del organization_id, redact
        return cast("RunModel", self)  # no test has it hold a conversation

    def prompt(self, name: str, **words: str) -> str:
        return " ".join([name, *words.values()])

    async def data(
        self, instructions: str, material: str, schema: Mapping[str, Any], images: Sequence[bytes] = ()
    ) -> Any:
        del schema, images
        return self._next(instructions, material)

    async def text(self, instructions: str, material: str, images: Sequence[bytes] = ()) -> str:
        del images
        return self._next(instructions, material)

    async def run_agent(
        self, instructions: str, tools: AgentTools, *, most_steps: int, result: Mapping[str, Any]
    ) -> AgentResult:
        del tools, most_steps, result
        return AgentResult("done", self._next(instructions, ""))

    def _next(self, instructions: str, material: str) -> Any:
        self.usage.calls += 1
        self.prompts.append((instructions, material))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

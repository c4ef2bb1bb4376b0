"""One walk through one execution's blocks, put together as an attempt of the service does it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from pagehand.blocks.base import Block
from pagehand.blocks.outcome import Outcome
from pagehand.engine.local.queue import LoginLocks
from pagehand.engine.reporting.events import EventLog
from pagehand.engine.run.block_runner import BlockReporter
from pagehand.engine.run.context import BlockContext
from pagehand.engine.run.services import RunServices
from pagehand.engine.run.walk import Run
from pagehand.engine.services import EngineServices
from pagehand.engine.signals import Signals
from pagehand.engine.signing_in.codes import CodeRequest
from pagehand.engine.viewers import LiveRun
from pagehand.errors import OurFault, WorkerLost
from pagehand.records import Event, Execution, Json, Status, WaitingKind, Workflow, WorkflowVersion
from pagehand.secrets.redactor import Redactor

_MOST_EVENTS = 10_000
_LONGEST_SECONDS = 0.02


@dataclass(slots=True, frozen=True, kw_only=True)
class RunResult:
    """What a run left behind."""

    execution: Execution
    outputs: Json
    """The response: the outputs of the blocks, by their references."""
    outcomes: Mapping[str, Outcome]
    """How each block that succeeded ended, by its reference; of a block in a loop, its latest round."""
    events: Sequence[Event]
    slept_seconds: float
    """How long the blocks wanted to wait; the harness does not."""
    waits: Sequence[str]
    """What the run was paused for, in words."""
    redactor: Redactor
    """Knows the secrets that the run must not show."""

    def events_of(self, *types: str) -> list[str]:
        """The messages of the events of these types."""
        return [event.message for event in self.events if event.type in types]


class HarnessRun:
    """The walk through an execution that the harness has claimed."""

    def __init__(self, shared: EngineServices, execution: Execution) -> None:
        self._shared = shared
        self._execution = execution
        self._signals = InstantSignals(self._set_status)
        self._redactor = shared.new_redactor()
        self._events = EventLog(shared.stores.events, execution.id, self._redactor, first_seq=0)
        self.result: RunResult | None = None
        """Set when the walk has ended, also with an error."""

    async def walk(self, workflow: Workflow, downloads: Sequence[Json]) -> RunResult:
        """Walk to the end."""
        execution, stores = self._execution, self._shared.stores
        version = await stores.workflows.version(execution.organization_id, workflow.id, workflow.version)
        if version is None:
            raise OurFault("The workflow's version is gone.")
        services = self._services(version)
        # added as a finished download is, so that `downloads` and the files agree
        for described in downloads:
            await services.downloads.add(await services.files.find(described))
        run = Run(services, version.output)
        run.reporter = reporter = _OutcomeReporter(services)
        outputs: Json | None = None
        try:
            outputs = await run.walk()
        finally:
            # in the order of an attempt: events last, because the others may write some
            await services.outputs.close()
            await services.effects.wait_until_written()
            await services.browser.store_pictures()
            await self._events.close()
            await services.browser.close()
            # an error that ended the walk goes on to the test, which may look at what came before it
            response = services.outputs.response if outputs is None else outputs
            self.result = await self._result(response, reporter.outcomes)
        return self.result

    def _services(self, version: WorkflowVersion) -> RunServices:
        return RunServices(
            self._execution,
            version,
            self._shared,
            signals=self._signals,
            codes=CodeRequest,
            events=self._events,
            redactor=self._redactor,
            live=LiveRun(self._execution, self._signals, self._events, self._redactor),
            locks=LoginLocks(),
            save=self._save,
        )

    async def _result(self, outputs: Json, outcomes: Mapping[str, Outcome]) -> RunResult:
        execution = self._execution
        events, _ = await self._shared.stores.events.list(
            execution.organization_id, execution.id, _MOST_EVENTS, 0
        )
        return RunResult(
            execution=execution,
            outputs=outputs,
            outcomes=outcomes,
            events=await events.all(),
            slept_seconds=self._signals.slept_seconds,
            waits=self._signals.waits,
            redactor=self._redactor,
        )

    async def _set_status(self, status: Status, reason: str) -> None:
        self._events.add("execution.paused" if status is Status.PAUSED else "execution.resumed", reason)
        await self._save(status=status)

    async def _save(self, **changes: Any) -> None:
        execution = self._execution
        if not await self._shared.stores.executions.update(execution.id, execution.fence, **changes):
            raise WorkerLost("The test's execution has another owner.")


class _OutcomeReporter(BlockReporter):
    """The engine's own reporter, which keeps what the blocks returned as well."""

    def __init__(self, services: RunServices) -> None:
        super().__init__(services)
        self.outcomes: dict[str, Outcome] = {}

    async def block_finished(
        self, block: Block, context: BlockContext, outcome: Outcome, duration_ms: int
    ) -> None:
        """Keep the outcome."""
        self.outcomes[context.envelope.block_reference_id] = outcome
        await super().block_finished(block, context, outcome, duration_ms)


class InstantSignals(Signals):
    """Notes how long blocks sleep and what they wait for."""

    def __init__(self, set_status: Callable[[Status, str], Awaitable[None]]) -> None:
        super().__init__(set_status)
        self.slept_seconds = 0.0
        self.waits: list[str] = []

    async def sleep(self, seconds: float) -> None:
        """Let others have their turn, and count."""
        self.slept_seconds += seconds
        # not skipped: a block that polls must let the others have their turn
        await asyncio.sleep(min(seconds, _LONGEST_SECONDS))

    async def wait_for_approval(self, reason: str) -> None:
        """Paused as always, and resumed as soon as it is."""
        asyncio.get_running_loop().call_later(_LONGEST_SECONDS, self.resume)
        await super().wait_for_approval(reason)

    @asynccontextmanager
    async def waiting_for_person(
        self, reason: str, kind: WaitingKind = "person"
    ) -> AsyncGenerator[asyncio.Event]:
        """Paused as always; the test sees what for."""
        self.waits.append(reason)
        async with super().waiting_for_person(reason, kind) as done:
            yield done

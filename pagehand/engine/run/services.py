"""The objects that one run works with, and the conversation that its agents write."""

from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import Any, Protocol

from msgspec import to_builtins

from pagehand.browser import BrowserSession
from pagehand.browser_session import BrowserRequest
from pagehand.clock import now_ms
from pagehand.engine.repair.element_memory import ElementMemory
from pagehand.engine.repair.healing import Healing
from pagehand.engine.repair.recovery_agent import RecoveryAgent
from pagehand.engine.reporting.events import EventLog
from pagehand.engine.run.authenticator import Authenticator
from pagehand.engine.run.browser import RunBrowser
from pagehand.engine.run.cache import PlanCache
from pagehand.engine.run.conditions import ConditionEvaluator
from pagehand.engine.run.effects import Act, Effects
from pagehand.engine.run.files import Downloads, ExecutionFiles
from pagehand.engine.run.recorder import RunRecorder
from pagehand.engine.run.scope import Outputs, Scope, mistyped_params
from pagehand.engine.services import EngineServices, SaveChanges
from pagehand.engine.signals import Signals
from pagehand.engine.signing_in.authentications import ExclusiveLogins
from pagehand.engine.signing_in.codes import CodeRequest
from pagehand.engine.signing_in.login_secrets import LoginSecrets
from pagehand.engine.viewers import LiveRun
from pagehand.errors import Unavailable
from pagehand.ids import new_id
from pagehand.ports import RunModel
from pagehand.records import (
    Execution,
    Pictured,
    ProposedOperation,
    Thread,
    WorkflowVersion,
    is_array,
    is_object,
)
from pagehand.secrets.redactor import Redactor
from pagehand.storage.threads import ThreadStore
from pagehand.workflow import tree
from pagehand.workflow.tree import Envelope

_MAX_LENGTH = 20_000


class Conversation:
    """The thread of one execution; created with its first message."""

    def __init__(
        self, execution: Execution, store: ThreadStore, redactor: Redactor, save: SaveChanges
    ) -> None:
        self._execution = execution
        self._store = store
        self._redactor = redactor
        self._save = save
        # the thread that an earlier attempt has begun is gone on with
        self._thread_id: str | None = execution.thread_id or execution.metadata.get("threadId")

    async def say(self, role: str, text: str) -> None:
        """Append a message, without secrets."""
        with suppress(Unavailable):  # the record of a conversation is worth less than the run
            thread_id = await self._thread()
            redacted = self._redactor.text(text)[:_MAX_LENGTH]
            await self._store.add_messages(self._execution.organization_id, thread_id, [(role, redacted)])

    async def _thread(self) -> str:
        if self._thread_id is None:
            thread_id = new_id("thread")
            await self._store.add(
                Thread(
                    id=thread_id,
                    organization_id=self._execution.organization_id,
                    name=f"{self._execution.workflow_name}: {self._execution.id}",
                    workflow_id=self._execution.workflow_id,
                    created_at=now_ms(),
                )
            )
            # known only once it is stored: messages of a thread that does not exist are dropped
            self._thread_id = self._execution.metadata["threadId"] = thread_id
            await self._save(metadata=self._execution.metadata)
        return self._thread_id


class RunServices:
    """What the walk of one execution works with, and every block of it."""

    def __init__(
        self,
        execution: Execution,
        version: WorkflowVersion,
        shared: EngineServices,
        *,
        signals: Signals,
        codes: Callable[[], CodeRequest],
        events: EventLog,
        redactor: Redactor,
        live: LiveRun,
        locks: ExclusiveLogins,
        save: SaveChanges,
        use_browser: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`codes` gives the place where codes for this run's sign-ins are submitted.

        `use_browser` returns once the run may open its browser.
        """
        self.execution = execution
        self.shared = shared
        self.signals = signals
        self.events = events
        self.redactor = redactor
        self.save = save
        self._live = live
        self._codes = codes
        self._locks = locks
        self._use_browser = use_browser
        self._version = version
        self.blocks = tree.from_json(version.blocks)
        secret_params = shared.secret_params.open(execution)
        # saved before secrets could have no default
        defaults = [declared.get("default") for declared in version.parameters if declared.get("isSecret")]
        # before anything can be logged or written
        for text in _texts([*secret_params.values(), *defaults]):
            redactor.add(text)
        self.scope = Scope(execution, self.blocks, version.parameters, secret_params)
        self.model: RunModel | None = None
        """The organization's language model; None where none is configured, and until `find_model`."""
        self.learners: list[Learner] = []
        """The parts of this run that learn from its blocks; each joins when it is made."""
        self._healing_proposals: list[ProposedOperation] = []
        self._recovery_proposals: list[ProposedOperation] = []

    # The parts below are made when they are first asked for: most runs need only some of them.

    @cached_property
    def pictures(self) -> Pictured:
        """Which blocks get a picture; a service without screenshots keeps only those of failures."""
        wanted = self._version.pictures
        return wanted if self.shared.settings.screenshots or wanted == "none" else "failures"

    @cached_property
    def mistyped_params(self) -> list[str]:
        """A sentence for each parameter that was probably given under a wrong name."""
        return mistyped_params(self.execution, self._version, self.shared.kinds)

    @cached_property
    def downloads(self) -> Downloads:
        """The state of the execution's downloads."""
        return Downloads(lambda state: self.save(downloads=state))

    @cached_property
    def files(self) -> ExecutionFiles:
        """The files of the execution."""
        return ExecutionFiles(
            self.execution,
            self.shared.stores.files,
            self.shared.file_bytes,
            self.shared.describe_file,
            self.downloads,
            self.shared.knowledge,
            check_room=self.shared.check_room,
        )

    @cached_property
    def effects(self) -> Effects:
        """What the run did to the outside."""
        return Effects(
            self.execution, self.save, self.redactor.text, self.signals.confirm, self._browser_has_reported
        )

    @cached_property
    def outputs(self) -> Outputs:
        """The outputs of the blocks."""
        return Outputs(
            self.execution,
            self.shared.stores.outputs,
            self.files,
            self.redactor,
            max_bytes=self.shared.settings.max_output_bytes,
            max_value_bytes=self.shared.settings.max_value_bytes,
        )

    @cached_property
    def browser(self) -> RunBrowser:
        """The run's browser, which opens with its first use."""
        return RunBrowser(
            self.execution,
            self._open_browser,
            self.files,
            self.downloads,
            self.events,
            self.signals,
            self._show_browser,
            self.effects.on_browser_event,
            self.effects.before_send,
        )

    @cached_property
    def recorder(self) -> RunRecorder | None:
        """Records what sites answer, if that was asked for."""
        if not self.execution.metadata.get("record"):
            return None
        logins = self.shared.stores.logins
        return RunRecorder(self.execution, self.files, self.downloads, self.events, self.redactor, logins)

    async def _open_browser(self, request: BrowserRequest) -> BrowserSession:
        if self._use_browser is not None:
            await self._use_browser()
        return await self.shared.open_browser(request)

    @cached_property
    def healing(self) -> Healing:
        """Finds elements on pages that have changed."""
        memory = ElementMemory(self.execution, self.shared.stores.memories, self.redactor)
        healing = Healing(memory, self.shared.settings, self.events, self._healing_proposals)
        self.learners.append(healing)
        return healing

    @cached_property
    def cache(self) -> PlanCache:
        """The plans that blocks keep for later runs."""
        cache = PlanCache(self.execution, self.blocks, self.shared.stores.plans, self.redactor)
        self.learners.append(cache)
        return cache

    @cached_property
    def conditions(self) -> ConditionEvaluator:
        """Evaluates the conditions of blocks."""
        return ConditionEvaluator(self.shared.sandbox, self.browser.open, lambda: self.model)

    @cached_property
    def conversation(self) -> Conversation:
        """The messages of the run's agents."""
        return Conversation(self.execution, self.shared.stores.threads, self.redactor, self.save)

    @cached_property
    def recovery_agent(self) -> RecoveryAgent:
        """Helps blocks that failed."""
        return RecoveryAgent(self.events, self._recovery_proposals)

    @cached_property
    def login_secrets(self) -> LoginSecrets:
        """The secrets of the logins that the run uses."""
        return LoginSecrets(self.redactor, self.shared.new_redactor())

    @cached_property
    def authenticator(self) -> Authenticator:
        """Signs in; ask for it after `find_model`, because it takes the run's model along."""
        authenticator = Authenticator(
            self.execution,
            self.shared.stores.logins,
            self.shared.logins,
            self.browser,
            self._codes(),
            self._locks,
            self.login_secrets,
            self.signals,
            self.scope,
            self.events,
            self.redactor,
            self.save,
        )
        authenticator.model = self.model
        return authenticator

    def without_login_secrets(self, value: Any) -> Any:
        """`value` without the secrets of the logins that the run has used."""
        # a run that has used none need not ask for them
        return value if self.scope.login is None else self.login_secrets.hide(value)

    async def find_model(self) -> None:
        """Learn which model serves the organization."""
        self.model = await self.shared.models.for_organization(
            self.execution.organization_id, self.redactor.text
        )

    def use_blocks(self, blocks: list[Envelope]) -> None:
        """Run these from now on instead of the workflow's own: a live session tries edited blocks."""
        self.blocks = blocks
        self.scope.add_blocks(blocks)
        self.cache.use_blocks(blocks)

    @contextmanager
    def signing_in(self) -> Generator[None]:
        """What is sent within is not an effect, and dialogs within do not fail a block."""
        with self.effects.signing_in():
            yield
        if self.browser.session is not None:
            # only after a sign-in that went well: a failed one raises before this line
            self.browser.session.dialogs.clear_unanswered()
            self.browser.session.forget_press()

    async def save_learned(self) -> None:
        """Keep what helps the next run: elements, plans, and the edits that it proposes."""
        for learner in self.learners:
            await learner.save()
        await self.save_findings()

    async def save_findings(self) -> None:
        """Show on the execution what the model has cost and the edits that would mend the workflow."""
        metadata = self.execution.metadata
        if self.model is not None and self.model.usage.calls:
            metadata["modelUsage"] = self.model.usage.as_json()
        proposed = [*self._healing_proposals, *self._recovery_proposals]
        if proposed:
            # one for each block: a loop heals the same locator in every round
            by_block = {operation.block_id: operation for operation in proposed}
            metadata["proposedOperations"] = to_builtins(list(by_block.values()))
        if proposed:
            await self.save(metadata=metadata, proposal="open")
        elif "modelUsage" in metadata:
            await self.save(metadata=metadata)

    async def _browser_has_reported(self) -> bool:
        session = self.browser.session
        return session is not None and await session.has_reported()

    def _person_acts(self) -> None:
        """What the browser sends from now on may be the effect of what a person does."""
        self.effects.begin(Act(self.effects.block, "what a person does in the live view"))
        if self.browser.session is not None:
            self.browser.session.begin_press(None)

    async def _show_browser(self, session: BrowserSession, session_id: str) -> None:
        """Show that a browser serves the execution, and where to see it."""
        execution = self.execution
        execution.session_id, execution.vendor_id = session_id, session.vendor_id
        execution.live_view_url = self.shared.live_view_url(execution)
        self._live.screen, self._live.on_control = session.live_view, self._person_acts
        if self.recorder is not None:
            await self.recorder.start(session.context)
        await self.save(
            session_id=session_id, vendor_id=session.vendor_id, live_view_url=execution.live_view_url
        )


def _texts(value: Any) -> Iterator[str]:
    """Every text and number in a value, at any depth."""
    if is_object(value):
        for item in value.values():
            yield from _texts(item)
    elif is_array(value):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)


class Learner(Protocol):
    """Collects what a block used, and keeps it if the block succeeds."""

    def succeeded(self, envelope: Envelope) -> None:
        """Keep what was collected from a block: it did its work."""
        ...

    def failed(self, envelope: Envelope) -> None:
        """Drop what was collected from a block: it may have been wrong."""
        ...

    async def save(self) -> None:
        """Write what was kept, for the next run."""
        ...

"""Making executions from requests: everything they refer to is looked up before anything is written."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from pagehand.blocks import Registry
from pagehand.blocks.base import Block
from pagehand.clock import now_ms, to_iso
from pagehand.engine.port import ExecutionRequest
from pagehand.engine.services import EngineServices
from pagehand.engine.signing_in.authentications import context_authentication
from pagehand.errors import Conflict, InvalidRequest, NotFound
from pagehand.ids import new_id
from pagehand.logins.sign_in.sign_in import SignIn
from pagehand.loop import iterate_cooperatively
from pagehand.records import Batch, Execution, ExecutionLogin, Json, Login, LoginFacts, Status, Workflow
from pagehand.secrets.vault import KEPT
from pagehand.storage.execution_list import ExecutionFilter
from pagehand.storage.executions import ExecutionStore
from pagehand.storage.logins import LoginStore
from pagehand.workflow import tree
from pagehand.workflow.parameters import check_params
from pagehand.workflow.refusals import nearest

_RECENT: Final = 100
"""Executions of a workflow among which are the runs that a look goes by."""
_EARLIER_LOOKS: Final = 5
CheckProxy = Callable[[str, bool], Awaitable[None]]
"""Refuses the use of a proxy where the organization has none."""


class IntakeLogins:
    """Adds logins to executions of one workflow; each login is looked up once, however many rows name it."""

    def __init__(
        self, workflow: Workflow, store: LoginStore, logins: SignIn, kinds: Registry, check_proxy: CheckProxy
    ) -> None:
        self._workflow = workflow
        self._store = store
        self._logins = logins
        self._check_proxy = check_proxy
        self._blocks = _naming_blocks(workflow, kinds)
        self._defaults = {
            parameter["name"]: parameter["default"]
            for parameter in workflow.parameters
            if parameter.get("default") is not None
        }
        self._known: dict[str, LoginFacts | None] = {}

    async def add_own(self, execution: Execution, login: Login) -> None:
        """The login the execution is started with."""
        facts = self._logins.facts(login)
        execution.login_id = login.id
        execution.total_attempts = 1 + facts.retries
        execution.logins = [ExecutionLogin(id=login.id, name=login.name)]
        await self._add(execution, facts)

    async def add_named(self, execution: Execution) -> None:
        """Logins that blocks name, by id or through params; those that only the run can know are left out."""
        # as the run will see them
        params = {**self._defaults, **execution.params}
        added = {
            authentication.login_summary.login_id for authentication in execution.context_authentications
        }
        for login_id in dict.fromkeys(
            login for kind, data in self._blocks for login in kind.named_logins(data, params)
        ):
            facts = await self._find(execution.organization_id, login_id)
            # an id that does not exist fails the Login block, with its name, not the whole request
            if facts is not None and login_id not in added:
                await self._add(execution, facts)

    async def _add(self, execution: Execution, facts: LoginFacts) -> None:
        await self._check_proxy(execution.organization_id, facts.uses_proxy)
        execution.use_proxy = execution.use_proxy or facts.uses_proxy
        if facts.is_exclusive:
            execution.exclusive_logins.append(facts.id)
        execution.context_authentications.append(context_authentication(facts))

    async def _find(self, organization_id: str, login_id: str) -> LoginFacts | None:
        if login_id not in self._known:
            login = await self._store.get(organization_id, login_id)
            self._known[login_id] = self._logins.facts(login) if login is not None else None
        return self._known[login_id]


def _naming_blocks(workflow: Workflow, kinds: Registry) -> list[tuple[type[Block], Json]]:
    """The blocks that can name a login, with their data."""
    every = (inner for block in tree.from_json(workflow.blocks) for inner in block.walk())
    found: list[tuple[type[Block], Json]] = []
    for inner in every:
        kind = kinds.kind_named(inner.type)
        if kind is not None and kind.names_logins:
            found.append((kind, inner.data))
    return found


WORKFLOW_NOT_FOUND = "Workflow not found or does not belong to this organization"


class Intake:
    """Makes executions that are ready to be committed."""

    def __init__(self, services: EngineServices) -> None:
        self._stores = services.stores
        self._logins = services.logins
        self._kinds = services.kinds
        self._secret_params = services.secret_params
        self._proxies = services.proxies
        self._traces = services.traces

    async def execution(self, organization_id: str, request: ExecutionRequest) -> Execution:
        """The execution a request asks for."""
        if (like_id := request.like_execution_id or request.continues_id) is not None:
            # first: values of the other execution are checked like those of a caller
            request = await self._filled_in(organization_id, request, like_id)
        workflow = await self.workflow(organization_id, request)
        look: Json = {}
        if request.look:
            look = {"look": await _look_facts(self._stores.executions, organization_id, workflow.id)}
            request = replace(request, workflow_id=workflow.id, name=request.name or "look")
            request = await self._filled_in(organization_id, request, look["look"]["executionId"])
        execution, logins = await self._prepare(organization_id, request, workflow)
        execution.metadata |= look
        await logins.add_named(execution)
        check_params(workflow.parameters, request.params, "params")
        self._hide_secrets(execution, workflow, request.secret_names)
        return execution

    async def batch(
        self,
        organization_id: str,
        name: str,
        request: ExecutionRequest,
        rows: Mapping[int, Json],
        concurrency: int | None,
    ) -> tuple[Batch, list[Execution]]:
        """A batch and one execution per row of params; rows have the numbers that their sheet gives them."""
        workflow = await self._workflow_of_batch(organization_id, request)
        first, logins = await self._prepare(organization_id, request, workflow)
        # a sheet may have 100,000 rows: other tasks run in between
        async for position, row in iterate_cooperatively(enumerate(rows.values())):
            check_params(workflow.parameters, row, f"rows[{position}]")
        batch = Batch(
            id=new_id("batch"),
            organization_id=organization_id,
            name=name,
            workflow_id=first.workflow_id,
            workflow_name=first.workflow_name,
            total=len(rows),
            created_at=now_ms(),
            concurrency=concurrency,
        )
        first.batch_id, first.batch_name, first.batch_concurrency = batch.id, batch.name, concurrency
        executions: list[Execution] = []
        async for number, row in iterate_cooperatively(rows.items()):
            execution = _sibling(first, params=row)
            execution.metadata |= {"row": number, **self._traces.metadata(execution.id, None)}
            # per row and not in `first`: which logins the blocks name may depend on the row's params
            await logins.add_named(execution)
            self._hide_secrets(execution, workflow)
            executions.append(execution)
        return batch, executions

    def _hide_secrets(
        self, execution: Execution, workflow: Workflow, secret_names: frozenset[str] = frozenset()
    ) -> None:
        """Encrypt the parameters that are declared secret; `params` has a mask in their place."""
        declared = [parameter["name"] for parameter in workflow.parameters if parameter.get("isSecret")]
        given = execution.params
        names = dict.fromkeys([*declared, *sorted(secret_names)])
        secrets = {name: given[name] for name in names if given.get(name) is not None}
        if secrets:
            execution.secret_params = self._secret_params.seal(execution, secrets)
            # a new dict: the caller may use its own for the next row
            execution.params = {**given, **dict.fromkeys(secrets, KEPT)}

    async def _prepare(
        self, organization_id: str, request: ExecutionRequest, workflow: Workflow
    ) -> tuple[Execution, IntakeLogins]:
        """The execution without the logins that its blocks name, and what adds those."""
        await self._check_proxy(organization_id, request.use_proxy)
        batch = await self._batch(organization_id, request.batch_id)
        if request.thread_id and await self._stores.threads.get(organization_id, request.thread_id) is None:
            raise NotFound(_not_found("agentConversationThreadId", "thread", request.thread_id))
        execution = self._new_execution(organization_id, workflow, request)
        if batch is not None:
            execution.batch_id, execution.batch_name = batch.id, batch.name
            execution.batch_concurrency = batch.concurrency
        logins = IntakeLogins(workflow, self._stores.logins, self._logins, self._kinds, self._check_proxy)
        if request.login_id:
            await logins.add_own(execution, await self._login(organization_id, request.login_id))
        if request.start_block_id:
            _start_at(execution, workflow, request.start_block_id)
        execution.needs_browser = (
            request.is_live_session or execution.login_id is not None or self._may_want_page(workflow)
        )
        return execution, logins

    def _may_want_page(self, workflow: Workflow) -> bool:
        every = (inner for block in tree.from_json(workflow.blocks) for inner in block.walk())
        kinds = ((self._kinds.kind_named(inner.type), inner.data) for inner in every)
        return any(kind is None or kind.may_want_page(data) for kind, data in kinds)

    async def _check_proxy(self, organization_id: str, use_proxy: bool) -> None:
        if use_proxy and not await self._proxies.is_set(organization_id):
            raise InvalidRequest(
                "`useProxy` is true, but no proxy is set. Set one with `/organization/update`, "
                "or have the operator set `PAGEHAND_PROXY`."
            )

    async def retry_of(self, original: Execution) -> Execution:
        """A new execution of the current workflow, with what a finished one was started with."""
        secrets = self._secret_params.open(original)
        request = ExecutionRequest(
            workflow_id=original.workflow_id,
            params={**original.params, **secrets},
            secret_names=frozenset(secrets),
            login_id=original.login_id,
            name=original.name,
            # the time it was given; its deadline itself has passed
            timeout_seconds=(original.deadline_at - original.accepted_at) / 1000,
            use_proxy=original.use_proxy,
            batch_id=original.batch_id,
            is_test=original.is_test,
            look=original.is_look,
            thread_id=original.thread_id,
            priority=original.priority,
        )
        execution = await self.execution(original.organization_id, request)
        if original.start_block_id:
            await self._start_again_at(execution, original)
        if original.is_live_session:
            execution.metadata["liveSession"] = execution.needs_browser = True
        if (row := original.metadata.get("row")) is not None:
            execution.metadata["row"] = row
        execution.metadata["retryOf"] = execution.parent_execution_id = original.id
        # `attempts` counts over all tries by hand too, as the contract has it
        execution.attempts = original.attempts + 1
        execution.total_attempts = max(execution.total_attempts, execution.attempts)
        return execution

    async def _filled_in(
        self, organization_id: str, request: ExecutionRequest, like_id: str
    ) -> ExecutionRequest:
        """The request with what it leaves out taken from that execution; secrets stay in this process."""
        like = await self._stores.executions.get(organization_id, like_id)
        if like is None or like.workflow_id != request.workflow_id:
            field = "executionId" if request.is_live_session else "likeExecutionId"
            field = "continueExecutionId" if request.continues_id is not None else field
            raise NotFound(_not_found(field, "execution of this workflow", like_id))
        if request.continues_id is not None and like.end_time is None:
            raise Conflict("`continueExecutionId`: this execution has not ended yet.")
        secrets = self._secret_params.open(like)
        return replace(
            request,
            params={**like.params, **secrets, **request.params},
            secret_names=frozenset(secrets),
            login_id=request.login_id or like.login_id,
            use_proxy=request.use_proxy or like.use_proxy,
        )

    async def _workflow_of_batch(self, organization_id: str, request: ExecutionRequest) -> Workflow:
        try:
            return await self.workflow(organization_id, request)
        except NotFound as error:
            # only here: the sentence of executeSync is fixed
            if not request.workflow_name or request.workflow_id:
                raise
            names = await self._stores.workflows.names(organization_id)
            hint = f"; nearest: `{meant}`" if (meant := nearest(request.workflow_name, names)) else ""
            raise NotFound(f"Workflow `{request.workflow_name}` not found{hint}") from error

    async def workflow(self, organization_id: str, request: ExecutionRequest) -> Workflow:
        """The workflow named by id, by name, or by both if they agree."""
        if request.workflow_id:
            workflow = await self._stores.workflows.to_run(organization_id, request.workflow_id)
            if workflow is None:
                raise NotFound(WORKFLOW_NOT_FOUND)
            if request.workflow_name and workflow.name != request.workflow_name:
                raise InvalidRequest(
                    "`workflowId` and `workflowName` name different workflows: give one of them."
                )
            return workflow
        if not request.workflow_name:
            raise InvalidRequest("Give `workflowId` or `workflowName`: which workflow to run.")
        found = await self._stores.workflows.find_by_name(organization_id, request.workflow_name)
        if not found:
            raise NotFound(WORKFLOW_NOT_FOUND)
        if len(found) > 1:
            # enough to choose from; a name may be carried by thousands
            ids = ", ".join(f"`{item.id}`" for item in found[:5])
            raise Conflict(
                f"{len(found)} workflows carry this `workflowName`: say which with `workflowId` ({ids})."
            )
        return found[0]

    def _new_execution(
        self, organization_id: str, workflow: Workflow, request: ExecutionRequest
    ) -> Execution:
        now, execution_id = now_ms(), new_id("exec")
        return Execution(
            id=execution_id,
            organization_id=organization_id,
            workflow_id=workflow.id,
            workflow_name=workflow.name,
            workflow_version=workflow.version,
            browser_session_id=new_id("bs"),
            accepted_at=now,
            start_time=now,
            deadline_at=now + round(request.timeout_seconds * 1000),
            params=request.params,
            metadata=_metadata(request, now) | self._traces.metadata(execution_id, request.traceparent),
            # a schedule's executions never overlap: they take turns as those with one login do
            exclusive_logins=[] if request.schedule is None else [request.schedule.schedule_id],
            name=request.name,
            thread_id=request.thread_id,
            parent_execution_id=request.parent_execution_id,
            is_test=request.is_test,
            use_proxy=request.use_proxy,
            retry_safe=workflow.retry_safe,
            priority=request.priority,
        )

    async def _batch(self, organization_id: str, batch_id: str | None) -> Batch | None:
        if not batch_id:
            return None
        batch = await self._stores.batches.get(organization_id, batch_id)
        if batch is None:
            raise NotFound(_not_found("batchId", "batch", batch_id))
        if batch.cancelled_at is not None:
            raise Conflict(f"`batchId`: the batch was cancelled at {to_iso(batch.cancelled_at)}.")
        return batch

    async def _login(self, organization_id: str, login_id: str) -> Login:
        login = await self._stores.logins.get(organization_id, login_id)
        if login is None:
            raise NotFound(_not_found("loginId", "login", login_id))
        return login

    async def _start_again_at(self, execution: Execution, original: Execution) -> None:
        workflow = await self._stores.workflows.to_run(execution.organization_id, execution.workflow_id)
        if workflow is None:
            raise NotFound(WORKFLOW_NOT_FOUND)
        if tree.find_block(tree.from_json(workflow.blocks), original.start_block_id or "") is None:
            raise Conflict("The block this execution started from is no longer part of the workflow.")
        _start_at(execution, workflow, original.start_block_id or "")
        if original.continues_id is not None:
            execution.metadata["continues"] = original.continues_id


def _metadata(request: ExecutionRequest, now: int) -> Json:
    metadata: Json = {"acceptedAt": to_iso(now)}
    if request.trace:
        metadata["trace"] = True
    if request.record:
        metadata["record"] = True
    if request.is_live_session:
        metadata["liveSession"] = True
    if request.continues_id is not None:
        metadata["continues"] = request.continues_id
    if request.schedule is not None:
        given = request.schedule
        metadata["schedule"] = {"id": given.schedule_id, "name": given.name, "tick": to_iso(given.moment)}
    return metadata


def _start_at(execution: Execution, workflow: Workflow, name: str) -> None:
    blocks = tree.from_json(workflow.blocks)
    block = tree.find_block(blocks, name) or tree.find_by_reference(blocks, name)
    if block is None:
        raise NotFound(_not_found("startBlockId", "block of this workflow", name))
    execution.start_block_id = block.id
    execution.start_block = tree.block_json(blocks, block.id)


def _sibling(first: Execution, **changes: Any) -> Execution:
    """A copy of `first` with its own ids and lists."""
    return replace(
        first,
        id=new_id("exec"),
        browser_session_id=new_id("bs"),
        metadata=dict(first.metadata),
        logins=list(first.logins),
        exclusive_logins=list(first.exclusive_logins),
        context_authentications=[
            msgspec.structs.replace(known, context_authentication_id=new_id("auth"))
            for known in first.context_authentications
        ],
        authentications=[],
        **changes,
    )


def _not_found(field: str, noun: str, value: str) -> str:
    return f"`{field}`: there is no {noun} `{value[:80]}` in this organization."


async def _look_facts(store: ExecutionStore, organization_id: str, workflow_id: str) -> Json:
    """The `metadata.look` of a new execution; Conflict if the workflow never ran to its end.

    Each look passes on what it knew, so that many looks do not push the runs out of what is read here.
    """
    page = await store.list(organization_id, ExecutionFilter(workflow_id=workflow_id, limit=_RECENT))
    looks = [execution for execution in page.items if execution.is_look]
    runs = [execution for execution in page.items if not execution.is_look]
    known = [*(run.id for run in runs if _is_whole(run)), *(_facts_of(look)["executionId"] for look in looks)]
    reference = await _first_kept(store, organization_id, known)
    if reference is None:
        raise Conflict("`look` compares with an execution that completed, and there is none: run it first.")
    seen = (effect["blockReferenceId"] for run in runs for effect in run.metadata.get("effects", []))
    passed_on = (name for look in looks for name in _facts_of(look)["effects"])
    return {
        "executionId": reference,
        "effects": sorted({*seen, *passed_on}),
        "earlier": [look.id for look in looks if look.end_time is not None][:_EARLIER_LOOKS],
    }


def _facts_of(execution: Execution) -> Json:
    return execution.metadata["look"]


def _is_whole(run: Execution) -> bool:
    """True for a run from the first block to the last."""
    return run.status is Status.COMPLETED and run.start_block_id is None and not run.is_live_session


async def _first_kept(store: ExecutionStore, organization_id: str, ids: Sequence[str]) -> str | None:
    for execution_id in dict.fromkeys(ids):
        if await store.get(organization_id, execution_id) is not None:
            return execution_id
    return None

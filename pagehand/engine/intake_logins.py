"""The logins of new executions: the one each is started with, and those its blocks name."""

from collections.abc import Awaitable, Callable

from pagehand.blocks import Registry
from pagehand.blocks.base import Block
from pagehand.engine.signing_in.authentications import context_authentication
from pagehand.logins.sign_in.sign_in import SignIn
from pagehand.records import Execution, ExecutionLogin, Json, Login, LoginFacts, Workflow
from pagehand.storage.logins import LoginStore
from pagehand.workflow import tree

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

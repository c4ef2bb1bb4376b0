"""What every block of a run may use besides its page: files, HTTP, the model, the conversation, secrets."""

from collections.abc import Sequence

from pagehand.browser_session import ScriptedWithin
from pagehand.engine.run.knowledge import OrganizationKnowledge
from pagehand.engine.run.services import RunServices
from pagehand.errors import Diagnosis, ModelNeeded
from pagehand.ports import CaptchaSolver, Documents, Http, Knowledge, Mail, Model, RunFiles, Sandbox


class BlockServices:
    """The part of `RunContext` that is the same for all blocks of a run."""

    def __init__(self, services: RunServices) -> None:
        self._services = services

    @property
    def files(self) -> RunFiles:
        """Files of this execution."""
        return self._services.files

    @property
    def documents(self) -> Documents:
        """Where documents are opened."""
        return self._services.shared.documents

    @property
    def sandbox(self) -> Sandbox:
        """Where user code runs."""
        return self._services.shared.sandbox

    @property
    def http(self) -> Http:
        """HTTP to what the operator allows, through the proxy where the execution asks for it."""
        shared, execution = self._services.shared, self._services.execution
        return shared.proxies.http(execution.organization_id) if execution.use_proxy else shared.http

    @property
    def model(self) -> Model:
        """The language model; `ModelNeeded` where none is configured."""
        model = self._services.model
        if model is None:
            raise ModelNeeded(
                "This needs a language model, and none is configured: set `PAGEHAND_MODEL`.",
                Diagnosis(
                    cause="No language model is configured (`PAGEHAND_MODEL`).",
                    advice="Set `PAGEHAND_MODEL` to `provider:model` and give it its key.",
                ),
            )
        return model

    @property
    def has_model(self) -> bool:
        """True when a model is configured."""
        return self._services.model is not None

    @property
    def mail(self) -> Mail:
        """The operator's mail server."""
        return self._services.shared.mail

    @property
    def knowledge(self) -> Knowledge:
        """The organization's documents."""
        services = self._services
        return OrganizationKnowledge(services.shared.knowledge, services.execution.organization_id)

    @property
    def search_engine(self) -> str | None:
        """The operator's search engine."""
        return self._services.shared.settings.search_engine

    @property
    def captcha_solver(self) -> CaptchaSolver | None:
        """The service that solves captchas; None where people do."""
        return self._services.shared.captcha_solver

    async def say(self, role: str, text: str) -> None:
        """Write into the execution's conversation."""
        await self._services.conversation.say(role, text)

    def keep_secret(self, value: str) -> None:
        """Take `value` out of everything this execution shows from now on."""
        self._services.redactor.add(value)

    def holds_secret(self, text: str) -> bool:
        """True when `text` is to hold a secret of a login."""
        return self._services.login_secrets.has_placeholder(text)

    def reveal(self, text: str, urls: Sequence[str], *, scripted_within: ScriptedWithin | None = None) -> str:
        """`text` with its secrets, to type or send at `urls`; `BlockFailed` where they may not go."""
        return self._services.login_secrets.reveal(text, urls, scripted_within)

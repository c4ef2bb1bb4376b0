"""The language model behind one gateway: its prompts redacted, its answers validated, its use limited."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Final

from pagehand.ai.model import Redact, RunModel
from pagehand.ai.usage import Limits
from pagehand.settings import Settings

if TYPE_CHECKING:
    from pydantic_ai.models import Model as Backend


OrganizationName = Callable[[str], Awaitable[str]]
"""The name of an organization by its id."""


_NO_MODEL: Final = "none"


class Gateway:
    """The configured models; each is opened when it is first used."""

    def __init__(self, settings: Settings, organization_name: OrganizationName) -> None:
        self._settings = settings
        self._organization_name = organization_name
        self._limits = Limits.from_settings(settings)
        self._overrides = _parse_overrides(settings.model_organizations)
        self._open: dict[str, Backend] = {}
        self._connections = AsyncExitStack()

    async def close(self) -> None:
        """Close all connections."""
        self._open.clear()
        await self._connections.aclose()

    async def for_organization(self, organization_id: str, redact: Redact) -> RunModel | None:
        """The model of an organization with its usage at zero; None when none is configured for it."""
        spec = self._settings.model
        if self._overrides:
            spec = self._overrides.get(await self._organization_name(organization_id), spec)
        if not spec or spec == _NO_MODEL:
            return None
        fallbacks = [
            fallback.strip() for fallback in self._settings.model_fallbacks.split(",") if fallback.strip()
        ]
        return RunModel(lambda: self._backends((spec, *fallbacks)), self._limits, redact)

    async def _backends(self, specs: Sequence[str]) -> "list[Backend]":
        return [await self._backend(spec) for spec in specs]

    async def _backend(self, spec: str) -> "Backend":
        from pagehand.ai.wire import open_model  # noqa: PLC0415 - large, and most services have no model

        if spec not in self._open:
            # address and key are those of the provider that `PAGEHAND_MODEL` names; others have their own
            is_main = _provider_of(spec) == _provider_of(self._settings.model or spec)
            key = self._settings.model_api_key
            # in a thread: the provider's library is loaded with its first model
            model = await asyncio.to_thread(
                open_model,
                spec,
                self._settings.model_base_url if is_main else None,
                key.get_secret_value() if key and is_main else None,
            )
            self._open[spec] = await self._connections.enter_async_context(model)
        return self._open[spec]


def _parse_overrides(setting: str) -> dict[str, str]:
    """Models by organization name, from `name=provider:model, …`."""
    pairs = (part.partition("=") for part in setting.split(",") if "=" in part)
    return {name.strip(): spec.strip() for name, _, spec in pairs}


def _provider_of(spec: str) -> str:
    return spec.partition(":")[0]

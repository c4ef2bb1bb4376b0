"""Language models, for the engine."""

from collections.abc import Callable
from typing import Protocol

from pagehand.ports import Model
from pagehand.records import (
    Json,
)


class ModelUsage(Protocol):
    """What was spent on the model."""

    @property
    def calls(self) -> int:
        """How often it was asked."""
        ...

    def as_json(self) -> Json:
        """As `metadata.modelUsage` shows it."""
        ...


class RunModel(Model, Protocol):
    """The model in the service of one execution."""

    @property
    def usage(self) -> ModelUsage:
        """What it has cost so far."""
        ...


class Models(Protocol):
    """Knows which model serves which organization."""

    async def for_organization(
        self, organization_id: str, redact: Callable[[str], str], /
    ) -> RunModel | None:
        """Its model, every prompt passing `redact`; None when none is configured."""
        ...

"""What an execution has spent on the model, and its limits."""

from dataclasses import dataclass

from pagehand.errors import Diagnosis, LimitReached
from pagehand.records import Json
from pagehand.settings import Settings


@dataclass(slots=True)
class Usage:
    """Calls, tokens, cost and time so far; `cost_usd` only counts models whose price is known."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0

    def as_json(self) -> Json:
        """As `metadata.modelUsage` shows it."""
        return {
            "calls": self.calls,
            "inputTokens": self.input_tokens,
            "outputTokens": self.output_tokens,
            "costUsd": round(self.cost_usd, 6),
            "seconds": round(self.seconds, 3),
        }


@dataclass(slots=True, frozen=True)
class Limits:
    """Limits of one call and of one execution."""

    call_seconds: float
    answer_tokens: int
    material_characters: int
    retries: int
    by_schema: bool
    """Request answers with a schema by the response format instead of a tool call."""
    execution_tokens: int
    execution_seconds: float
    execution_cost_usd: float | None

    @classmethod
    def from_settings(cls, settings: Settings) -> "Limits":
        """From the settings."""
        return cls(
            call_seconds=settings.model_seconds,
            answer_tokens=settings.model_answer_tokens,
            material_characters=settings.model_material_characters,
            retries=settings.model_retries,
            by_schema=settings.model_output == "schema",
            execution_tokens=settings.model_execution_tokens,
            execution_seconds=settings.model_execution_seconds,
            execution_cost_usd=settings.model_execution_cost,
        )

    def check(self, usage: Usage) -> None:
        """Refuse another call once the execution has reached a limit."""
        if usage.input_tokens + usage.output_tokens >= self.execution_tokens:
            raise _spent(f"{self.execution_tokens} tokens", "PAGEHAND_MODEL_EXECUTION_TOKENS")
        if usage.seconds >= self.execution_seconds:
            raise _spent(f"{self.execution_seconds:g} s", "PAGEHAND_MODEL_EXECUTION_SECONDS")
        if self.execution_cost_usd is not None and usage.cost_usd >= self.execution_cost_usd:
            raise _spent(f"{self.execution_cost_usd:g} USD", "PAGEHAND_MODEL_EXECUTION_COST")


def _spent(budget: str, setting: str) -> LimitReached:
    return LimitReached(
        f"The execution has spent the {budget} on the model that it may (`{setting}`).",
        Diagnosis(advice=f"Ask the model for less, or have the operator raise `{setting}`."),
    )

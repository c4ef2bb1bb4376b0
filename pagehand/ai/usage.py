"""What an execution has spent on the model, and where that has to end."""

from dataclasses import asdict, dataclass

from pagehand.errors import Diagnosis, LimitReached
from pagehand.records import Json
from pagehand.settings import Settings


@dataclass(slots=True)
class Usage:
    """Calls, tokens, money and time so far; `cost_usd` is what is known of it."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0

    def as_json(self) -> Json:
        """As `metadata.modelUsage` shows it."""
        given = asdict(self)
        return {
            "calls": given["calls"],
            "inputTokens": given["input_tokens"],
            "outputTokens": given["output_tokens"],
            "costUsd": round(self.cost_usd, 6),
            "seconds": round(self.seconds, 3),
        }


@dataclass(slots=True, frozen=True)
class Limits:
    """How far one call and one execution may go."""

    call_seconds: float
    answer_tokens: int
    material_characters: int
    retries: int
    by_schema: bool
    """Ask for answers in a shape by the response format instead of a tool call."""
    execution_tokens: int
    execution_seconds: float
    execution_cost_usd: float | None

    @classmethod
    def of(cls, settings: Settings) -> "Limits":
        """As the operator set them."""
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
        """Refuse another call once the execution has spent what it may."""
        if usage.input_tokens + usage.output_tokens >= self.execution_tokens:
            raise _spent(f"{self.execution_tokens} tokens", "PAGEHAND_MODEL_EXECUTION_TOKENS")
        if usage.seconds >= self.execution_seconds:
            raise _spent(f"{self.execution_seconds:g} s", "PAGEHAND_MODEL_EXECUTION_SECONDS")
        if self.execution_cost_usd is not None and usage.cost_usd >= self.execution_cost_usd:
            raise _spent(f"{self.execution_cost_usd:g} USD", "PAGEHAND_MODEL_EXECUTION_COST")


def _spent(what: str, setting: str) -> LimitReached:
    return LimitReached(
        f"The execution has spent the {what} on the model that it may (`{setting}`).",
        Diagnosis(advice=f"Ask the model for less, or have the operator raise `{setting}`."),
    )

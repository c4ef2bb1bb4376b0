"""What the organization has spent on the language model."""

from typing import Annotated

from msgspec import Meta

from pagehand.api.fields import Answer, EmptyRequest, Moment, View
from pagehand.api.operation import Call, Result, operation
from pagehand.clock import to_optional_iso


class ModelUsageView(View):
    """Calls, tokens and money of the newest 1,000 executions, tests included."""

    executions: Annotated[int, Meta(description="How many of them asked the model.")]
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: Annotated[float, Meta(description="As far as the price of the model is known.")]
    since: Annotated[
        Moment | None, Meta(description="When the first of them started; null without executions.")
    ]


ModelUsageAnswer = Answer("ModelUsageAnswer", "model_usage", ModelUsageView, "What was spent.")


@operation(
    "/statistics/modelUsage", scope="read", request=EmptyRequest, response=ModelUsageAnswer, example={}
)
async def get(call: Call[EmptyRequest]) -> Result:
    """What the newest executions have spent on the model; one execution says it in `metadata.modelUsage`."""
    spent = await call.services.stores.statistics.model_spending(call.organization_id)
    return ModelUsageAnswer(
        ModelUsageView(
            executions=spent.executions,
            calls=spent.calls,
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            # sums of floats end in noise; a millionth of a dollar is enough
            cost_usd=round(spent.cost_usd, 6),
            since=to_optional_iso(spent.since),
        )
    )

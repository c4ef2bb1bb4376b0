"""Say what is to be achieved and let a model work it out on the page, step by step.

Reach for it where the way differs from time to time or is not known yet. The model sees the page in
words, never a secret, and works with the page blocks themselves; every step is in the events and in the
execution's thread. It may go to `allowedDomains` alone (by default the site it starts on and the hosts
that page loads from), held at the network. What cannot be undone (delete, pay, send …) pauses the
execution until somebody resumes it.

With `schema` the result validates against it. When the goal is reached the steps are kept
(`isCacheable`): the next run repeats them without a model and asks again only if they no longer fit. The
event `agent.finished` has them as operations for workflows/blocks/update, to keep them as ordinary
blocks.
"""

import re
from typing import Any, ClassVar, Final, Literal
from urllib.parse import urlsplit

from pydantic import Field

from pagehand.blocks.base import CommittingBlock
from pagehand.blocks.outcome import NO_OUTPUT, Outcome
from pagehand.blocks.page.controls.agent_tools import PageAgentTools, own_hosts
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed, Diagnosis, PagehandError, TemporaryTrouble
from pagehand.records import Json, is_array, is_object
from pagehand.workflow.allowed_domains import DomainEntry
from pagehand.workflow.wire import Text

_TEMPLATE: Final = re.compile(r"(?<!\\)\{\{[^{}]*\}\}")
_URL: Final = re.compile(r"https?://[^\s\"'<>]+")
_TELLING: Final = 4
_WRITTEN: Final = ("value", "url")


class Multistep(CommittingBlock):
    """Reach a goal on the page, step by step."""

    type: ClassVar[str] = "Multistep"
    title: ClassVar[str] = "Multistep"
    label: ClassVar[str] = "Let an agent do it"
    also_called: ClassVar[tuple[str, ...]] = ("agent", "ai", "task", "goal", "autonomous", "aiAgent")
    needs_page: ClassVar[bool] = True
    changes_page: ClassVar[bool] = True
    default_timeout_seconds: ClassVar[float | None] = None

    goal: Text = Field(min_length=1)
    """What to achieve, in words."""
    max_steps: int = Field(default=25, ge=1, le=200)
    """How many steps the model may take."""
    allowed_domains: list[DomainEntry] = Field(default_factory=list[str])
    """Hosts that may be reached, each with all below it, such as `shop.example`, or on one port alone:
    `shop.example:8443`, `[::1]:8080`; by default the site it starts on."""
    schema_: Json | None = Field(default=None, alias="schema")
    """JSON Schema of the output."""
    use_vision: bool = False
    """Let the model see a picture of the page too."""
    approval: Literal["commits", "never"] = "commits"
    """Whether a person has to allow what cannot be undone; `never` allows it beforehand."""

    async def run(self, ctx: RunContext) -> Outcome:
        """By the steps of last time if they still work, else by the model."""
        domains = await self._domains(ctx)
        # before the first step: what a page says must not lead the agent to another site
        ctx.page.limit_domains(domains)
        try:
            kept = await ctx.cache.recall("steps")
            if kept is not None and (outcome := await self._repeat(ctx, kept)) is not None:
                return outcome
            return await self._by_model(ctx)
        finally:
            ctx.page.limit_domains(None)

    @property
    def _commits(self) -> Literal["ask", "allow"]:
        return "allow" if self.approval == "never" else "ask"

    async def _repeat(self, ctx: RunContext, kept: list[Json]) -> Outcome | None:
        """The steps of last time; None when they no longer fit, or would do twice what must not be."""
        output: Any = NO_OUTPUT
        tools = PageAgentTools(ctx, commits=self._commits)
        for at, step in enumerate(kept):
            try:
                output = await tools.repeat(step)
            except TemporaryTrouble:
                raise
            except PagehandError as stale:
                # they would fail again in every run to come
                await ctx.cache.drop("steps")
                if any(item["data"].get("isCommit") for item in kept[:at]):
                    raise  # starting over could repeat a step that must not happen twice
                ctx.emit("agent.asked", f"The steps of last time no longer fit: {stale.message}")
                return None
        kept_output = output if self.schema_ is not None else NO_OUTPUT
        return Outcome(kept_output, f"Repeated {len(kept)} steps of an earlier run, without a model")

    async def _by_model(self, ctx: RunContext) -> Outcome:
        began_at = ctx.page.page.url
        tools = PageAgentTools(ctx, use_vision=self.use_vision, commits=self._commits)
        await ctx.say("user", self.goal)
        model = ctx.model
        achieved = await model.run_agent(
            model.prompt("agent", goal=self.goal),
            tools,
            most_steps=self.max_steps,
            result=self.schema_ if self.schema_ is not None else {"type": ["string", "null"]},
        )
        steps = list(tools.steps)
        is_whole = await self._add_reading(ctx, steps, achieved.result)
        ctx.emit("agent.finished", achieved.message, {"operations": _operations(ctx.envelope.id, steps)})
        written = [self._as_written(ctx, step) for step in steps]
        if is_whole and all(item is not None for item in written):
            ctx.cache.keep("steps", written, by_model=True, page=began_at)
        output = achieved.result if self.schema_ is not None else NO_OUTPUT
        return Outcome(output, achieved.message, {"steps": len(tools.steps)})

    async def _add_reading(self, ctx: RunContext, steps: list[Json], result: Any) -> bool:
        """The output has to be readable without a model too, or the steps cannot replace it."""
        if self.schema_ is None:
            return True
        reading = {"type": "Extract", "data": {"schema": self.schema_, "timeoutMs": 2000}}
        try:
            seen = await ctx.run_step(reading)
        except TemporaryTrouble:
            raise
        except PagehandError:
            return False
        # otherwise every later run would return another value than this one, unnoticed
        if seen != result:
            return False
        steps.append(reading)
        return True

    def _as_written(self, ctx: RunContext, step: Json) -> Json | None:
        """The step with the goal's templates in place of their values; None when it holds other data."""
        goal = str(ctx.envelope.data.get("goal", ""))
        values = {part: str(ctx.resolve(part)) for part in set(_TEMPLATE.findall(goal))}
        written: Json = _templated(step, values)
        for name in _WRITTEN:
            text = written["data"].get(name)
            if isinstance(text, str) and not _TEMPLATE.search(text) and text.lower() not in goal.lower():
                return None
        return written

    async def _domains(self, ctx: RunContext) -> list[str]:
        if self.allowed_domains:
            return self.allowed_domains
        named = _URL.findall(self.goal)
        if not urlsplit(ctx.page.page.url).netloc and not named:
            raise BlockFailed(
                "No page is open, so nothing says which site the agent may work on.",
                Diagnosis(advice="Open it with Navigate first, or give `allowedDomains`."),
            )
        return await own_hosts(ctx.page, *named)


def _templated(value: Any, values: dict[str, str]) -> Any:
    if is_object(value):
        return {name: _templated(item, values) for name, item in value.items()}
    if is_array(value):
        return [_templated(item, values) for item in value]
    if isinstance(value, str):
        # the longest value first: a shorter one may be a part of it
        for template, text in sorted(values.items(), key=lambda item: -len(item[1])):
            # a short value may stand anywhere by chance; then it is the value only where it stands alone
            is_it = text and (value == text or len(text) >= _TELLING)
            value = value.replace(text, template) if is_it else value
    return value


def _operations(block_id: str, steps: list[Json]) -> list[Json]:
    """What workflows/blocks/update takes to put the steps in the block's place."""
    target = {"type": "after", "previousBlockId": block_id}
    # each goes right behind the block, so the last has to be put there first
    added = [{"type": "create", "block": step, "target": target} for step in reversed(steps)]
    return [*added, {"type": "delete", "blockId": block_id}]


EXAMPLES: list[Json] = [
    {
        "type": "Multistep",
        "data": {"goal": "Search for {{params.name}} and open the newest claim", "maxSteps": 10},
    },
    {
        "type": "Multistep",
        "data": {
            "goal": "Find the opening hours of the library",
            "allowedDomains": ["library.example"],
            "schema": {
                "type": "object",
                "properties": {"hours": {"type": "string"}},
                "required": ["hours"],
            },
        },
    },
]

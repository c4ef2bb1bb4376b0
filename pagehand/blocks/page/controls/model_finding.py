"""Finding an element with a model, and finding it again without one."""

import hashlib
from typing import Final

from pagehand.blocks.run_context import RunContext
from pagehand.browser import NAMED_ELEMENT, named_element
from pagehand.browser_session import FoundElement, Purpose
from pagehand.errors import BlockFailed, NotPresent
from pagehand.workflow.locator import Locator

_AGAIN_SECONDS: Final = 1.0


async def find_by_model(
    ctx: RunContext, words: str, purpose: Purpose, refusal: BlockFailed, *, use_vision: bool = False
) -> FoundElement:
    """The element that the words mean: where it was last time, else where the model says it is."""
    kind = _kind(words)
    kept = await ctx.cache.recall(kind)
    if kept is not None:
        try:
            locator = Locator.model_validate(kept["locator"])
            return await ctx.page.find(locator, purpose, timeout_seconds=_AGAIN_SECONDS)
        except NotPresent:
            await ctx.cache.drop(kind)
    model = ctx.model
    prompt = model.prompt("find_element", wanted=words, purpose=f"{ctx.envelope.name} ({ctx.envelope.type})")
    picture = await ctx.page.screenshot() if use_vision else None
    answer = await model.data(prompt, await ctx.page.describe(), NAMED_ELEMENT, [picture] if picture else [])
    named = await named_element(ctx.page.find_by_reference, answer, words)
    if named is None:
        raise refusal
    locator = named[1]
    found = await ctx.page.find(locator, purpose, timeout_seconds=ctx.remaining_seconds)
    given = locator.as_given()
    ctx.cache.keep(kind, {"locator": given}, by_model=True)
    ctx.emit("model.found", f"The model takes {locator} for “{words}”", {"locator": given})
    return found


def _kind(words: str) -> str:
    """A block may look for several elements; what it calls them may hold data, so a digest stands for it."""
    return f"element {hashlib.sha256(words.encode()).hexdigest()[:12]}"

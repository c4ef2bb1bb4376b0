"""Wait until a captcha on the page is solved.

Reach for it before sending a form that carries a captcha: reCAPTCHA, hCaptcha or Turnstile, in the page or
in one of its frames. Without one it is done at once. Where the operator has set a solver
(`PAGEHAND_CAPTCHA_SOLVER`), that is asked first; otherwise, and when it has no answer, the execution pauses
for a person, who solves it in the live view, and goes on as soon as the page holds the answer.
"""

import asyncio
import time
from dataclasses import dataclass
from typing import ClassVar

from msgspec import Struct, convert
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame

from pagehand.blocks.base import Block
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.page.controls.acting import acting
from pagehand.blocks.run_context import RunContext
from pagehand.errors import Diagnosis, SiteDown, TimedOut
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom_core
from pagehand.ports import Captcha
from pagehand.records import Json

_POLL_SECONDS = 0.3
_SOLVER_SECONDS = 180.0
_SCRIPT = on_dom_core(load_script(__file__, "captcha"))


class _Widget(Struct, rename="camel"):
    """An unsolved captcha as `captcha.js` finds it."""

    kind: str
    site_key: str


@dataclass(frozen=True, slots=True)
class _Challenge:
    captcha: Captcha
    frame: Frame


class WaitForCaptchaSolve(Block):
    """Wait until a captcha is solved."""

    type: ClassVar[str] = "WaitForCaptchaSolve"
    title: ClassVar[str] = "Wait For Captcha Solve"
    label: ClassVar[str] = "Wait for a captcha"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.waiting:WAITING_FOR_CAPTCHA"
    also_called: ClassVar[tuple[str, ...]] = ("captcha", "solveCaptcha", "recaptcha")
    needs_page: ClassVar[bool] = True
    changes_page: ClassVar[bool] = True
    default_timeout_seconds: ClassVar[float | None] = None

    async def run(self, ctx: RunContext) -> Outcome:
        """Look for a captcha; have it solved."""
        challenge = await _unsolved(ctx)
        if challenge is None:
            return Outcome(message="There is no captcha to solve", details={"captcha": None})
        began, kind = time.monotonic(), challenge.captcha.kind
        by = "solver" if await _solved_by_solver(ctx, challenge) else "person"
        if by == "person":
            await self._wait_for_person(ctx, kind, began)
        seconds = round(time.monotonic() - began, 1)
        return Outcome(
            message=f"The {kind} was solved after {seconds:g} s", details={"captcha": kind, "solvedBy": by}
        )

    async def _wait_for_person(self, ctx: RunContext, kind: str, began: float) -> None:
        async with ctx.waiting_for_person(f"Solve the {kind} in the live view") as done:
            while not done.is_set() and await _unsolved(ctx):
                if self.timeout_ms is not None and (time.monotonic() - began) * 1000 > self.timeout_ms:
                    raise TimedOut(
                        f"Nobody solved the {kind} within {self.timeout_ms / 1000:g} s",
                        Diagnosis(
                            found=f"an unsolved {kind}",
                            advice="Solve it in the live view, set PAGEHAND_CAPTCHA_SOLVER, "
                            "or raise `timeoutMs`.",
                        ),
                    )
                await asyncio.sleep(_POLL_SECONDS)


async def _solved_by_solver(ctx: RunContext, challenge: _Challenge) -> bool:
    """Ask the solver, put its answer where the widget would, and look whether the page holds it."""
    solver, kind = ctx.captcha_solver, challenge.captcha.kind
    if solver is None:
        return False
    limit = min(ctx.remaining_seconds, _SOLVER_SECONDS)
    try:
        token = await solver.solve(challenge.captcha, timeout_seconds=limit)
    except SiteDown as trouble:
        ctx.emit("captcha.unsolved", f"{trouble.message} A person is asked instead.", {"captcha": kind})
        return False
    if token is None:
        ctx.emit(
            "captcha.unsolved", "The captcha solver has no answer. A person is asked.", {"captcha": kind}
        )
        return False
    ctx.keep_secret(token)
    async with acting(ctx, f"answer the {kind}"):
        await _look(challenge.frame, [kind, token])
    return await _unsolved(ctx) is None


async def _unsolved(ctx: RunContext) -> _Challenge | None:
    """A captcha that waits for an answer, in any frame."""
    frames = ctx.page.page.frames
    for frame, found in zip(frames, await asyncio.gather(*map(_look, frames)), strict=True):
        if found is not None:
            return _Challenge(Captcha(found.kind, found.site_key, frame.url), frame)
    return None


async def _look(frame: Frame, answer: list[str] | None = None) -> _Widget | None:
    try:
        return convert(await frame.evaluate(_SCRIPT, answer), _Widget | None)
    except PlaywrightError as error:
        if frame.is_detached() or frame.parent_frame is not None:
            return None  # a frame that went away has nothing to solve
        if "navigation" not in error.message and "context was destroyed" not in error.message:
            raise
        # the page moved on while we looked, as it does when the answer is taken: look at the next one
        await frame.wait_for_load_state("domcontentloaded")
        return convert(await frame.evaluate(_SCRIPT, None), _Widget | None)


EXAMPLES: list[Json] = [{"type": "WaitForCaptchaSolve", "data": {"timeoutMs": 300000}}]

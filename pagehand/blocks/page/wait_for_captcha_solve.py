"""Wait until a captcha on the page is solved.

Reach for it before sending a form that carries a captcha: reCAPTCHA, hCaptcha or Turnstile. Without one
on the page it is done at once. Otherwise the execution pauses for a person, who solves it in the live
view, and goes on as soon as the page holds the answer.
"""

import asyncio
import time
from typing import Any, ClassVar

from playwright.async_api import Error as PlaywrightError

from pagehand.blocks.base import Block, Outcome, RunContext
from pagehand.errors import Diagnosis, TimedOut

_POLL_SECONDS = 0.3
# Invisible ones (a badge, no box) ask nothing of a person until they open a challenge.
_STATE = """() => {
  const widgets = [
    ['reCAPTCHA', '.g-recaptcha:not([data-size=invisible]), '
      + 'iframe[src*="/recaptcha/"][src*="/anchor"]:not([src*="size=invisible"])',
      '[name=g-recaptcha-response]'],
    ['hCaptcha', '.h-captcha:not([data-size=invisible]), iframe[src*="hcaptcha.com"][src*="frame=checkbox"]',
      '[name=h-captcha-response]'],
    ['Turnstile', '.cf-turnstile, iframe[src*="challenges.cloudflare.com"]', '[name=cf-turnstile-response]'],
  ];
  for (const [name, widget, token] of widgets) {
    const box = [...document.querySelectorAll(widget)].find(el => el.checkVisibility());
    if (!box) continue;
    const answers = [...document.querySelectorAll(token)];
    if (!answers.length || answers.some(field => !field.value)) return name;
  }
  return '';
}"""


class WaitForCaptchaSolve(Block):
    """Wait until a captcha is solved."""

    type: ClassVar[str] = "WaitForCaptchaSolve"
    title: ClassVar[str] = "Wait For Captcha Solve"
    needs_page: ClassVar[bool] = True
    changes_page: ClassVar[bool] = True
    default_timeout_seconds: ClassVar[float | None] = None

    async def run(self, ctx: RunContext) -> Outcome:
        """Look for a captcha; pause until it is solved."""
        name = await _unsolved(ctx)
        if not name:
            return Outcome(message="There is no captcha to solve", details={"captcha": None})
        began = time.monotonic()
        async with ctx.waiting_for_person(f"Solve the {name} in the live view"):
            while await _unsolved(ctx):
                if self.timeout_ms is not None and (time.monotonic() - began) * 1000 > self.timeout_ms:
                    raise TimedOut(
                        f"Nobody solved the {name} within {self.timeout_ms / 1000:g} s",
                        Diagnosis(
                            found=f"an unsolved {name}",
                            advice="Solve it in the live view, or raise `timeoutMs`.",
                        ),
                    )
                await asyncio.sleep(_POLL_SECONDS)
        seconds = round(time.monotonic() - began, 1)
        return Outcome(message=f"The {name} was solved after {seconds:g} s", details={"captcha": name})


async def _unsolved(ctx: RunContext) -> str:
    """The name of a captcha that waits for an answer, or nothing."""
    page = ctx.page.page
    try:
        return str(await page.evaluate(_STATE))
    except PlaywrightError as error:
        if "navigation" not in error.message and "context was destroyed" not in error.message:
            raise
        # the page moved on while we looked, as it does when the answer is taken: look at the next one
        await page.wait_for_load_state("domcontentloaded")
        return str(await page.evaluate(_STATE))


EXAMPLES: list[dict[str, Any]] = [{"type": "WaitForCaptchaSolve", "data": {"timeoutMs": 300000}}]

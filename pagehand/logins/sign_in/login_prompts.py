"""A login's prompts: what shows that someone is signed in, and what to press before the form appears.

The model sees pages without their secrets. It only judges and points: it types nothing and opens nothing.
"""

import asyncio
import time
from typing import Final

from pagehand.browser import BrowserSession, RiskyElement
from pagehand.logins import failures
from pagehand.logins.profile import Profile
from pagehand.logins.sign_in.detection import SignInTimeouts
from pagehand.logins.sign_in_context import SignInContext
from pagehand.logins.sign_in_form import read_form
from pagehand.records import Login
from pagehand.workflow.effect_words import is_risky

_MOST_PRESSES: Final = 5
_POLL_SECONDS: Final = 0.1
_PRESS_MS: Final = 5_000
_SIGNED_IN: Final = "Somebody is signed in here, and the page does not ask anybody to sign in."


async def is_confirmed(profile: Profile, run: SignInContext) -> bool:
    """Whether the page fulfils `loginDetectionPrompt`; True without a prompt or a model."""
    statement = profile.login_detection_prompt or (_SIGNED_IN if profile.use_llm_login_detection else "")
    if not statement:
        return True
    if run.helper is None:
        _emit_unused(run, "loginDetectionPrompt")
        return True
    holds, reason = await run.helper.check_statement(statement)
    message = "The model finds somebody signed in" if holds else "The model finds nobody signed in"
    run.emit("login.judged", f"{message}: {reason}", {"holds": holds, "reason": reason})
    return holds


async def require_confirmed(login: Login, profile: Profile, run: SignInContext) -> None:
    """Fail when the page after the sign-in does not fulfil `loginDetectionPrompt`."""
    if not await is_confirmed(profile, run):
        raise failures.not_confirmed(login.name)


async def press_instructed_controls(
    session: BrowserSession, profile: Profile, run: SignInContext, timeouts: SignInTimeouts
) -> None:
    """Press what `loginInstructionsPrompt` wants pressed before anything is typed."""
    instructions = profile.login_instructions_prompt
    if not instructions:
        return
    if run.helper is None:
        _emit_unused(run, "loginInstructionsPrompt")
        return
    for _ in range(_MOST_PRESSES):
        await _wait_for_form(session, timeouts)
        try:
            control = await run.helper.find_control(instructions)
        except RiskyElement as risky:
            run.emit("login.unguided", f"The model's choice was not pressed: {risky.message}", {})
            return
        if control is None:
            return
        words = " ".join((await control.inner_text(timeout=_PRESS_MS)).split())[:80]
        # a page can talk the model into anything; what it may press is decided here
        if is_risky(words):
            run.emit("login.unguided", f"“{words}” was not pressed: it may do what cannot be undone", {})
            return
        run.emit("login.guided", f"Pressed “{words}”, as the login's instructions say", {"pressed": words})
        async with session.acting():
            await control.click(timeout=_PRESS_MS)


async def _wait_for_form(session: BrowserSession, timeouts: SignInTimeouts) -> None:
    """Give the page a moment to show something to fill in."""
    end = time.monotonic() + timeouts.repeat_seconds
    while time.monotonic() < end:
        form = await read_form(session.page)
        if form is not None and form.asks:
            return
        await asyncio.sleep(_POLL_SECONDS)


def _emit_unused(run: SignInContext, prompt: str) -> None:
    message = f"`{prompt}` was not used: no language model is configured (`PAGEHAND_MODEL`)"
    run.emit("login.unguided", message, {"prompt": prompt})

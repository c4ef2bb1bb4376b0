"""A login's own prompts: what shows that somebody is signed in, and what to press before the form comes up.

A model judges and points; it is shown pages without their secrets, types nothing and goes nowhere by itself.
"""

import asyncio
import time
from typing import Final

from pagehand.browser_session import PageSession
from pagehand.logins.profile import Profile
from pagehand.logins.sign_in import failures
from pagehand.logins.sign_in.form import read_form
from pagehand.logins.sign_in.pace import Pace
from pagehand.logins.sign_in.run import SignInContext
from pagehand.records import Login
from pagehand.workflow.effect_words import is_risky

_MOST_PRESSES: Final = 5
_POLL_SECONDS: Final = 0.1
_PRESS_MS: Final = 5_000
_SIGNED_IN: Final = "Somebody is signed in here, and the page does not ask anybody to sign in."


async def is_confirmed(profile: Profile, run: SignInContext) -> bool:
    """Whether the page is one of somebody signed in by `loginDetectionPrompt`; true where nobody can say."""
    statement = profile.login_detection_prompt or (_SIGNED_IN if profile.use_llm_login_detection else "")
    if not statement:
        return True
    if run.guide is None:
        _tell_unused(run, "loginDetectionPrompt")
        return True
    holds, reason = await run.guide.judge(statement)
    message = "The model finds somebody signed in" if holds else "The model finds nobody signed in"
    run.tell("login.judged", f"{message}: {reason}", {"holds": holds, "reason": reason})
    return holds


async def confirm(login: Login, profile: Profile, run: SignInContext) -> None:
    """Fail where the sign-in looks done and the login's own prompt says that it is not."""
    if not await is_confirmed(profile, run):
        raise failures.not_confirmed(login.name)


async def lead_to_form(session: PageSession, profile: Profile, run: SignInContext, pace: Pace) -> None:
    """Press what `loginInstructionsPrompt` wants pressed before anything is typed."""
    instructions = profile.login_instructions_prompt
    if not instructions:
        return
    if run.guide is None:
        _tell_unused(run, "loginInstructionsPrompt")
        return
    for _ in range(_MOST_PRESSES):
        await _await_form(session, pace)
        control = await run.guide.point_out(instructions)
        if control is None:
            return
        words = " ".join((await control.inner_text(timeout=_PRESS_MS)).split())[:80]
        # a page can talk the model into anything; what it may press is decided here
        if is_risky(words):
            run.tell("login.unguided", f"“{words}” was not pressed: it may do what cannot be undone", {})
            return
        run.tell("login.guided", f"Pressed “{words}”, as the login's instructions say", {"pressed": words})
        async with session.acting():
            await control.click(timeout=_PRESS_MS)


async def _await_form(session: PageSession, pace: Pace) -> None:
    """Give the page a moment to come up with something to fill in."""
    end = time.monotonic() + pace.again
    while time.monotonic() < end:
        form = await read_form(session.page)
        if form is not None and form.asks:
            return
        await asyncio.sleep(_POLL_SECONDS)


def _tell_unused(run: SignInContext, prompt: str) -> None:
    message = f"`{prompt}` was not used: no language model is configured (`PAGEHAND_MODEL`)"
    run.tell("login.unguided", message, {"prompt": prompt})

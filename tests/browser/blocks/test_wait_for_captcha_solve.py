"""WaitForCaptchaSolve pauses until a captcha is solved."""

import pytest

from pagehand.errors import TimedOut

from .conftest import Desk, examples_of

pytestmark = pytest.mark.anyio

WIDGET = (
    "<div class={} style='width:300px;height:70px'><textarea name={} style='display:none'></textarea></div>"
)


async def test_examples_run_as_shown(desk: Desk) -> None:
    await desk.open("<p>No captcha here</p>")
    for example in examples_of("WaitForCaptchaSolve"):
        outcome = await desk.run_block(example)
        assert outcome.details == {"captcha": None}
    assert desk.last is not None
    assert desk.last.waits == []


@pytest.mark.parametrize(
    ("container", "token", "name"),
    [
        ("g-recaptcha", "g-recaptcha-response", "reCAPTCHA"),
        ("h-captcha", "h-captcha-response", "hCaptcha"),
        ("cf-turnstile", "cf-turnstile-response", "Turnstile"),
    ],
)
async def test_a_captcha_pauses_until_its_answer_is_there(
    desk: Desk, container: str, token: str, name: str
) -> None:
    solve = "<script>setTimeout(() => document.querySelector('textarea').value = 'token', 800)</script>"
    await desk.open(WIDGET.format(container, token) + solve)
    outcome = await desk.run("WaitForCaptchaSolve", {})
    assert outcome.details == {"captcha": name}
    assert desk.last is not None
    assert desk.last.waits == [f"Solve the {name} in the live view"]


async def test_an_invisible_captcha_asks_nothing_of_anyone(desk: Desk) -> None:
    await desk.open("<div class=g-recaptcha data-size=invisible>badge</div>")
    assert (await desk.run("WaitForCaptchaSolve", {})).details == {"captcha": None}


async def test_a_captcha_nobody_solves_fails_when_its_time_is_over(desk: Desk) -> None:
    await desk.open(WIDGET.format("h-captcha", "h-captcha-response"))
    with pytest.raises(TimedOut, match="hCaptcha"):
        await desk.run("WaitForCaptchaSolve", {"timeoutMs": 700})

"""WaitForCaptchaSolve pauses until a captcha is solved."""

import json
from collections.abc import Generator
from typing import Any

import pytest

from pagehand.egress.http import HttpCaptchaSolver
from pagehand.errors import TimedOut
from support.block_runner import BlockRunner, examples_of
from support.http_server import HttpReply, HttpRequest, HttpServer
from support.site import Site

pytestmark = pytest.mark.anyio

WIDGET = (
    "<div class={} style='width:300px;height:70px'><textarea name={} style='display:none'></textarea></div>"
)


async def test_examples_run_as_shown(runner: BlockRunner) -> None:
    await runner.open("<p>No captcha here</p>")
    for example in examples_of("WaitForCaptchaSolve"):
        outcome = await runner.run_block(example)
        assert outcome.details == {"captcha": None}
    assert runner.result.waits == []


@pytest.mark.parametrize(
    ("container", "token", "name"),
    [
        ("g-recaptcha", "g-recaptcha-response", "reCAPTCHA"),
        ("h-captcha", "h-captcha-response", "hCaptcha"),
        ("cf-turnstile", "cf-turnstile-response", "Turnstile"),
    ],
)
async def test_a_captcha_pauses_until_its_answer_is_there(
    runner: BlockRunner, container: str, token: str, name: str
) -> None:
    solve = "<script>setTimeout(() => document.querySelector('textarea').value = 'token', 800)</script>"
    await runner.open(WIDGET.format(container, token) + solve)
    outcome = await runner.run("WaitForCaptchaSolve", {})
    assert outcome.details == {"captcha": name, "solvedBy": "person"}
    assert runner.result.waits == [f"Solve the {name} in the live view"]


async def test_an_invisible_captcha_asks_nothing_of_anyone(runner: BlockRunner) -> None:
    await runner.open("<div class=g-recaptcha data-size=invisible>badge</div>")
    assert (await runner.run("WaitForCaptchaSolve", {})).details == {"captcha": None}


async def test_a_captcha_nobody_solves_fails_when_its_time_is_over(runner: BlockRunner) -> None:
    await runner.open(WIDGET.format("h-captcha", "h-captcha-response"))
    with pytest.raises(TimedOut, match="hCaptcha"):
        await runner.run("WaitForCaptchaSolve", {"timeoutMs": 700})


@pytest.mark.parametrize(
    ("frame", "name"),
    [
        ("https://www.google.com/recaptcha/api2/anchor?k=key-1", "reCAPTCHA"),
        ("https://newassets.hcaptcha.com/c/1/hcaptcha.html#frame=checkbox&sitekey=key-1", "hCaptcha"),
        ("https://challenges.cloudflare.com/cdn-cgi/turnstile/0x", "Turnstile"),
    ],
)
async def test_a_widget_known_by_its_frame_alone_is_seen_inside_a_frame_of_the_page(
    runner: BlockRunner, site: Site, frame: str, name: str
) -> None:
    site.page("/inner", f"<p>Are you human?</p><iframe src='{frame}' width=300 height=70></iframe>")
    await runner.session.goto(
        site.page("/", "<iframe src=/inner width=400 height=200></iframe>"), wait_until="domcontentloaded"
    )
    with pytest.raises(TimedOut, match=f"Nobody solved the {name}"):
        await runner.run("WaitForCaptchaSolve", {"timeoutMs": 400})


@pytest.mark.slow
async def test_the_answer_inside_a_frame_is_seen(runner: BlockRunner, site: Site) -> None:
    solve = "<script>setTimeout(() => document.querySelector('textarea').value = 'token', 800)</script>"
    site.page("/inner", WIDGET.format("h-captcha", "h-captcha-response") + solve)
    await runner.session.goto(site.page("/", "<iframe src=/inner width=400 height=200></iframe>"))
    outcome = await runner.run("WaitForCaptchaSolve", {"timeoutMs": 20000})
    assert outcome.details == {"captcha": "hCaptcha", "solvedBy": "person"}


class Solver:
    """A captcha solver of our own: what it was asked, and what it says."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.answer: Any = {"token": "from the solver"}
        self.server = HttpServer(self._answer)
        self.address = f"{self.server.url}/solve"

    def _answer(self, request: HttpRequest) -> HttpReply:
        self.asked.append(json.loads(request.body))
        return HttpReply(json.dumps(self.answer).encode())


@pytest.fixture
def solver() -> Generator[Solver]:
    made = Solver()
    with made.server:
        yield made


SITE_WIDGET = """<div class=h-captcha data-sitekey=site-1
data-callback=solved style="width:300px;height:70px">
<textarea name=h-captcha-response style='display:none'></textarea></div>
<script>function solved(token) { document.title = token }</script>"""


async def test_a_configured_solver_answers_in_a_persons_place(
    runner: BlockRunner, site: Site, solver: Solver
) -> None:
    url = site.page("/", SITE_WIDGET)
    await runner.session.goto(url)
    runner.harness.seams.captcha_solver = HttpCaptchaSolver(solver.address)
    outcome = await runner.run("WaitForCaptchaSolve", {"timeoutMs": 20000})
    assert outcome.details == {"captcha": "hCaptcha", "solvedBy": "solver"}
    assert solver.asked == [{"kind": "hCaptcha", "siteKey": "site-1", "url": url}]
    token = await runner.value("[document.title, document.querySelector('textarea').value]")
    assert token == ["from the solver", "from the solver"]
    assert runner.result.waits == []
    assert "from the solver" not in runner.result.redactor.text("from the solver")


@pytest.mark.parametrize("answer", [{}, {"token": ""}, ["nonsense"]])
async def test_a_person_is_asked_when_the_solver_has_no_answer(
    runner: BlockRunner, solver: Solver, answer: Any
) -> None:
    solver.answer = answer
    await runner.open(SITE_WIDGET)
    runner.harness.seams.captcha_solver = HttpCaptchaSolver(solver.address)
    with pytest.raises(TimedOut):
        await runner.run("WaitForCaptchaSolve", {"timeoutMs": 600})
    assert runner.result.waits == ["Solve the hCaptcha in the live view"]
    assert len(runner.result.events_of("captcha.unsolved")) == 1


async def test_a_person_is_asked_when_the_solver_cannot_be_reached(runner: BlockRunner) -> None:
    await runner.open(SITE_WIDGET)
    runner.harness.seams.captcha_solver = HttpCaptchaSolver("http://127.0.0.1:1/")
    with pytest.raises(TimedOut):
        await runner.run("WaitForCaptchaSolve", {"timeoutMs": 600})
    assert runner.result.waits == ["Solve the hCaptcha in the live view"]

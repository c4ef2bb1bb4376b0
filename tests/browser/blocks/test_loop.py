"""A loop over pages clicks "next" until that leads nowhere."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import pytest

from pagehand.blocks import kinds
from pagehand.blocks.base import RunContext
from pagehand.browser import BrowserSession
from support.site import Answer, Site

pytestmark = pytest.mark.anyio


class PageByPage(RunContext):
    """Notes the heading of each page a loop comes to."""

    def __init__(self, session: BrowserSession) -> None:
        self.session = session
        self.events: list[str] = []
        self.output: Any = None

    @property
    def page(self) -> BrowserSession:
        return self.session

    def starts_in(self) -> str | None:
        return None

    def put_out(self, rounds: list[Any]) -> None:
        self.output = rounds

    def replace_round(self, position: int, value: Any) -> None:
        self.output[position] = value

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def run_round(self, name: str, put_out: dict[str, Any], **names: Any) -> None:
        put_out[name] = f"{names['index']} {await self.session.page.inner_text('h1')}"

    def emit(self, type: str, message: str, data: Mapping[str, Any] | None = None) -> None:  # noqa: A002, ARG002 - as the Protocol names them
        self.events.append(type)


async def pages_seen(session: BrowserSession, url: str, **data: Any) -> tuple[list[str], list[str]]:
    await session.page.goto(url)
    context = PageByPage(session)  # pyright: ignore[reportAbstractUsage] - a loop over pages asks for no more
    await kinds().parse("LoopV2", {"over": {"pages": {"text": "Next"}}, **data}).run(context)
    return [item["sequence"] for item in context.output], context.events


@pytest.mark.slow
async def test_links_are_followed_until_there_is_none(session: BrowserSession, site: Site) -> None:
    first = site.page("/1", "<h1>one</h1><a href=/2>Next</a>")
    site.page("/2", "<h1>two</h1><a href=/3>Next</a>")
    site.page("/3", "<h1>three</h1><a hidden href=/4>Next</a>")
    assert await pages_seen(session, first) == (["0 one", "1 two", "2 three"], [])


@pytest.mark.slow
async def test_a_page_that_changes_itself_ends_when_the_button_is_disabled(
    session: BrowserSession, site: Site
) -> None:
    url = site.page(
        "/app",
        """<h1>1</h1><button onclick="setTimeout(() => {
             const h = document.querySelector('h1'); h.textContent = +h.textContent + 1;
             this.disabled = h.textContent == '3';
           }, 300)">Next</button>""",
    )
    assert await pages_seen(session, url) == (["0 1", "1 2", "2 3"], [])


@pytest.mark.slow
async def test_a_control_that_changes_nothing_ends_the_loop(session: BrowserSession, site: Site) -> None:
    url = site.page("/still", "<h1>only</h1><button>Next</button>")
    assert await pages_seen(session, url) == (["0 only"], [])


@pytest.mark.parametrize("last", ["", "<a hidden href=/4>Next</a>", "<button disabled>Next</button>"])
async def test_the_last_page_costs_no_more_than_it_takes_the_page_to_rest(
    session: BrowserSession, site: Site, last: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagehand.blocks.flow.loop._FIND_NEXT_SECONDS", 60)
    began = time.monotonic()
    assert await pages_seen(session, site.page("/last", f"<h1>last</h1>{last}")) == (["0 last"], [])
    assert time.monotonic() - began < 30


@pytest.mark.slow
@pytest.mark.parametrize(
    "late",
    [
        "setTimeout(add, 350)",
        "fetch('/slow').then(() => setTimeout(add, 200))",
        "fetch('/slow').then(() => fetch('/slow')).then(add)",
        "let left = 8; const tick = () => { x.append('.'); left-- ? setTimeout(tick, 150) : add() }; tick()",
    ],
)
async def test_a_next_control_that_is_drawn_late_is_not_missed(
    session: BrowserSession, site: Site, late: str
) -> None:
    site.page("/2", "<h1>two</h1>")
    site.answers["/slow"] = Answer(b"{}", delay=0.7)
    url = site.page(
        "/late",
        "<h1>one</h1><p id=x></p><script>const add = () => { x.innerHTML = '<a href=/2>Next</a>' };"
        f"{late}</script>",
    )
    assert await pages_seen(session, url) == (["0 one", "1 two"], [])


async def test_the_limit_ends_it_without_another_click(session: BrowserSession, site: Site) -> None:
    url = site.page(
        "/many", "<h1>1</h1><button onclick=\"document.querySelector('h1').append('+')\">Next</button>"
    )
    assert await pages_seen(session, url, maxIterations=2) == (["0 1", "1 1+"], ["loop.limit"])
    assert await session.page.inner_text("h1") == "1+"

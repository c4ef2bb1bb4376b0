"""A loop over pages clicks "next" until that leads nowhere."""

from typing import Any

import pytest

from support.block_runner import BlockRunner
from support.blocks import extract, pages, value
from support.http_server import HttpReply
from support.site import Site

pytestmark = pytest.mark.anyio

HEADING = extract("heading", {}, fields={"text": {"locator": {"css": "h1"}}})


async def headings(runner: BlockRunner, url: str, **data: Any) -> list[str]:
    """The heading of each page that the loop comes to."""
    await runner.session.goto(url)
    outcome = await runner.run_block(pages({"text": "Next"}, [HEADING], **data))
    return [page["heading"]["text"] for page in outcome.output]


@pytest.mark.slow
async def test_links_are_followed_until_there_is_none(runner: BlockRunner, site: Site) -> None:
    first = site.page("/1", "<h1>one</h1><a href=/2>Next</a>")
    site.page("/2", "<h1>two</h1><a href=/3>Next</a>")
    site.page("/3", "<h1>three</h1><a hidden href=/4>Next</a>")
    await runner.session.goto(first)
    outcome = await runner.run_block(pages({"text": "Next"}, [HEADING, value("number", "{{index}}")]))
    assert outcome.output == [
        {"heading": {"text": "one"}, "number": 0},
        {"heading": {"text": "two"}, "number": 1},
        {"heading": {"text": "three"}, "number": 2},
    ]


@pytest.mark.slow
async def test_a_page_that_changes_itself_ends_when_the_button_is_disabled(
    runner: BlockRunner, site: Site
) -> None:
    url = site.page(
        "/app",
        """<h1>1</h1><button onclick="setTimeout(() => {
             const h = document.querySelector('h1'); h.textContent = +h.textContent + 1;
             this.disabled = h.textContent == '3';
           }, 300)">Next</button>""",
    )
    assert await headings(runner, url) == ["1", "2", "3"]


@pytest.mark.slow
async def test_a_control_that_changes_nothing_ends_the_loop(runner: BlockRunner, site: Site) -> None:
    url = site.page("/still", "<h1>only</h1><button>Next</button>")
    assert await headings(runner, url) == ["only"]


@pytest.mark.parametrize("last", ["", "<a hidden href=/4>Next</a>", "<button disabled>Next</button>"])
async def test_the_last_page_costs_no_more_than_it_takes_the_page_to_rest(
    runner: BlockRunner, site: Site, last: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagehand.blocks.flow.loop._FIND_NEXT_SECONDS", 600)
    assert await headings(runner, site.page("/last", f"<h1>last</h1>{last}")) == ["last"]


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
    runner: BlockRunner, site: Site, late: str
) -> None:
    site.page("/2", "<h1>two</h1>")
    site.answers["/slow"] = HttpReply(b"{}", delay=0.7)
    url = site.page(
        "/late",
        "<h1>one</h1><p id=x></p><script>const add = () => { x.innerHTML = '<a href=/2>Next</a>' };"
        f"{late}</script>",
    )
    assert await headings(runner, url) == ["one", "two"]


async def test_the_limit_ends_it_without_another_click(runner: BlockRunner, site: Site) -> None:
    url = site.page(
        "/many", "<h1>1</h1><button onclick=\"document.querySelector('h1').append('+')\">Next</button>"
    )
    assert await headings(runner, url, maxIterations=2) == ["1", "1+"]
    assert len(runner.result.events_of("loop.limit")) == 1
    assert await runner.session.page.inner_text("h1") == "1+"

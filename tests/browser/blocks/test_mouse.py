"""Mouse clicks, drags, scrolls, and waits for what it is to expect."""

import pytest

from pagehand.errors import BlockFailed, PagehandError
from support.block_runner import BlockRunner, examples_of, has_no_output
from support.site import Site

pytestmark = pytest.mark.anyio


async def test_examples_run_as_shown(runner: BlockRunner) -> None:
    await runner.open("""<button onclick="document.title = 'saved'">Save</button>
      <a href="#" onclick="if (confirm('Sure?')) document.title += ' deleted'; return false">Delete</a>
      <div id=card style='width:40px;height:40px'
        onmousedown="window.held = true">card</div><div id=done style='height:40px'
        onmouseup="if (window.held) document.title += ' dropped'">done</div>""")
    outcomes = [await runner.run_block(example) for example in examples_of("Mouse")]
    assert await runner.value("document.title") == "saved deleted dropped"
    assert has_no_output(outcomes[0])
    assert outcomes[1].output == {"dialog": {"type": "confirm", "message": "Sure?"}}


async def test_a_prompt_gets_the_given_text(runner: BlockRunner) -> None:
    await runner.open("<button onclick=\"document.title = prompt('Name?')\">Ask</button>")
    outcome = await runner.run("Mouse", {"dialog": {"action": "accept", "text": "Ada"}}, text="Ask")
    assert await runner.value("document.title") == "Ada"
    assert outcome.output == {"dialog": {"type": "prompt", "message": "Name?"}}


@pytest.mark.parametrize(
    ("data", "seen"),
    [
        ({"action": "doubleClick"}, "click,click,dblclick"),
        ({"action": "rightClick"}, "contextmenu"),
        ({"count": 2}, "click,click,dblclick"),
        ({"action": "move"}, "mouseover"),
        ({"modifiers": ["Shift"]}, "click+shift"),
    ],
)
async def test_each_action_is_what_the_page_sees(
    runner: BlockRunner, data: dict[str, object], seen: str
) -> None:
    await runner.open("""<button id=b>Press</button><script>window.seen = [];
      for (const type of ['click', 'dblclick', 'contextmenu', 'mouseover'])
        b.addEventListener(type, e => seen.push(e.type + (e.shiftKey ? '+shift' : '')))</script>""")
    await runner.run("Mouse", data, css="#b")
    got = await runner.value("seen.join()")
    assert got.removeprefix("mouseover,").removeprefix("mouseover+shift,") == seen


async def test_the_offset_is_where_the_click_lands(runner: BlockRunner) -> None:
    await runner.open(
        """<div id=d style='width:99px;height:99px'
        onclick='document.title = event.offsetX + " " + event.offsetY'>"""
    )
    await runner.run("Mouse", {"x": 10, "y": 20}, css="#d")
    assert await runner.value("document.title") == "10 20"


async def test_without_a_locator_the_point_in_the_window_is_clicked(runner: BlockRunner) -> None:
    await runner.open("<script>onclick = e => document.title = e.clientX + ' ' + e.clientY</script>")
    await runner.run("Mouse", {"x": 30, "y": 40})
    assert await runner.value("document.title") == "30 40"
    block = {"type": "Mouse", "data": {"x": 30, "y": "{{params.y}}"}}
    with pytest.raises(BlockFailed, match="give the block a locator"):
        await runner.run_block(block, params={"y": None})


async def test_dragging_by_a_distance_moves_that_far(runner: BlockRunner) -> None:
    await runner.open("""<div id=d style='width:20px;height:20px'
      onmousedown='window.from = event.clientX'>x</div>
      <script>onmouseup = e => document.title = e.clientX - window.from</script>""")
    await runner.run("Mouse", {"action": "drag", "x": 50, "y": 0}, css="#d")
    assert await runner.value("document.title") == "50"


async def test_scrolling_goes_by_the_wheel_or_into_view(runner: BlockRunner) -> None:
    await runner.open("<div style='height:3000px'>tall</div><p id=end>end</p>")
    await runner.run("Mouse", {"action": "scroll", "y": 300})
    await runner.session.page.wait_for_function("scrollY === 300", timeout=2000)
    await runner.run("Mouse", {"action": "scroll"}, css="#end")
    assert await runner.value("end.getBoundingClientRect().bottom <= innerHeight") is True


@pytest.mark.slow
async def test_a_covered_element_is_not_clicked_and_its_cover_is_named(runner: BlockRunner) -> None:
    await runner.open("""<button id=b onclick="document.title = 'clicked'">Go</button>
      <div id=cover style='position:fixed;inset:0;background:#fff'>cover</div>""")
    with pytest.raises(BlockFailed, match="cover"):
        await runner.run("Mouse", {"timeoutMs": 2000}, css="#b")
    assert await runner.value("document.title") == ""


async def test_a_navigation_is_waited_for(runner: BlockRunner, site: Site) -> None:
    site.page("/next", "<title>Next</title><p id=there>there</p>", delay=0.5)
    await runner.session.goto(site.page("/", "<a href=/next>Go</a>"))
    await runner.run("Mouse", {}, text="Go")
    assert await runner.value("document.title") == "Next"


async def test_expected_navigation_popup_and_download_come_true(runner: BlockRunner, site: Site) -> None:
    site.page("/next", "<title>Next</title>")
    site.file("/data.csv", b"a,b", "text/csv", Content_Disposition="attachment; filename=data.csv")
    await runner.session.goto(
        site.page("/", "<a href=/data.csv>Get</a><a href=/next target=_blank>Open</a><a href=/next>Go</a>")
    )
    outcome = await runner.run("Mouse", {"expect": "download"}, text="Get")
    assert (outcome.output["name"], outcome.output["sizeBytes"]) == ("data.csv", 3)
    await runner.run("Mouse", {"expect": "popup"}, text="Open")
    assert len(runner.session.tabs.all) == 2
    assert runner.session.page.url.endswith("/next")
    await runner.session.tabs.close("current")
    await runner.run("Mouse", {"expect": "navigation"}, text="Go")
    assert runner.session.page.url.endswith("/next")


@pytest.mark.slow
@pytest.mark.parametrize("expected", ["navigation", "popup", "download"])
async def test_an_unmet_expectation_is_a_failure(runner: BlockRunner, expected: str) -> None:
    await runner.open("<button>Nothing</button>")
    with pytest.raises(PagehandError, match=expected):
        await runner.run("Mouse", {"expect": expected, "timeoutMs": 2000}, text="Nothing")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("does", "shown"),
    [
        ("history.replaceState(0, '', '/draft'); setTimeout(() => location = '/done', 700)", "Done"),
        ("history.pushState(0, '', '/route'); h.textContent = 'Routed'", "Routed"),
        ("history.replaceState(0, '', '/route'); h.textContent = 'Renamed'", "Renamed"),
    ],
    ids=["renamed, then left", "route", "only renamed"],
)
async def test_a_new_address_over_the_same_page_is_not_yet_the_navigation(
    runner: BlockRunner, site: Site, does: str, shown: str
) -> None:
    site.page("/done", "<h1>Done</h1>")
    page = f'<h1 id=h>First</h1><button onclick="setTimeout(() => {{ {does} }}, 50)">Go</button>'
    await runner.session.goto(site.page("/", page))
    await runner.run("Mouse", {"expect": "navigation"}, text="Go")
    assert await runner.value("document.querySelector('h1').textContent") == shown

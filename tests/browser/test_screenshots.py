"""Pictures show the page and no secrets."""

import pytest

from pagehand.browser import BrowserSession, screenshots
from pagehand.workflow.locator import Locator
from support.site import Site
from support.waiting import until

pytestmark = pytest.mark.anyio

_STYLE = "<style>input{font:40px monospace;border:0;outline:0;caret-color:transparent;width:600px}</style>"
HIDDEN = "e => getComputedStyle(e).webkitTextSecurity"


async def picture_with(session: BrowserSession, value: str) -> bytes | None:
    await session.page.locator("input").evaluate("(e, value) => { e.value = value }", value)
    return await session.screenshot()


async def test_picture_is_a_jpeg_of_the_viewport(session: BrowserSession, site: Site) -> None:
    await session.goto(site.page("/", "<h1>Hello</h1>"))
    picture = await session.screenshot()
    assert picture is not None
    assert picture.startswith(b"\xff\xd8\xff")


@pytest.mark.slow
async def test_every_page_is_pictured_also_the_first_of_another_site(
    session: BrowserSession, site: Site
) -> None:
    here, other = site.page("/", "<h1>Hello</h1>"), "data:text/html,<h1>Elsewhere</h1>"
    for _ in range(12):  # while a renderer takes over from another, Chromium refuses now and then
        for address in (here, other, here.replace("127.0.0.1", "localhost")):
            await session.page.goto(address)
            assert await session.screenshot() is not None


async def test_masked_field_looks_the_same_whatever_is_in_it(session: BrowserSession, site: Site) -> None:
    await session.goto(site.page("/", f"{_STYLE}<input name=pin>"))
    assert await picture_with(session, "abcd") != await picture_with(session, "wxyz")
    hit = await session.find(Locator(css="input"), "act", timeout_seconds=2)
    await session.mask(hit.element)
    assert await picture_with(session, "abcd") == await picture_with(session, "wxyz")


async def test_mask_survives_redrawing_and_reloading(session: BrowserSession, site: Site) -> None:
    await session.goto(site.page("/", f"{_STYLE}<div id=d><input name=pin></div>"))
    await session.mask(session.page.locator("input"))
    await session.page.evaluate("d.innerHTML = '<input name=pin>'")
    assert await session.page.locator("input").evaluate(HIDDEN) == "disc"
    await session.page.locator("input").evaluate(
        "e => { e.removeAttribute('data-pagehand-masked'); e.removeAttribute('style') }"
    )
    assert await session.page.locator("input").evaluate(HIDDEN) == "disc"
    await session.page.reload()
    assert await session.page.locator("input").evaluate(HIDDEN) == "disc"


async def test_revealed_passwords_and_codes_stay_hidden(session: BrowserSession, site: Site) -> None:
    await session.goto(
        site.page(
            "/", f"{_STYLE}<input id=p type=password><input id=o autocomplete=one-time-code><input id=n>"
        )
    )
    await session.page.evaluate("p.type = 'text'")
    assert await session.page.locator("#p").evaluate(HIDDEN) == "disc"
    assert await session.page.locator("#o").evaluate(HIDDEN) == "disc"
    assert await session.page.locator("#n").evaluate(HIDDEN) == "none"


async def test_field_in_a_shadow_root_is_masked(session: BrowserSession, site: Site) -> None:
    await session.goto(
        site.page(
            "/",
            "<x-a></x-a><script>document.querySelector('x-a').attachShadow({mode: 'open'}).innerHTML ="
            f"`{_STYLE}<input>`</script>",
        )
    )
    await session.mask(session.page.locator("input"))
    assert await session.page.locator("input").evaluate(HIDDEN) == "disc"


@pytest.mark.slow
async def test_a_page_that_hangs_gives_no_picture_in_time(
    session: BrowserSession, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screenshots, "_SECONDS", 0.5)
    await session.goto(
        site.page(
            "/",
            "<script>"
            "setTimeout(() => { fetch('/busy'); let end = Date.now() + 8000; while (Date.now() < end);"
            "fetch('/free') }, 50)"
            "</script>",
        )
    )
    await until(lambda: any(hit.endswith("/busy") for hit in site.hits))
    await session.screenshot()
    assert not any(hit.endswith("/free") for hit in site.hits)

"""Elements found again by what they were like, in real pages."""

import asyncio

import pytest

from pagehand.browser import BrowserSession
from pagehand.records import Fingerprint
from pagehand.workflow.locator import Locator
from support.site import Site

pytestmark = pytest.mark.anyio

ROWS = """<h1>Orders</h1><table>{}</table><form><label for=q>Customer</label><input id=q name=customer
value="typed by someone"><button type=submit>Filter</button></form>"""
ROW = """<tr><td>{0}</td><td>open</td>
<td><button class=b{1}>Show</button><button>Hold</button></td></tr>"""
NAMES = ["Ada Okafor", "Bruno Keller", "Chiara Rossi", "Dmitri Volkov"]


@pytest.fixture
def session(kept_session: BrowserSession) -> BrowserSession:
    return kept_session


def orders(*names: str, start: int = 0) -> str:
    return ROWS.format("".join(ROW.format(name, at + start) for at, name in enumerate(names)))


async def show(session: BrowserSession, site: Site, html: str, path: str = "/") -> None:
    await session.goto(site.page(path, f"<!doctype html><title>t</title>{html}"))


async def remembered(session: BrowserSession, **fields: str) -> Fingerprint:
    found = await session.find(Locator.model_validate(fields), "act", timeout_seconds=2)
    fingerprint = await session.healing.take_fingerprint(found.element)
    assert fingerprint is not None
    return fingerprint


async def is_different_element(session: BrowserSession, locator: Locator, wanted: Fingerprint) -> bool:
    found = await session.find(locator, "act", timeout_seconds=2)
    return await session.healing.is_different_element(found.element, wanted)


async def test_a_row_is_known_by_its_words_and_not_by_its_place(session: BrowserSession, site: Site) -> None:
    await show(session, site, orders(*NAMES))
    wanted = await remembered(session, css=".b2")
    await show(session, site, orders("Elif Demir", "Farid Haddad", *NAMES, start=40))
    result = await session.healing.heal(wanted, is_commit=False)
    assert result.found is not None, result
    row = result.found.element.locator("xpath=ancestor::tr")
    assert "Chiara Rossi" in await row.inner_text()


async def test_a_row_that_is_gone_is_not_replaced_by_another(session: BrowserSession, site: Site) -> None:
    await show(session, site, orders(*NAMES))
    wanted = await remembered(session, css=".b2")
    await show(session, site, orders("Ada Okafor", "Bruno Keller", "Dmitri Volkov", start=40))
    result = await session.healing.heal(wanted, is_commit=False)
    assert result.found is None
    assert result.reason


async def test_a_row_is_known_though_boxes_and_buttons_came_into_it(
    session: BrowserSession, site: Site
) -> None:
    await show(session, site, orders(*NAMES))
    wanted = await remembered(session, css=".b2")
    changed = orders(*reversed(NAMES), start=40).replace(
        "<button class=b41>Show</button>",
        "<div><a href=/tips>Tips</a><div><button class=zz>Show</button></div></div>",
    )
    await show(session, site, changed)
    result = await session.healing.heal(wanted, is_commit=False)
    assert result.found is not None, result
    assert await result.found.element.get_attribute("class") == "zz"


async def test_another_of_the_same_looks_in_its_place_is_not_taken(
    session: BrowserSession, site: Site
) -> None:
    bar = """<h1>Report</h1><p>Figures of May</p><div class=bar><button class=tool>Print</button>
    <button class=tool>{}</button><button class=tool>Archive</button></div>"""
    await show(session, site, bar.format("Export"))
    wanted = await remembered(session, text="Export")
    await show(session, site, bar.format("Compare"))
    assert (await session.healing.heal(wanted, is_commit=False)).found is None


async def test_a_name_that_nothing_else_has_survives_a_redesign(session: BrowserSession, site: Site) -> None:
    links = "<a href=/{0}>Opening hours</a><a href=/{0}s>Directions</a><a href=/{0}p>Prices</a>"
    await show(session, site, f"<div class=nav><h2>Visit us</h2>{links.format('x')}</div><p>Old museum</p>")
    wanted = await remembered(session, text="Opening hours")
    fresh = f"<main><p>Paintings</p></main><footer><div><b>Plan</b></div>{links.format('plan')}</footer>"
    await show(session, site, fresh)
    result = await session.healing.heal(wanted, is_commit=False)
    assert result.locator == Locator(role="link", text="Opening hours")


MENU = "<nav><ul>{}</ul></nav><main><h1>Start</h1><p>Welcome back</p></main>"


def menu(*names: str, mark: str) -> str:
    return MENU.format(
        "".join(f"<li><a class={mark} href='/{name.split()[0]}'>{name}</a></li>" for name in names)
    )


async def test_a_counter_in_a_name_may_change(session: BrowserSession, site: Site) -> None:
    await show(session, site, menu("Reports", "Inbox 3", "Calendar", mark="old"))
    wanted = await remembered(session, text="Inbox 3")
    await show(session, site, menu("Calendar", "Team", "Inbox 12", "Reports", mark="new"))
    result = await session.healing.heal(wanted, is_commit=False)
    assert result.found is not None, result
    assert await result.found.element.inner_text() == "Inbox 12"


LINKS = """<style>.entry,[data-box]{{cursor:pointer}}</style><ul>{}<li class=entry><a href=/help>Help</a></li>
<li class=entry><a href=/about>About us</a></li></ul>"""
ORDERS_LINK = "<li class=entry><a id=orders class=lnk data-nav=orders href=/orders>Open orders</a></li>"


@pytest.mark.parametrize(
    "now",
    [
        "<li class=entry><span id=orders class=lnk data-nav=orders>Open orders</span></li>",
        "<li id=orders class='entry lnk' data-nav=orders>Open orders</li>",
        "<li><div id=orders class=lnk data-nav=orders tabindex=0>Open orders<a href=/o>Go</a></div></li>",
        "<li><div id=orders class=lnk data-nav=orders onclick='1'>Open orders<a href=/o>Go</a></div></li>",
    ],
)
async def test_a_box_that_may_not_answer_a_press_is_not_taken_for_a_link(
    session: BrowserSession, site: Site, now: str
) -> None:
    await show(session, site, LINKS.format(ORDERS_LINK))
    wanted = await remembered(session, css="#orders")
    await show(session, site, LINKS.format(now))
    result = await session.healing.heal(wanted, is_commit=False)
    assert result.found is None, result


async def test_a_link_inside_a_box_with_its_marks_is_taken_instead_of_the_box(
    session: BrowserSession, site: Site
) -> None:
    await show(session, site, LINKS.format(ORDERS_LINK))
    wanted = await remembered(session, css="#orders")
    box = "<li><div data-box data-nav=orders class=lnk tabindex=0><a href=/orders>Open orders</a></div></li>"
    await show(session, site, LINKS.format(box))
    result = await session.healing.heal(wanted, is_commit=False)
    assert result.found is not None, result
    assert await result.found.element.evaluate("element => element.localName") == "a"


async def test_another_number_of_a_series_is_not_taken(session: BrowserSession, site: Site) -> None:
    await show(session, site, menu("Dashboard 1", "Dashboard 2", "Dashboard 3", mark="item"))
    wanted = await remembered(session, text="Dashboard 2")
    await show(session, site, menu("Dashboard 1", "Dashboard 3", "Dashboard 4", mark="item"))
    result = await session.healing.heal(wanted, is_commit=False)
    assert result.found is None
    assert result.reason


TOOLS = """<ul><li><a href=/users.html>Users</a><li><a id=x href=/{0}>{1}</a>
<li><a href=/help.html>Help</a></ul>
<p><button><i class="bi bi-plus"></i></button><button class={2}><i class="bi bi-{3}"></i></button></p>
<form><input class=a placeholder="{4}"><input class=b placeholder="City"></form>"""


@pytest.mark.parametrize(
    ("locator", "now", "found"),
    [
        ("#x", ("reports.html", "Analytics", "z", "trash", "E-mail"), "Analytics"),
        ("#x", ("all.html", "Show Reports", "z", "trash", "E-mail"), "Show Reports"),
        (".t", ("reports.html", "See reports", "z", "trash", "E-mail"), ""),
        (".a", ("reports.html", "See reports", "z", "trash", "Enter your email address"), ""),
    ],
)
async def test_small_changes_are_healed(
    session: BrowserSession, site: Site, locator: str, now: tuple[str, ...], found: str
) -> None:
    await show(session, site, TOOLS.format("reports.html", "See reports", "t", "trash", "E-mail"))
    wanted = await remembered(session, css=locator)
    changed = TOOLS.format(*now).replace("id=x", "class=menu").replace("class=a", "class=c")
    await show(session, site, f"<main><section>{changed}</section></main>")
    result = await session.healing.heal(wanted, is_commit=False)
    assert result.found is not None, result
    assert await result.found.element.inner_text() == found


async def test_the_last_name_is_not_taken_for_the_first(session: BrowserSession, site: Site) -> None:
    field = "<form><label>{0} name <input class=f name={0} placeholder='{0} name'></label></form>"
    await show(session, site, field.format("First"))
    wanted = await remembered(session, css=".f")
    await show(session, site, field.format("Last"))
    assert (await session.healing.heal(wanted, is_commit=False)).found is None


async def test_the_new_locator_leads_to_the_element_alone(session: BrowserSession, site: Site) -> None:
    await show(session, site, orders(*NAMES))
    wanted = await remembered(session, css="form button")
    await show(session, site, orders(*NAMES).replace("<form>", "<div class=x>").replace("</form>", "</div>"))
    result = await session.healing.heal(wanted, is_commit=False)
    assert result.locator == Locator(role="button", text="Filter")
    assert result.found is not None
    assert await result.found.element.count() == 1


async def test_typed_values_are_not_remembered_and_a_field_is_not_a_button(
    session: BrowserSession, site: Site
) -> None:
    await show(session, site, orders(*NAMES))
    wanted = await remembered(session, css="#q")
    assert "typed by someone" not in str(wanted)
    assert wanted.label == "Customer"
    await show(session, site, "<h1>Orders</h1><form><button name=customer>Customer</button></form>")
    assert (await session.healing.heal(wanted, is_commit=False)).found is None


async def test_elements_in_shadow_roots_are_found_again(session: BrowserSession, site: Site) -> None:
    shadow = """<h1>Player</h1><my-player><template shadowrootmode=open><p>Evening song</p>
    <button class={}>Play</button><button>Stop</button></template></my-player>"""
    await show(session, site, shadow.format("a"))
    wanted = await remembered(session, css=".a")
    await show(session, site, shadow.format("zz"))
    result = await session.healing.heal(wanted, is_commit=False)
    assert result.found is not None, result
    assert await result.found.element.inner_text() == "Play"


async def test_a_button_is_called_what_its_slot_shows(session: BrowserSession, site: Site) -> None:
    button = """<my-button><template shadowrootmode=open><button class={}><slot></slot></button></template>
    {}</my-button>"""
    page = "<h1>Cameras</h1>" + button.format("a", "Arm all") + button.format("b", "Export clips")
    await show(session, site, page)
    wanted = await remembered(session, css=".b")
    assert wanted.name == "Export clips"
    moved = button.format("k", "Export clips") + button.format("k", "Beta") + button.format("k", "Arm all")
    await show(session, site, moved)
    result = await session.healing.heal(wanted, is_commit=False)
    assert result.found is not None, result
    relearned = await session.healing.take_fingerprint(result.found.element)
    assert relearned is not None
    assert relearned.name == "Export clips"


async def test_elements_in_frames_are_found_again_there(session: BrowserSession, site: Site) -> None:
    inner = "<h2>Card details</h2><p>Secure form</p><button id={}>Verify card</button><a href=/x>Help</a>"
    site.page("/inner", inner.format("old"))
    await show(session, site, "<h1>Shop</h1><button>Back</button><iframe name=pay src=/inner></iframe>", "/f")
    wanted = await remembered(session, css="#old")
    site.page("/inner", inner.format("new"))
    await session.goto(site.url + "/f")
    result = await session.healing.heal(wanted, is_commit=False)
    new = Locator(role="button", text="Verify card", frame="pay")
    assert result.locator == new
    found = await session.find(new, "act", timeout_seconds=2)
    assert await found.element.get_attribute("id") == "new"


async def test_of_two_frames_alike_the_healed_locator_leads_to_the_right_one(
    session: BrowserSession, site: Site
) -> None:
    inner = "<h2>{0}</h2><p>{0} form</p><button id={1}>Verify</button><a href=/x>{0} help</a>"

    def frames(state: str) -> str:
        return "".join(
            f"<iframe srcdoc='{inner.format(name, state + name)}'></iframe>" for name in ("Card", "Bank")
        )

    await show(session, site, f"<h1>Pay</h1>{frames('old')}", "/two")
    wanted = await remembered(session, css="#oldBank")
    await show(session, site, f"<h1>Pay</h1>{frames('new')}", "/two")
    result = await session.healing.heal(wanted, is_commit=False)
    assert result.locator is not None, result
    found = await session.find(result.locator, "act", timeout_seconds=2)
    assert await found.element.get_attribute("id") == "newBank"


async def test_late_content_is_waited_for(session: BrowserSession, site: Site) -> None:
    await show(session, site, orders(*NAMES))
    wanted = await remembered(session, css=".b1")
    later = f"setTimeout(() => document.body.innerHTML = {orders(*NAMES, start=9)!r}, 200)"
    await show(session, site, f"<main></main><script>{later}</script>")
    assert (await session.healing.heal(wanted, is_commit=False)).found is not None


async def test_a_page_that_answers_late_is_searched_all_the_same(session: BrowserSession, site: Site) -> None:
    await show(session, site, orders(*NAMES))
    wanted = await remembered(session, css=".b1")
    busy = "setTimeout(() => { for (const end = Date.now() + 6000; Date.now() < end;); }, 100)"
    await show(session, site, f"{orders(*NAMES, start=9)}<script>{busy}</script>")
    await asyncio.sleep(0.3)
    assert (await session.healing.heal(wanted, is_commit=False, is_repeated=True)).found is not None


async def test_another_element_in_the_same_place_is_recognised(session: BrowserSession, site: Site) -> None:
    await show(session, site, "<ul><li><a href=/apples>Apples</a><li><a href=/pears>Pears</a></ul>")
    wanted = await remembered(session, css="li:nth-child(2) a")
    second = Locator(css="li:nth-child(2) a")
    assert not await is_different_element(session, second, wanted)
    await show(session, site, "<ul><li><a href=/plums>Plums</a><li><a href=/apples>Apples</a></ul>")
    assert await is_different_element(session, second, wanted)

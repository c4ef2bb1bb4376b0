"""Finding elements as blocks.md says."""

import asyncio
import time

import pytest

from pagehand.browser import BrowserSession, locator_finder
from pagehand.browser.locator_finder import Purpose
from pagehand.errors import BlockFailed, NotPresent
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom_core
from pagehand.page.phrases import NotClear
from pagehand.workflow.locator import Locator
from support.site import Site

pytestmark = pytest.mark.anyio


@pytest.fixture
def session(kept_session: BrowserSession) -> BrowserSession:
    return kept_session


async def show(session: BrowserSession, site: Site, html: str) -> None:
    await session.goto(site.page("/", f"<!doctype html><title>t</title>{html}"))


async def found(
    session: BrowserSession, purpose: Purpose = "act", seconds: float = 2, **fields: str
) -> str | None:
    hit = await session.find(Locator.model_validate(fields), purpose, timeout_seconds=seconds)
    return await hit.element.get_attribute("id")


async def test_whole_string_wins_over_substring(session: BrowserSession, site: Site) -> None:
    await show(session, site, "<button id=a>Save as draft</button><button id=b> Save \n </button>")
    assert await found(session, role="button", text="Save") == "b"
    assert await found(session, text="Save") == "b"
    assert await found(session, css="button", text="Save") == "b"


async def test_substring_ignores_case_when_nothing_matches_whole(session: BrowserSession, site: Site) -> None:
    await show(session, site, "<button id=a>Save as draft</button><input id=i placeholder='Your full name'>")
    hit = await session.find(Locator(text="AS DRAFT"), "act", timeout_seconds=2)
    assert hit.how == "substring"
    assert await found(session, placeholder="FULL name") == "i"
    assert await found(session, css="button", text="SAVE AS") == "a"


async def test_a_strict_locator_wants_exactly_one_that_fits(session: BrowserSession, site: Site) -> None:
    await show(
        session,
        site,
        "<button id=a>Save</button><button id=b hidden>Save</button><button id=c disabled>Save</button>"
        "<a href=# id=x>Open</a><a href=# id=y>Open</a><iframe srcdoc='<p>one</p>'></iframe>"
        "<iframe srcdoc='<p>two</p>'></iframe>",
    )
    button = Locator(css="button", strict=True)
    # what is hidden or disabled does not fit the action, so it is not counted
    assert (await session.find(button, "act", timeout_seconds=20)).element is not None
    with pytest.raises(NotClear, match="2 elements fit css `button`, and exactly one has to: button `Save`"):
        await session.find(button, "see", timeout_seconds=20)
    with pytest.raises(NotClear, match=r"2 elements .*: link `Open`, link `Open`"):
        await session.find(Locator(role="link", text="Open", strict=True), "act", timeout_seconds=20)
    # one in each of two frames is two
    with pytest.raises(NotClear, match="2 elements"):
        await session.find(Locator(css="p", strict=True), "see", timeout_seconds=20)
    assert await found(session, role="link", text="Open") == "x"
    # `strict` is no description: the text alone still means the deepest element with it
    hit = await session.find(Locator(text="Save", strict=True), "act", timeout_seconds=20)
    assert await hit.element.get_attribute("id") == "a"
    with pytest.raises(NotPresent):
        await session.find(Locator(css="#none", strict=True), "act", timeout_seconds=0.2)


@pytest.mark.parametrize(
    ("html", "differ"),
    [
        ("<button>Go</button><button>Go</button>", True),
        ("<a href=/a>Go</a><a href=/b>Go</a>", True),
        ("<a href=/a>Go</a><p>or</p><a href=/a>Go</a>", False),
        ("<button>Go</button><button hidden>Go</button><button disabled>Go</button>", False),
    ],
)
async def test_a_locator_that_is_not_strict_tells_when_others_that_differ_fit(
    session: BrowserSession, site: Site, html: str, differ: bool
) -> None:
    await show(session, site, html)
    hit = await session.find(Locator(text="Go"), "act", timeout_seconds=2)
    assert hit.is_one_of_several == differ


async def test_a_condition_about_one_element_refuses_several_for_a_strict_locator(
    session: BrowserSession, site: Site
) -> None:
    await show(session, site, "<button>Go</button><button disabled>Go</button><button hidden>Go</button>")
    with pytest.raises(NotClear, match="2 elements fit"):
        await session.find_all(Locator(text="Go", strict=True), only_one=True)
    assert len(await session.find_all(Locator(text="Go", strict=True))) == 3
    assert len(await session.find_all(Locator(text="Go"), only_one=True)) == 3


async def test_a_strict_locator_waits_while_a_page_is_being_built(
    session: BrowserSession, site: Site
) -> None:
    await show(
        session,
        site,
        "<p>old</p><p>new</p><script>setTimeout(() => document.querySelector('p').remove(), 300)</script>",
    )
    hit = await session.find(Locator(css="p", strict=True), "see", timeout_seconds=5)
    assert await hit.element.inner_text() == "new"


async def test_what_was_removed_after_it_matched_does_not_shift_the_others(
    session: BrowserSession, site: Site
) -> None:
    await show(session, site, "<p>old</p><p>new</p><p>newest</p>")
    find = on_dom_core(load_script(locator_finder.__file__, "find_probe"))
    probe = (
        "() => { const matched = [...document.querySelectorAll('p')]; matched[0].remove(); "
        f"return ({find})(matched, ['see', false]) }}"
    )
    result = await session.page.evaluate(probe)
    assert (result["count"], result["index"]) == (2, 0)


async def test_white_space_in_attributes_is_folded(session: BrowserSession, site: Site) -> None:
    await show(
        session, site, "<input id=a placeholder='  First   name '><input id=b placeholder='First name too'>"
    )
    assert await found(session, placeholder="First name") == "a"


async def test_fields_narrow_each_other(session: BrowserSession, site: Site) -> None:
    await show(
        session,
        site,
        "<button id=a title=x class=p>Go</button><button id=b title=y class=p>Go</button>"
        "<a id=c title=y href=#>Go</a>",
    )
    assert await found(session, role="button", text="Go", title="y") == "b"
    assert await found(session, css=".p", title="y") == "b"
    assert await found(session, xpath="//a", title="y") == "c"
    assert await found(session, css="*", title="y", text="Go", xpath="//a") == "c"


async def test_characters_that_end_selectors_are_only_text(session: BrowserSession, site: Site) -> None:
    text = """a/b >> "c" [d] 'e' \\ $1.50 (f)"""
    await show(session, site, "<input id=a><button id=b></button>")
    await session.page.evaluate(
        "text => { a.placeholder = a.ariaLabel = b.title = b.textContent = text }",
        text,
    )
    assert await found(session, placeholder=text) == "a"
    assert await found(session, title=text) == "b"
    assert await found(session, text=text) == "b"
    assert await found(session, role="button", text=text) == "b"
    assert await found(session, label=text) == "a"
    assert await found(session, placeholder=text[2:].upper()) == "a"


async def test_text_alone_means_the_deepest_element(session: BrowserSession, site: Site) -> None:
    await show(session, site, "<div id=a><p id=b><span id=c>Total</span></p></div>")
    assert await found(session, text="Total") == "c"


async def test_a_label_with_colon_or_star_is_the_whole_label(session: BrowserSession, site: Site) -> None:
    await show(
        session,
        site,
        "<label>Hardcover <input id=a></label><label for=b>Cover:</label><input id=b>"
        "<label>Discovery code <input id=c></label><label for=d>* Code *</label><input id=d>",
    )
    assert await found(session, label="Cover") == "b"
    assert await found(session, label="Code") == "d"
    hit = await session.find_by_key("Cover", "act", timeout_seconds=2)
    assert await hit.element.get_attribute("id") == "b"


async def test_label_and_alt_text(session: BrowserSession, site: Site) -> None:
    await show(
        session, site, "<label>Age <input id=a></label><img id=b alt='Our logo' width=9 height=9 src=x>"
    )
    assert await found(session, label="Age") == "a"
    assert await found(session, altText="Our logo") == "b"


async def test_css_looks_into_open_shadow_roots(session: BrowserSession, site: Site) -> None:
    await show(
        session,
        site,
        "<x-a></x-a><script>document.querySelector('x-a').attachShadow({mode:'open'}).innerHTML ="
        "'<p><button id=deep class=k>Deep</button></p>'</script>",
    )
    assert await found(session, css="p > .k") == "deep"
    assert await found(session, role="button", text="Deep") == "deep"
    with pytest.raises(NotPresent):
        await found(session, xpath="//button", seconds=0.1)


async def test_first_that_fits_of_several(session: BrowserSession, site: Site) -> None:
    await show(
        session,
        site,
        "<button id=a class=k hidden>Go</button><button id=b class=k disabled>Go</button>"
        "<button id=c class=k>Go</button>",
    )
    hit = await session.find(Locator(css=".k"), "act", timeout_seconds=1)
    assert (await hit.element.get_attribute("id"), hit.matches) == ("c", 3)
    assert await found(session, "see", css=".k") == "b"
    assert await found(session, "touch", css=".k") == "a"


async def test_late_element_is_waited_for(session: BrowserSession, site: Site) -> None:
    await show(
        session, site, "<script>setTimeout(() => document.body.innerHTML = '<b id=a>Late</b>', 400)</script>"
    )
    began = time.monotonic()
    assert await found(session, text="Late") == "a"
    assert time.monotonic() - began > 0.2


async def test_disabled_element_is_waited_for(session: BrowserSession, site: Site) -> None:
    await show(
        session,
        site,
        "<button id=a disabled>Go</button><script>setTimeout(() => a.disabled = false, 300)</script>",
    )
    assert await found(session, role="button", text="Go") == "a"


async def test_aria_disabled_counts_as_disabled(session: BrowserSession, site: Site) -> None:
    await show(session, site, "<div role=button id=a aria-disabled=true>Go</div>")
    with pytest.raises(NotPresent) as caught:
        await found(session, css="#a", seconds=0.1)
    assert "disabled" in caught.value.diagnosis.found


async def test_find_goes_on_across_a_navigation(session: BrowserSession, site: Site) -> None:
    site.page("/next", "<h1 id=h>Arrived</h1>")
    await show(session, site, "<script>setTimeout(() => location = '/next', 200)</script>")
    assert await found(session, text="Arrived") == "h"


async def test_frames_in_frames_are_searched(session: BrowserSession, site: Site) -> None:
    site.page("/inner", "<button id=deep>Deep</button>")
    site.page("/outer", "<iframe src=/inner></iframe>")
    await show(session, site, "<iframe src=/outer></iframe>")
    hit = await session.find(Locator(role="button", text="Deep"), "act", timeout_seconds=3)
    await hit.element.click()
    assert await hit.element.get_attribute("id") == "deep"


async def test_main_frame_wins_then_document_order(session: BrowserSession, site: Site) -> None:
    site.page("/one", "<button id=one>Go</button>")
    site.page("/two", "<button id=two>Go</button>")
    await show(
        session,
        site,
        "<iframe id=f2 src=/two></iframe><script>const f = document.createElement('iframe'); f.src = '/one';"
        "document.body.prepend(f)</script>",
    )
    await session.page.wait_for_load_state("load")
    assert await found(session, text="Go") == "one"
    await session.page.evaluate(
        "document.body.append(Object.assign(document.createElement('b'), {id: 'm', textContent: 'Go'}))"
    )
    assert await found(session, text="Go") == "m"


@pytest.mark.parametrize("frame", ["#second", "two", "/framed/b"])
async def test_frame_is_named_by_css_name_or_url(session: BrowserSession, site: Site, frame: str) -> None:
    site.page("/framed/a", "<button id=a>Go</button>")
    site.page("/framed/b", "<button id=b>Go</button>")
    await show(
        session,
        site,
        "<iframe id=first name=one src=/framed/a></iframe><iframe id=second name=two src=/framed/b></iframe>",
    )
    assert await found(session, text="Go", frame=frame) == "b"


async def test_not_present_names_the_nearest(session: BrowserSession, site: Site) -> None:
    await show(session, site, "<button>Save draft</button><a href=#>Help</a><button>Send</button>")
    with pytest.raises(NotPresent) as caught:
        await found(session, role="button", text="Save it all", seconds=0.2)
    assert "role `button`, text `Save it all`" in caught.value.diagnosis.expected
    assert "button `Save draft`" in caught.value.diagnosis.found
    assert "Help" not in caught.value.diagnosis.found


async def test_hidden_match_is_reported_as_hidden(session: BrowserSession, site: Site) -> None:
    await show(
        session, site, "<p class=k style='display:none'>a</p><p class=k style='visibility:hidden'>b</p>"
    )
    with pytest.raises(NotPresent) as caught:
        await found(session, css=".k", seconds=0.1)
    assert caught.value.diagnosis.found == "matched 2 elements, of them 2 hidden"


async def test_covered_element_fails_and_names_the_cover(session: BrowserSession, site: Site) -> None:
    await show(
        session,
        site,
        "<button id=a>Go</button><div id=veil style='position:fixed;inset:0;background:#fffa'>wait</div>",
    )
    hit = await session.find(Locator(css="#a"), "act", timeout_seconds=1)
    with pytest.raises(BlockFailed) as caught:
        async with session.guard("click `Go`"):
            await hit.element.click(timeout=600)
    assert 'id="veil"' in caught.value.message


@pytest.mark.parametrize("fields", [{"css": "p[["}, {"xpath": "//p["}, {"role": "button >> css=p"}])
async def test_bad_locators_fail_at_once(session: BrowserSession, site: Site, fields: dict[str, str]) -> None:
    await show(session, site, "<p>a</p>")
    with pytest.raises(BlockFailed):
        await session.find(Locator.model_validate(fields), "act", timeout_seconds=600)


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        ("E-mail", "a"),
        ("Phone", "b"),
        ("Your city", "c"),
        ("zip_code", "d"),
        ("notes", "e"),
        ("zip", "d"),
        ("mail", "a"),
        ("größe", "f"),
        ('say "hi"', "g"),
        ("back\\slash", "h"),
    ],
)
async def test_key_names_a_form_field(session: BrowserSession, site: Site, key: str, wanted: str) -> None:
    await show(
        session,
        site,
        "<p id=notes>Notes</p><label>E-mail<input id=a></label><input id=b aria-label=Phone>"
        "<input id=c placeholder='Your city'><input id=d name=zip_code><textarea id=e name=notes></textarea>"
        "<input id=f name=größe><input id=g name='say \"hi\"'><input id=h name='back\\slash'>",
    )
    hit = await session.find_by_key(key, "act", timeout_seconds=1)
    assert await hit.element.get_attribute("id") == wanted
    assert hit.how == "key"


async def test_find_all_gives_every_match_and_looks_inside(session: BrowserSession, site: Site) -> None:
    await show(session, site, "<ul><li>a<b>1</b><li>b<b>2</b><li hidden>c</ul>")
    rows = await session.find_all(Locator(css="li"))
    assert [await row.text_content() for row in rows] == ["a1", "b2", "c"]
    inner = await session.find_all(Locator(css="b"), within=rows[1])
    assert [await item.inner_text() for item in inner] == ["2"]
    assert await session.find_all(Locator(css="i")) == []


@pytest.mark.slow
async def test_busy_frame_does_not_hold_up_the_search(session: BrowserSession, site: Site) -> None:
    site.page("/slow", "<p>slow</p>", delay=600)
    await session.goto(
        site.page("/", "<iframe src=/slow></iframe><button id=a>Go</button>"), wait_until="domcontentloaded"
    )
    assert await found(session, text="Go") == "a"
    with pytest.raises(NotPresent):
        await found(session, text="Other", seconds=0.5)
    await asyncio.sleep(0)


@pytest.mark.parametrize(
    "fields",
    [{"text": "5 claims"}, {"css": "button", "text": "5 claims"}, {"role": "button", "text": "5 claims"}],
)
async def test_a_number_is_not_found_inside_a_longer_one(
    session: BrowserSession, site: Site, fields: dict[str, str]
) -> None:
    await show(session, site, "<button>You have 25 claims</button>")
    assert await session.find_all(Locator.model_validate(fields)) == []
    await show(session, site, "<button>You have 5 Claims today</button>")
    assert len(await session.find_all(Locator.model_validate(fields))) == 1

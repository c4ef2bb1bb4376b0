"""The rules that all readers of pages share."""

from typing import Any

import pytest

from pagehand.blocks.page.controls import model_reading
from pagehand.browser import BrowserSession
from pagehand.engine.run import conditions
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom

pytestmark = pytest.mark.anyio

PAGE = """<!doctype html><body>
<div id=card><template shadowrootmode=open><h2 id=t><slot name=title>None</slot></h2><p>Total 5</p></template>
<span slot=title>Invoice</span>loose</div>
<p id=mixed>Seen <b hidden>not</b><i class=material-icons>delete</i><span aria-hidden=true>decor</span>
<textarea>typed</textarea><select><option>A</option><option selected>B</option></select></p>
<input id=go type=image alt=Go src=""><button id=cut><svg><title>Cut</title></svg></button>
<span id=said>Full name</span><input id=name aria-labelledby=said placeholder=Ada>
<input id=trap style="opacity:0"><select id=many multiple></select><a id=anchor>here</a>
"""


async def ask(session: BrowserSession, body: str) -> Any:
    await session.page.set_content(PAGE)
    return await session.page.evaluate(
        on_dom(f"(dom) => {{ const by = (id) => document.getElementById(id); {body} }}")
    )


@pytest.mark.parametrize(
    ("id_", "seen", "unseen"),
    [
        ("card", "Invoice Total 5", "Invoice loose None Total 5"),
        ("mixed", "Seen", "Seen not delete decor A B"),
    ],
)
async def test_text_is_what_a_reader_sees_unless_all_words_are_wanted(
    session: BrowserSession, id_: str, seen: str, unseen: str
) -> None:
    read = (
        "return [false, true].map((includeHidden) =>"
        f" dom.textPieces(by('{id_}'), {{includeHidden}}).join(' '))"
    )
    assert await ask(session, read) == [seen, unseen]


async def test_names_come_from_the_strongest_source(session: BrowserSession) -> None:
    read = "return ['go', 'cut', 'name'].map((id) => dom.nameOf(by(id), dom.textReader({maxLength: 99})))"
    assert await ask(session, read) == ["Go", "Cut", "Full name"]


async def test_what_no_person_can_reach_is_drawn_but_a_trap(session: BrowserSession) -> None:
    assert await ask(session, "return [dom.isDrawn(by('trap')), dom.isReachable(by('trap'))]") == [
        True,
        False,
    ]


async def test_roles_are_those_of_accessibility(session: BrowserSession) -> None:
    read = "return ['go', 'many', 'anchor'].map((id) => dom.roleOf(by(id)))"
    assert await ask(session, read) == ["button", "listbox", ""]


async def test_selectors_reach_into_shadow_roots(session: BrowserSession) -> None:
    read = "return [dom.selectAll('h2').length, dom.flatParentOf(dom.selectAll('[slot=title]')[0]).localName]"
    assert await ask(session, read) == [1, "slot"]


async def test_an_element_without_a_box_is_drawn_where_its_content_is(session: BrowserSession) -> None:
    await session.page.set_content(
        "<div id=full style='display:contents'><b>Paid</b></div>"
        "<div id=bare style='display:contents'></div><div id=flat style='height:0'></div>"
    )
    drawn = await session.page.evaluate(
        on_dom("(dom, ids) => ids.map((id) => dom.isDrawn(document.getElementById(id)))"),
        ["full", "bare", "flat"],
    )
    assert drawn == [True, False, False]


async def test_elements_as_drawn_include_those_in_slots_and_shadow_roots(session: BrowserSession) -> None:
    read = "return [...dom.flatElements(by('card'))].map((el) => el.localName)"
    assert await ask(session, read) == ["h2", "slot", "span", "p"]


async def test_conditions_see_what_is_drawn_and_the_selected_option(session: BrowserSession) -> None:
    look = on_dom(load_script(conditions.__file__, "element_states"))
    await session.page.set_content(
        "<p style='height:0'></p><select><option>Open<option selected>Paid</select>"
    )
    states = await session.page.locator("p, select").evaluate_all(look)
    assert [(state["visible"], state["text"]) for state in states] == [(False, ""), (True, "Paid")]


async def test_the_outline_for_a_model_includes_what_is_in_slots(session: BrowserSession) -> None:
    outline = on_dom(load_script(model_reading.__file__, "outline"))
    await session.page.set_content(PAGE)
    assert "Invoice" in await session.page.locator("#card").evaluate(outline)

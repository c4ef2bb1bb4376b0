"""Rows, columns, sections, neighbours and kinds: what words say beside a name, on pages made to mislead."""

from collections.abc import AsyncGenerator

import pytest
from playwright.async_api import Page

from pagehand.browser.live_snapshot import LiveSnapshot, take_live_snapshot
from pagehand.errors import NotPresent
from pagehand.page.phrases import NotClear, TargetKind, resolve
from support.shared_browser import SharedBrowser

from . import cards, office, ordinary, spoken

pytestmark = pytest.mark.anyio

TABLE_WITH_TD_HEADINGS = """<style>.h td{background:#ccc}</style><table>
<tr class=h><td>Claim</td><td>Status</td><td>Amount</td><td>Note</td><td></td></tr>
<tr><td>ACME-16</td><td id=s1>open</td><td>10</td><td><input id=n1></td>
  <td><button id=d1>Delete</button></td></tr>
<tr><td>ACME-17</td><td id=s2>paid</td><td>20</td><td><input id=n2></td>
  <td><button id=d2>Delete</button><button id=e2>Edit</button></td></tr></table>"""
CARDS = """<div class=cards>
<div class=card><h3>Standard</h3><p>Delete rules: Controlled</p><button id=x1>Edit</button></div>
<div class=card><h3>Controlled</h3><p>Standard</p><button id=x2>Edit</button>
<button id=y2>Delete</button></div></div>"""
UNHEADED_CARD = """<div class=cards><div class=card><h3>Standard</h3><button id=x1>Edit</button></div>
<div class=card><p>Other</p><button id=y2>Delete</button></div></div>"""
FLAT_SECTIONS = """<h2>Standard</h2><p>Controlled</p><button id=a1>Edit</button>
<h2>Controlled</h2><button id=a2>Edit</button><button id=a3>Delete</button>"""
NAMES = """<form><label>First name <input id=f></label><label>Last name <input id=l></label>
<input id=c placeholder="Company name"></form>"""
KINDS = """<button id=ar>Add row</button><a id=pl href=#>Price list</a><button id=nt>New tab</button>
<button id=new>New</button><button id=ii>Insert image</button><button id=save>Save</button>
<table><tr><td>Add</td><td>1</td></tr><tr><td>Price</td><td>2</td></tr></table><ul><li>Price</li></ul>"""
ROWS_OF_DIVS = """<div class=list>
<div class=item><span>Alpha</span><a class=go onclick="1" id=g1>Open</a></div>
<div class=item><span>Beta</span><a class=go onclick="1" id=g2>Open</a><button id=u2>Unique</button></div>
<div class=item><span>Gamma</span><a class=go onclick="1" id=g3>Open</a></div></div>"""
TITLE_BARS = """<div><div class=head><h5>Billing: (EU)</h5><button id=t1>Tools</button></div>
<div class=body><label>Street<input id=b1></label></div></div>
<div><div class=head><h5>Shipping!</h5><button id=t2>Tools</button></div>
<div class=body><label>Street<input id=b2></label></div></div>"""
TWO_BUTTONS = """<ul><li>X <button id=p>Pay</button><a class="btn" href=# id=q>Reject</a></li>
<li>Y <button id=r>Pay</button></li></ul>"""
GRID = """<div role=grid>
<div role=row><span role=columnheader>Name</span><span role=columnheader>Qty</span></div>
<div role=row><span role=gridcell>Nut</span><span role=gridcell><input id=i1></span></div>
<div role=row><span role=gridcell>Bolt</span><span role=gridcell><input id=i2></span></div></div>"""
NEIGHBOURS = """<style>div{display:flex;justify-content:space-between}</style>
<p>I agree <input type=checkbox id=c1></p><div><h3>Invoices</h3><button id=v1>FrameSnapshot all</button></div>
<div><h3>Orders</h3><button id=v2>FrameSnapshot all</button></div>"""
BUDGETS = """<table><tr><th>Project</th><th>Budget</th></tr>
<tr><td>Slack</td><td id=k1><p>$2,500</p></td></tr><tr><td>Jira</td><td id=k2><p>$90</p></td></tr></table>"""
SORTED = """<p><a href=# id=facet>country</a></p><table><thead><tr><th><a href=#>name</a></th>
<th><a href=#>country</a></th></tr></thead><tr><td>River 1</td><td id=y1>Chad</td></tr>
<tr><td>River 2</td><td id=y2>Brazil</td></tr></table>"""
ICON_FONT = """<ul><li><b>Ann</b> <button id=k1><i class=material-icons>delete</i>Delete</button></li>
<li><b>Bob</b> <button id=k2><i class=material-icons>delete</i>Delete</button></li></ul>
<button id=k3><i class="material-icons md">picture_as_pdf</i>PDF</button>"""
ROW_WITHOUT = """<ul><li><b>News</b><input type=checkbox></li><li><b>Account</b></li></ul>"""
COLUMN = """<div class=column><div class=panel><h3>Budget</h3><button title=Collapse>-</button></div>
<div class=panel><h3>Files</h3></div></div>
<div class=panel><h3>General</h3><button title=Collapse>-</button></div>"""
LAYOUT = """<div class=col><div><h3>A</h3><button title=Fold>-</button></div></div><div class=col>
<div><h3>B</h3><button title=Fold>-</button></div><div><h3>C</h3><a href=#>x</a></div></div>"""
REPEATED = (
    "<input type=password placeholder='Repeat password'><h2>Select a book to change</h2><a href=#>Price</a>"
)
LINKS = "".join(f"<button>{name}</button>" for name in "ABCDEFGHIJ")
ONE_LINK = "<h2>Divider</h2><p><a href=#>An element</a></p><h2>Other</h2><button>Button</button>"
LONG_LABEL = """<label><input type=checkbox> Select this object for an action - Book 07</label>
<a href=# id=m>All reports</a>"""
MAILBOX = """<ul><li><a href=#>Compose mail</a><p><label><input type=checkbox id=all> Mailbox</label></p>
<table><tr><td><input type=checkbox id=k1></td><td>Ann</td><td>25 December</td></tr>
<tr><td><input type=checkbox id=k2></td><td>Bo</td><td>20 December</td></tr>
<tr><td><input type=checkbox id=k3></td><td>Cy</td><td>20 December</td></tr></table></li>
<li><a href=#>Compose note</a><p>Notes</p></li></ul>"""

MEANT = [
    (MAILBOX, "the checkbox of 25 December", "k1"),
    (BUDGETS, "the Budget of Slack", "k1"),
    (SORTED, "the country in the row of River 2", "y2"),
    (ICON_FONT, "Delete in the row of Bob", "k2"),
    (ICON_FONT, "PDF", "k3"),
    (TABLE_WITH_TD_HEADINGS, "Delete in the first row", "d1"),
    (TABLE_WITH_TD_HEADINGS, "the Delete button in the second row", "d2"),
    (TABLE_WITH_TD_HEADINGS, "the Note in the first row", "n1"),
    (TABLE_WITH_TD_HEADINGS, "the Note field in the row of ACME-17", "n2"),
    (TABLE_WITH_TD_HEADINGS, "Status in the row of ACME-17", "s2"),
    (TABLE_WITH_TD_HEADINGS, "the button in the row of ACME-16", "d1"),
    (CARDS, "Edit under Standard", "x1"),
    (CARDS, "Edit in the Controlled section", "x2"),
    (CARDS, "Delete under Controlled", "y2"),
    (CARDS, "Edit in the Standard card", "x1"),
    (CARDS, "Edit in the second card", "x2"),
    (FLAT_SECTIONS, "Edit under Standard", "a1"),
    (FLAT_SECTIONS, "Edit in the Controlled section", "a2"),
    (NAMES, "first name", "f"),
    (NAMES, "the company name field", "c"),
    (KINDS, "Add row", "ar"),
    (KINDS, "click Price list", "pl"),
    (KINDS, "click New tab", "nt"),
    (KINDS, "Insert image", "ii"),
    (KINDS, "the New button", "new"),
    (KINDS, "Save button", "save"),
    (KINDS, "the Save button", "save"),
    (ROWS_OF_DIVS, "Open in the row of Beta", "g2"),
    (ROWS_OF_DIVS, "Open in the last row", "g3"),
    (ROWS_OF_DIVS, "Open next to Gamma", "g3"),
    (ROWS_OF_DIVS, "Unique in the row of Beta", "u2"),
    (ROWS_OF_DIVS, "the link in the row of Alpha", "g1"),
    (TITLE_BARS, "Street in the Billing (EU) section", "b1"),
    (TITLE_BARS, "Street under Shipping", "b2"),
    (TITLE_BARS, "Tools next to Shipping!", "t2"),
    (TWO_BUTTONS, "the button in the row of Y", "r"),
    (GRID, "Qty in the row of Bolt", "i2"),
    (GRID, "Qty in the first row", "i1"),
    (NEIGHBOURS, "FrameSnapshot all beside Invoices", "v1"),
    (NEIGHBOURS, "FrameSnapshot all next to Orders", "v2"),
    (NEIGHBOURS, "the checkbox next to I agree", "c1"),
]
REFUSED = [
    (MAILBOX, "the checkbox of the mail of 20 December"),
    (MAILBOX, "the checkbox of the mail of 24 December"),
    (SORTED, "country in the row of River 9"),
    (ROW_WITHOUT, "the checkbox next to Account"),
    (COLUMN, "Collapse in the Files panel"),
    (ONE_LINK, "Button in the Divider section"),
    (LAYOUT, "Fold in the C card"),
    (REPEATED, "password"),
    (REPEATED, "the price of book"),
    (LINKS, "the second button"),
    (LONG_LABEL, "Book 07"),
    (LONG_LABEL, "all"),
    (TABLE_WITH_TD_HEADINGS, "the button in the row of ACME-17"),
    (TABLE_WITH_TD_HEADINGS, "Edit in the row of ACME-16"),
    (TABLE_WITH_TD_HEADINGS, "Delete in the third row"),
    (TABLE_WITH_TD_HEADINGS, "the Status"),
    (CARDS, "Delete under Standard"),
    (CARDS, "the first Edit in the Controlled section"),
    (UNHEADED_CARD, "Delete under Standard"),
    (UNHEADED_CARD, "Delete in the Standard section"),
    (FLAT_SECTIONS, "Delete under Standard"),
    (FLAT_SECTIONS, "the first Edit in the Controlled section"),
    (NAMES, "the name field"),
    (NAMES, "name"),
    (KINDS, "Save list"),
    (KINDS, "Add image"),
    (KINDS, "Insert row"),
    (ROWS_OF_DIVS, "Unique in the row of Alpha"),
    (TITLE_BARS, "Street"),
    (TWO_BUTTONS, "the button in the row of X"),
]


class WordReader:
    """One tab for all; a page is looked at once for all of its phrases."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._snapshots: dict[str, LiveSnapshot] = {}
        self._shown = ""

    async def snapshot(self, html: str) -> LiveSnapshot:
        if self._shown != html:
            await self.page.set_content(f"<!doctype html>{html}", wait_until="load")
            self._snapshots[html], self._shown = await take_live_snapshot(self.page), html
        return self._snapshots[html]


@pytest.fixture(scope="module")
async def reader(shared: SharedBrowser) -> AsyncGenerator[WordReader]:
    session = await shared.take()
    yield WordReader(session.page)
    await session.end()


FLEET = """<h1>Vehicles</h1>
<table><tr><th>Vehicle</th><th>Driver</th><th>Mileage</th><th></th></tr>
<tr><td>KX-118</td><td>Ines Moro</td><td><input id=m1></td>
<td><button id=t1>Text</button> <button id=a1>Assign</button></td></tr>
<tr><td>KX-204</td><td>Paul Stein</td><td><input id=m2></td><td><button id=t2>Text</button></td></tr></table>
<dl><dt>Tax group</dt><dd id=tax>Vans</dd><dt>Inspection</dt><dd id=inspection>March 2027</dd></dl>
<div><span>Fuel so far</span><b id=fuel>1,204 l</b></div>
<div><span>Depot</span><p id=depot>Harbour</p><span>Fleet manager</span><p id=boss>Ada Lund</p></div>
<div><span>Mara Klein</span><span>Dispatcher</span></div>
<button>Invoice</button>"""
LOOSE = [
    ("Text of vehicle KX-204", "t2"),
    ("the mileage figure of KX-118", "m1"),
    ("Mileage for vehicle KX-204", "m2"),
    ("Assign to Ines Moro", "a1"),
    ("tax group", "tax"),
    ("the inspection date", "inspection"),
    ("fuel so far", "fuel"),
    ("Fleet manager", "boss"),
]
LOOSE_REFUSED = [
    "Assign to Paul Stein",
    "Text of lorry KX-204",
    "Text of vehicle KX-999",
    "the invoice number",
    "Mara Klein",
    "the mileage date",
]


@pytest.mark.parametrize(("phrase", "wanted"), LOOSE)
async def test_words_beside_what_is_meant_do_not_hide_it(
    reader: WordReader, phrase: str, wanted: str
) -> None:
    await test_words_mean_what_stands_where_they_say(reader, FLEET, phrase, wanted)


@pytest.mark.parametrize("phrase", LOOSE_REFUSED)
async def test_words_that_are_needed_are_not_left_out(reader: WordReader, phrase: str) -> None:
    await test_words_that_reach_elsewhere_are_refused(reader, FLEET, phrase)


@pytest.mark.parametrize(("html", "phrase", "wanted"), [*MEANT, *cards.MEANT, *office.MEANT])
async def test_words_mean_what_stands_where_they_say(
    reader: WordReader, html: str, phrase: str, wanted: str
) -> None:
    await test_ordinary_words_mean_what_people_mean(reader, html, "shown", phrase, wanted)


@pytest.mark.parametrize(("html", "kind", "phrase", "wanted"), [*ordinary.MEANT, *spoken.MEANT])
async def test_ordinary_words_mean_what_people_mean(
    reader: WordReader, html: str, kind: TargetKind, phrase: str, wanted: str
) -> None:
    live = await reader.snapshot(html)
    candidate = resolve(phrase, live.snapshot, kind).candidate
    assert await live.handles[0].evaluate("(listed, at) => listed.elements[at].id", candidate.index) == wanted


@pytest.mark.parametrize(("html", "phrase"), [*REFUSED, *cards.REFUSED, *office.REFUSED])
async def test_words_that_reach_elsewhere_are_refused(reader: WordReader, html: str, phrase: str) -> None:
    await test_what_a_neighbour_has_is_not_taken(reader, html, "shown", phrase)


@pytest.mark.parametrize(("html", "kind", "phrase"), [*ordinary.REFUSED, *spoken.REFUSED])
async def test_what_a_neighbour_has_is_not_taken(
    reader: WordReader, html: str, kind: TargetKind, phrase: str
) -> None:
    live = await reader.snapshot(html)
    with pytest.raises((NotPresent, NotClear)):
        resolve(phrase, live.snapshot, kind)

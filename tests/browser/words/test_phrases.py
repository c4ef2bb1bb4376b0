"""Words find the element they mean or are refused; none is ever taken for another."""

import time
from collections.abc import AsyncGenerator

import pytest

from browser.conftest import Kept
from browser.words.pages import FRAMES, PLAIN, TABLE
from browser.words.phrases import MEANT, REFUSED
from pagehand.browser import BrowserPool, BrowserSession
from pagehand.errors import BlockFailed, NotPresent
from pagehand.page.phrases import NotClear, Snapshot, resolve

pytestmark = pytest.mark.anyio


class Shelf:
    """One browser for all; a page is shown once and looked at for all of its phrases."""

    def __init__(self, session: BrowserSession) -> None:
        self.session = session
        self.shown = ""
        self.snapshots: dict[str, Snapshot] = {}

    async def show(self, page: str) -> None:
        if self.shown != page:
            await self.session.page.goto("about:blank")
            await self.session.page.set_content(page, wait_until="load")
            self.shown = page

    async def snapshot(self, page: str) -> Snapshot:
        if page not in self.snapshots:
            await self.show(page)
            self.snapshots[page] = await self.session.word_snapshot()
        return self.snapshots[page]


@pytest.fixture(scope="module")
async def shelf(pool: BrowserPool, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Shelf]:
    session = await pool.take(Kept(tmp_path_factory.mktemp("kept")).options())
    yield Shelf(session)
    await session.end()


@pytest.mark.parametrize(("page", "phrase", "wanted"), MEANT, ids=[phrase for _, phrase, _ in MEANT])
async def test_the_element_meant_is_found_and_its_locator_leads_back(
    shelf: Shelf, page: str, phrase: str, wanted: str
) -> None:
    await shelf.show(page)
    found = await shelf.session.find_by_words(phrase, "touch", timeout_seconds=1)
    assert await found.element.get_attribute("data-is") == wanted
    assert found.how == "words"
    locator = await shelf.session.locate_by_words(phrase, timeout_seconds=1)
    again = await shelf.session.find(locator, "touch", timeout_seconds=1)
    assert (again.matches, await again.element.get_attribute("data-is")) == (1, wanted)


@pytest.mark.parametrize(("page", "phrase", "wanted"), MEANT, ids=[phrase for _, phrase, _ in MEANT])
async def test_a_kept_snapshot_gives_a_locator_of_the_element_meant(
    shelf: Shelf, page: str, phrase: str, wanted: str
) -> None:
    snapshot = await shelf.snapshot(page)
    await shelf.show(page)
    again = await shelf.session.find(resolve(phrase, snapshot).locator, "touch", timeout_seconds=1)
    assert await again.element.get_attribute("data-is") == wanted


@pytest.mark.parametrize(("page", "phrase"), REFUSED, ids=[phrase or "no words" for _, phrase in REFUSED])
async def test_words_that_do_not_lead_to_one_element_are_refused(
    shelf: Shelf, page: str, phrase: str
) -> None:
    snapshot = await shelf.snapshot(page)
    with pytest.raises((NotPresent, NotClear)):
        resolve(phrase, snapshot)


async def test_a_refusal_says_what_was_understood_what_is_left_and_what_is_near(shelf: Shelf) -> None:
    snapshot = await shelf.snapshot(PLAIN)
    with pytest.raises(NotPresent) as caught:
        resolve("the blue Save button", snapshot)
    assert "nothing on the page explains `blue`" in caught.value.message
    assert "nearest: button `Save`" in caught.value.message
    assert caught.value.diagnosis.expected == "button called `blue save`"


async def test_several_that_fit_are_listed_with_what_tells_them_apart(shelf: Shelf) -> None:
    with pytest.raises(NotClear) as caught:
        resolve("the Delete button", await shelf.snapshot(TABLE))
    assert caught.value.message.startswith("`the Delete button` could mean 3 elements: ")
    assert "button `Delete` in the row of `acme 17`" in caught.value.message


async def test_negated_words_are_refused_for_being_negated(shelf: Shelf) -> None:
    with pytest.raises(NotClear, match="`except` says what is not meant"):
        resolve("any button except Save", await shelf.snapshot(PLAIN))


async def test_a_row_is_named_by_its_words_in_the_locator(shelf: Shelf) -> None:
    await shelf.show(TABLE)
    locator = await shelf.session.locate_by_words("Delete in the row of ACME-17", timeout_seconds=1)
    await shelf.session.page.evaluate("document.querySelector('tbody tr').remove()")
    shelf.shown = ""
    found = await shelf.session.find(locator, "act", timeout_seconds=1)
    assert await found.element.get_attribute("data-is") == "delete-17"


async def test_the_locator_of_an_element_in_a_frame_names_the_frame(shelf: Shelf) -> None:
    await shelf.show(FRAMES)
    locator = await shelf.session.locate_by_words("card number", timeout_seconds=1)
    assert locator.frame is not None
    await shelf.session.find(locator, "act", timeout_seconds=1)


async def test_a_late_element_is_waited_for(shelf: Shelf) -> None:
    await shelf.show(
        "<div id=x></div><script>setTimeout(() => { x.innerHTML = "
        "'<button data-is=late>Send report</button>' }, 400)</script>"
    )
    found = await shelf.session.find_by_words("send report", "act", timeout_seconds=5)
    assert await found.element.get_attribute("data-is") == "late"


async def test_a_better_name_that_comes_late_wins_over_a_part_of_another(shelf: Shelf) -> None:
    await shelf.show(
        "<button data-is=part>Export as list</button><div id=x></div><script>setTimeout(() => { "
        "x.innerHTML = '<button data-is=whole>Export</button>' }, 150)</script>"
    )
    found = await shelf.session.find_by_words("Export", "act", timeout_seconds=5)
    assert await found.element.get_attribute("data-is") == "whole"


async def test_a_disabled_element_is_waited_for_and_then_named(shelf: Shelf) -> None:
    await shelf.show("<button disabled>Send report</button>")
    with pytest.raises(NotPresent, match="button `Send report`, but it is disabled"):
        await shelf.session.find_by_words("send report", "act", timeout_seconds=0.3)


@pytest.mark.slow
async def test_what_could_be_several_is_refused_soon(shelf: Shelf) -> None:
    await shelf.show(TABLE)
    began = time.monotonic()
    with pytest.raises(BlockFailed):
        await shelf.session.find_by_words("Delete", "act", timeout_seconds=30)
    assert time.monotonic() - began < 10

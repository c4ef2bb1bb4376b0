"""Words find the element they mean or are refused; none is ever taken for another."""

import pytest

from browser.words.pages import FRAMES, PLAIN, TABLE
from browser.words.phrases import MEANT, REFUSED
from pagehand.browser import BrowserSession
from pagehand.browser.word_finder import WordFinder
from pagehand.errors import BlockFailed, NotPresent
from pagehand.page.phrases import NotClear, Snapshot, resolve
from pagehand.workflow.locator import Locator

pytestmark = pytest.mark.anyio


class PhrasePages:
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
            self.snapshots[page] = await self.session.take_snapshot()
        return self.snapshots[page]


@pytest.fixture(scope="module")
def pages(kept_session: BrowserSession) -> PhrasePages:
    return PhrasePages(kept_session)


async def locator_of(pages: PhrasePages, phrase: str) -> Locator:
    """A locator that leads to the element the words mean, and to no other."""
    finder = WordFinder(lambda: pages.session.page)
    return (await finder.find(Locator(words=phrase), "see", "control", timeout_seconds=10)).locator


@pytest.mark.parametrize(("page", "phrase", "wanted"), MEANT, ids=[phrase for _, phrase, _ in MEANT])
async def test_the_element_meant_is_found_and_its_locator_leads_back(
    pages: PhrasePages, page: str, phrase: str, wanted: str
) -> None:
    await pages.show(page)
    found = await pages.session.find(Locator(words=phrase), "touch", kind="control", timeout_seconds=10)
    assert await found.element.get_attribute("data-is") == wanted
    assert found.how == "words"
    locator = await locator_of(pages, phrase)
    again = await pages.session.find(locator, "touch", timeout_seconds=10)
    assert (again.matches, await again.element.get_attribute("data-is")) == (1, wanted)


@pytest.mark.parametrize(("page", "phrase", "wanted"), MEANT, ids=[phrase for _, phrase, _ in MEANT])
async def test_a_kept_snapshot_gives_a_locator_of_the_element_meant(
    pages: PhrasePages, page: str, phrase: str, wanted: str
) -> None:
    snapshot = await pages.snapshot(page)
    await pages.show(page)
    again = await pages.session.find(resolve(phrase, snapshot).locator, "touch", timeout_seconds=10)
    assert await again.element.get_attribute("data-is") == wanted


@pytest.mark.parametrize(("page", "phrase"), REFUSED, ids=[phrase or "no words" for _, phrase in REFUSED])
async def test_words_that_do_not_lead_to_one_element_are_refused(
    pages: PhrasePages, page: str, phrase: str
) -> None:
    snapshot = await pages.snapshot(page)
    with pytest.raises((NotPresent, NotClear)):
        resolve(phrase, snapshot)


async def test_a_refusal_says_what_was_understood_what_is_left_and_what_is_near(pages: PhrasePages) -> None:
    snapshot = await pages.snapshot(PLAIN)
    with pytest.raises(NotPresent) as caught:
        resolve("the blue Save button", snapshot)
    assert "nothing on the page explains `blue`" in caught.value.message
    assert "nearest: button `Save`" in caught.value.message
    assert caught.value.diagnosis.expected == "button called `blue save`"


async def test_several_that_fit_are_listed_with_what_tells_them_apart(pages: PhrasePages) -> None:
    with pytest.raises(NotClear) as caught:
        resolve("the Delete button", await pages.snapshot(TABLE))
    assert caught.value.message.startswith("`the Delete button` could mean 3 elements: ")
    assert "button `Delete` in the row of `acme 17`" in caught.value.message


async def test_negated_words_are_refused_for_being_negated(pages: PhrasePages) -> None:
    with pytest.raises(NotClear, match="`except` says what is not meant"):
        resolve("any button except Save", await pages.snapshot(PLAIN))


async def test_a_row_is_named_by_its_words_in_the_locator(pages: PhrasePages) -> None:
    await pages.show(TABLE)
    locator = await locator_of(pages, "Delete in the row of ACME-17")
    await pages.session.page.evaluate("document.querySelector('tbody tr').remove()")
    pages.shown = ""
    found = await pages.session.find(locator, "act", timeout_seconds=1)
    assert await found.element.get_attribute("data-is") == "delete-17"


async def test_the_last_of_five_hundred_rows_is_listed(pages: PhrasePages) -> None:
    row = "<tr><td>ACME-{0}</td><td>Customer {0}</td><td><input></td><td><button>Save</button></td></tr>"
    rows = "".join(row.format(number) for number in range(500))
    await pages.show(f"<table><tr><th>Claim<th>Name<th>Note<th></tr>{rows}</table>")
    snapshot = await pages.session.take_snapshot()
    assert resolve("Save in the row of ACME-499", snapshot).candidate.path.startswith("html")
    assert resolve("the Note field in the last row", snapshot).candidate.row == snapshot.candidates[-1].row


async def test_the_locator_of_an_element_in_a_frame_names_the_frame(pages: PhrasePages) -> None:
    await pages.show(FRAMES)
    locator = await locator_of(pages, "card number")
    assert locator.frame is not None
    await pages.session.find(locator, "act", timeout_seconds=1)


async def test_a_late_element_is_waited_for(pages: PhrasePages) -> None:
    await pages.show(
        "<div id=x></div><script>setTimeout(() => { x.innerHTML = "
        "'<button data-is=late>Send report</button>' }, 400)</script>"
    )
    found = await pages.session.find(Locator(words="send report"), "act", kind="control", timeout_seconds=5)
    assert await found.element.get_attribute("data-is") == "late"


async def test_a_better_name_that_comes_late_wins_over_a_part_of_another(pages: PhrasePages) -> None:
    await pages.show(
        "<button data-is=part>Export as list</button><div id=x></div><script>setTimeout(() => { "
        "x.innerHTML = '<button data-is=whole>Export</button>' }, 150)</script>"
    )
    found = await pages.session.find(Locator(words="Export"), "act", kind="control", timeout_seconds=5)
    assert await found.element.get_attribute("data-is") == "whole"


async def test_a_disabled_element_is_waited_for_and_then_named(pages: PhrasePages) -> None:
    await pages.show("<button disabled>Send report</button>")
    with pytest.raises(NotPresent, match="button `Send report`, but it is disabled"):
        await pages.session.find(Locator(words="send report"), "act", kind="control", timeout_seconds=0.3)


@pytest.mark.slow
async def test_what_could_be_several_is_refused_soon(pages: PhrasePages) -> None:
    await pages.show(TABLE)
    with pytest.raises(BlockFailed):
        await pages.session.find(Locator(words="Delete"), "act", kind="control", timeout_seconds=600)

"""The page in words, for a model: what is on it, each thing with a reference by which it can be named."""

import asyncio
from typing import Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Page

from pagehand.browser.healing.lasting import lasting_locator
from pagehand.browser_session import Found
from pagehand.errors import NotPresent
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom
from pagehand.page.page_loss import is_page_lost
from pagehand.secrets.masks import HIDDEN
from pagehand.secrets.redactor import Redactor
from pagehand.workflow.locator import Locator

_SECONDS: Final = 10.0
# what stands in password and code fields, and in those that were masked because a secret was typed there
_VALUES: Final = on_dom(load_script(__file__, "field_values"))


async def describe(page: Page) -> str:
    """Address, title and the tree of what is shown; secrets in fields read `***`."""
    async with asyncio.timeout(_SECONDS):
        tree = await page.aria_snapshot(mode="ai", timeout=_SECONDS * 1000)
        secrets = await _secrets(page)
        for secret in sorted(secrets, key=len, reverse=True):
            tree = tree.replace(secret, HIDDEN)
        # the tree quotes values with signs such as `"`, so that they do not read as they were typed
        return Redactor(secrets).text(f"Address: {page.url}\nTitle: {await page.title()}\n\n{tree}")


async def by_reference(page: Page, reference: str) -> tuple[Found, Locator]:
    """The element that the latest description calls so, and a locator that leads to it alone."""
    element = page.get_by_ref(reference)
    try:
        handle = await element.element_handle(timeout=1000)
        frame = await handle.owner_frame()
        locator = await lasting_locator(frame, handle) if frame is not None else None
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        locator = None
    if locator is None:
        raise NotPresent(f"Nothing on the page is called `{reference}` any more; look at it again.")
    return Found(element, 1, "reference"), locator


async def _secrets(page: Page) -> set[str]:
    return {secret for frame in page.frames for secret in await _secrets_of(frame)}


async def _secrets_of(frame: Frame) -> list[str]:
    try:
        return await frame.evaluate(_VALUES)
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        return []  # a frame that went away shows nothing either

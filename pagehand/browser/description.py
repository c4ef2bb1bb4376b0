"""The page in words, for a model: everything on it, each with a reference to name it by."""

import asyncio
from typing import Final

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Page

from pagehand.browser.healing.stable_locator import stable_locator
from pagehand.browser_session import FoundElement
from pagehand.errors import NotPresent
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom_core
from pagehand.page.page_loss import is_page_lost
from pagehand.secrets.masks import HIDDEN
from pagehand.secrets.redactor import Redactor
from pagehand.workflow.locator import Locator

_SECONDS: Final = 10.0
# the values of password and code fields, and of those masked because a secret was typed there
_SECRET_VALUES: Final = on_dom_core(load_script(__file__, "secret_values"))


async def describe(page: Page) -> str:
    """Address, title and the tree of what is shown; secrets in fields become `***`."""
    async with asyncio.timeout(_SECONDS):
        tree = await page.aria_snapshot(mode="ai", timeout=_SECONDS * 1000)
        secrets = await _secrets(page)
        for secret in sorted(secrets, key=len, reverse=True):
            tree = tree.replace(secret, HIDDEN)
        # the tree escapes signs such as `"`, so that values differ from what was typed
        return Redactor(secrets).text(f"Address: {page.url}\nTitle: {await page.title()}\n\n{tree}")


async def find_by_reference(page: Page, reference: str) -> tuple[FoundElement, Locator]:
    """The element with a reference of the latest description, and a locator that leads to it alone."""
    element = page.get_by_ref(reference)
    try:
        handle = await element.element_handle(timeout=1000)
        frame = await handle.owner_frame()
        locator = await stable_locator(frame, handle) if frame is not None else None
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        locator = None
    if locator is None:
        raise NotPresent(f"No element has the reference `{reference}` any more; look at the page again.")
    return FoundElement(element, 1, "reference"), locator


async def _secrets(page: Page) -> set[str]:
    return {secret for frame in page.frames for secret in await _secrets_of(frame)}


async def _secrets_of(frame: Frame) -> list[str]:
    try:
        return await frame.evaluate(_SECRET_VALUES)
    except PlaywrightError as error:
        if is_page_lost(error):
            raise
        return []  # a frame that went away shows nothing either

"""Keeps JavaScript of a workflow and the secrets of logins apart.

The JavaScript is refused while a field holds a secret that was typed, and where it has run, no secret is
typed: it can change its page, other tabs and frames of the same origin, and the origin's service worker.
Redaction is no protection from it, because it can send a secret in any form.
"""

import asyncio
from collections.abc import Callable
from typing import Final
from urllib.parse import unquote_plus

from playwright.async_api import ElementHandle, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.tabs import Tabs
from pagehand.errors import BlockFailed, Diagnosis
from pagehand.javascript import load_script

_CLEAR_SECONDS: Final = 2.0
_UNLIKELY_BY_CHANCE: Final = 6
"""Shorter texts may be in other fields and addresses by chance."""
_FIELDS: Final = load_script(__file__, "typed_secrets")


class TypedSecrets:
    """The fields of a session that hold secrets, and where JavaScript of the workflow has run."""

    def __init__(self, tabs: Tabs) -> None:
        self._tabs = tabs
        self._fields: list[tuple[ElementHandle, str]] = []
        self._texts: set[str] = set()
        self.scripted: set[str] = set()
        """The addresses on which JavaScript of the workflow has run."""

    @property
    def may_be_held(self) -> bool:
        """False when no field can hold a secret."""
        return bool(self._fields)

    def add(self, field: ElementHandle, text: str) -> None:
        """`text`, a secret, is about to be typed into `field`."""
        self._fields.append((field, text))
        if len(text) >= _UNLIKELY_BY_CHANCE:
            self._texts.add(text)

    async def clear(self) -> None:
        """Empty the fields that hold secrets; one whose page does not answer still counts as holding one."""
        try:
            async with asyncio.timeout(_CLEAR_SECONDS):
                await self._read(clear=True)
        except TimeoutError:
            return

    async def raise_if_held(self) -> None:
        """`BlockFailed` while a field, or the address of a page, holds a secret."""
        urls = [frame.url for page in self._tabs.all for frame in page.frames]
        if any(text in unquote_plus(url) for text in self._texts for url in urls):
            raise _refusal("the address of an open page holds")
        if await self._read(clear=False):
            raise _refusal("a field of the page holds")
        # whatever the page shows from now on, the script that runs now can wait for
        self._fields.clear()

    async def note_script(self, page: Page) -> None:
        """JavaScript of the workflow is about to run in `page`."""
        self.scripted.add(page.url)
        if not page.url.startswith("http"):
            # a blank page has the origin of the page that opened it
            self.scripted.add(str(await page.evaluate("() => self.origin")))

    def scripted_within(self, is_own_url: Callable[[str], bool]) -> list[str]:
        """The addresses among these on which JavaScript of the workflow has run."""
        return [url for url in self.scripted if is_own_url(url.removeprefix("blob:"))]

    async def _read(self, *, clear: bool) -> bool:
        """Whether a field still holds a secret; forgets fields whose document is gone."""
        held = await asyncio.gather(*(_holds(field, text, clear=clear) for field, text in self._fields))
        self._fields = [known for known, is_held in zip(self._fields, held, strict=True) if is_held]
        return bool(self._fields)


async def _holds(field: ElementHandle, text: str, *, clear: bool) -> bool:
    try:
        own, *others = await field.evaluate(_FIELDS, clear)
    except PlaywrightError:
        return False  # the document is gone, and with it the field
    is_elsewhere = len(text) >= _UNLIKELY_BY_CHANCE and any(text in other for other in others)
    # the field itself may hold the secret in another form, such as in capitals
    return bool(own) or is_elsewhere


def _refusal(where: str) -> BlockFailed:
    return BlockFailed(
        f"The JavaScript was not run: {where} a secret of a login, which a script could read.",
        Diagnosis(
            expected="a page without a typed secret",
            found=f"{where} a secret that was typed",
            advice="Send the form, open another page or empty the field first. A sign-in by `loginId` or a "
            "Login block empties what it typed, so JavaScript can follow it.",
        ),
    )

"""Browsers that serve several executions of one organization, one after the other.

A launch takes more time and CPU than a small execution. Every execution gets a browser context of its own,
with a proxy credential of its own: Chromium keeps cookies, storage, caches, permissions, HTTP authentication
and connections per context. What it keeps per browser is removed here: downloads and the clipboard.
"""

import asyncio
import shutil
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from playwright.async_api import Browser, CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from pagehand.browser.provider import ProvidedBrowser, open_control, send
from pagehand.browser.session import BrowserSession
from pagehand.errors import BrowserLost

_CLEAN_SECONDS: Final = 5.0
_KEEP_SECONDS: Final = 20.0
_GROWTH: Final = 1.5
_CLEAR_CLIPBOARD: Final = """{
  const field = document.documentElement.appendChild(document.createElement("textarea"));
  field.value = " ";  // nothing cannot be copied
  field.select();
  document.execCommand("copy");
  field.remove();
}"""


@dataclass(slots=True)
class _History:
    """What a browser has served so far."""

    organization_id: str
    uses: int = 0
    first_memory: int = 0


class KeptBrowsers:
    """Browsers between two executions of an organization, each with its next session open."""

    def __init__(
        self,
        prepare: Callable[[ProvidedBrowser], Awaitable[BrowserSession]],
        discard: Callable[[BrowserSession], None],
        *,
        max_uses: int,
        max_kept: int,
    ) -> None:
        """`prepare` opens a session in a browser; `discard` ends the browser of one that is not taken.

        With more than `max_kept` of them, the oldest makes room for an organization that has none.
        """
        self._prepare = prepare
        self._discard = discard
        self._max_uses = max_uses
        self._max_kept = max_kept
        self._is_closed = False
        self._histories: dict[str, _History] = {}
        self._waiting: defaultdict[str, deque[asyncio.Task[BrowserSession]]] = defaultdict(deque)

    def used(self, session: BrowserSession, organization_id: str) -> None:
        """An execution of the organization has taken the session."""
        vendor_id = session.vendor_id
        if vendor_id not in self._histories:
            self._histories[vendor_id] = _History(organization_id)
            session.provided.browser.on("disconnected", partial(self._forget, vendor_id))
        self._histories[vendor_id].uses += 1

    async def take(self, organization_id: str) -> BrowserSession | None:
        """A browser that served the organization before."""
        while self._waiting[organization_id]:
            opening = self._waiting[organization_id].popleft()
            try:
                return await asyncio.shield(opening)
            except (PlaywrightError, TimeoutError, BrowserLost):
                continue  # it was ended, see `_reopen`
            except asyncio.CancelledError:
                opening.add_done_callback(self._discard_opened)
                raise
        return None

    async def give_back(self, session: BrowserSession) -> None:
        """Close the context of a session that has ended; keep its browser, or end it."""
        history = self._histories.get(session.vendor_id)
        if self._is_closed or history is None or history.uses >= self._max_uses or not await _closes(session):
            await session.provided.close()
            return
        opening = asyncio.ensure_future(self._reopen(session.provided, history))
        self._waiting[history.organization_id].append(opening)
        asyncio.get_running_loop().call_later(_KEEP_SECONDS, self._expire, history.organization_id, opening)

    def make_room(self) -> None:
        """Before a browser is launched: end one that waits for another organization, if there are many."""
        waiting = [(kept[0], owner) for owner, kept in self._waiting.items() if kept]
        if waiting and sum(map(len, self._waiting.values())) >= self._max_kept:
            oldest, owner = waiting[0]
            self._expire(owner, oldest)

    async def close(self) -> None:
        """Wait for what is being opened; the provider then ends all browsers."""
        self._is_closed = True
        openings = [opening for waiting in self._waiting.values() for opening in waiting]
        self._waiting.clear()
        await asyncio.gather(*openings, return_exceptions=True)

    def _forget(self, vendor_id: str, _browser: Browser) -> None:
        del self._histories[vendor_id]

    def _expire(self, organization_id: str, opening: asyncio.Task[BrowserSession]) -> None:
        if opening in self._waiting[organization_id]:
            self._waiting[organization_id].remove(opening)
            opening.add_done_callback(self._discard_opened)

    def _discard_opened(self, opening: asyncio.Task[BrowserSession]) -> None:
        if not opening.cancelled() and opening.exception() is None:
            self._discard(opening.result())

    async def _reopen(self, provided: ProvidedBrowser, history: _History) -> BrowserSession:
        """A session in the same browser, with nothing of the execution that has ended."""
        reopened: BrowserSession | None = None
        try:
            async with asyncio.timeout(_CLEAN_SECONDS):
                if provided.downloads is not None:
                    await asyncio.to_thread(_empty, provided.downloads)
                # a new channel: the listeners of the old one belong to the session that has ended
                fresh = replace(provided, control=await open_control(provided.browser))
                await provided.control.detach()
                await self._check_memory(fresh.control, history)
                reopened = await self._prepare(fresh)
                await _clear_clipboard(reopened.page)
        except BaseException:
            if reopened is not None:
                self._discard(reopened)
            await provided.close()
            raise
        return reopened

    async def _check_memory(self, control: CDPSession, history: _History) -> None:
        memory = await _memory(control)
        history.first_memory = history.first_memory or memory
        if memory > history.first_memory * _GROWTH:
            raise BrowserLost("The browser has grown too large to be used again.")


async def _closes(session: BrowserSession) -> bool:
    try:
        async with asyncio.timeout(_CLEAN_SECONDS):
            await session.context.close()
    except (PlaywrightError, TimeoutError):
        return False
    return True


def _empty(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)


async def _clear_clipboard(page: Page) -> None:
    """All contexts of a browser share one clipboard; pages may not empty it, but replace what it holds."""
    channel = await page.context.new_cdp_session(page)
    await send(channel, "Runtime.evaluate", expression=_CLEAR_CLIPBOARD, userGesture=True)
    await channel.detach()


async def _memory(control: CDPSession) -> int:
    """Bytes that the browser's processes hold; 0 where the system does not say."""
    listed = await send(control, "SystemInfo.getProcessInfo")
    return sum(_resident(process["id"]) for process in listed["processInfo"])


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0

"""Whose fault it is when a page's answer to one of our scripts does not make sense."""

import asyncio
from collections.abc import Callable
from json import JSONDecodeError
from typing import Final

import structlog
from msgspec import DecodeError
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from pagehand.errors import BlockFailed
from pagehand.javascript import load_script

ODD_ANSWER: Final = (DecodeError, ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""What Python raises when an answer has another form than the script gives it."""
_UNREADABLE: Final = (DecodeError, JSONDecodeError, UnicodeError)
_ANSWER_SECONDS: Final = 2.0
_REPLACED: Final = load_script(__file__, "replaced_built_ins")
_log = structlog.get_logger(__name__)


async def page_failure(error: Exception, current: Callable[[], Page]) -> BlockFailed | None:
    """The page's failure, if its answer could not be read or it has replaced what scripts use; else None."""
    replaced = await _replaced_built_ins(current())
    if not replaced and not isinstance(error, _UNREADABLE):
        return None
    # with its traceback: should it be a bug after all, the log has it
    _log.warning("a page answered with what cannot be read", replaced=replaced, exc_info=error)
    because = f": it has replaced {', '.join(f'`{name}`' for name in replaced)}" if replaced else ""
    return BlockFailed(f"What the page answers cannot be read{because}.")


async def _replaced_built_ins(page: Page) -> list[str]:
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            return [str(name) for name in await page.evaluate(_REPLACED)]
    except (PlaywrightError, TimeoutError, *ODD_ANSWER):
        return ["what scripts need"]

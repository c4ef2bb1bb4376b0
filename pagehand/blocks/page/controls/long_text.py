"""Long text from a page, read in slices: one long message would block all other runs."""

from typing import Final

from playwright.async_api import JSHandle

from pagehand.errors import LimitReached
from pagehand.page.handles import give_back

_SLICE: Final = 500_000
_MOST_SLICES: Final = 400


async def read_long_text(handle: JSHandle) -> str:
    """The string that a script in the page has made; the handle is given up."""
    slices: list[str] = []
    try:
        while not slices or len(slices[-1]) == _SLICE:
            start = len(slices) * _SLICE
            part = await handle.evaluate("(text, at) => text.slice(at[0], at[1])", [start, start + _SLICE])
            # a page that has replaced `slice` could answer anything, and without end
            if not isinstance(part, str):
                raise TypeError(f"a slice of a text is {type(part).__name__}")
            if len(slices) == _MOST_SLICES:
                raise LimitReached(f"The page's text has more than {_MOST_SLICES * _SLICE:,} characters.")
            slices.append(part)
    finally:
        await give_back(handle)
    return "".join(slices)

"""Long text from a page, read in slices: one long message would block all other runs."""

from typing import Final

from playwright.async_api import JSHandle

_SLICE: Final = 500_000


async def read_long_text(handle: JSHandle) -> str:
    """The string that a script in the page has made; the handle is given up."""
    slices: list[str] = []
    try:
        while not slices or len(slices[-1]) == _SLICE:
            start = len(slices) * _SLICE
            slices.append(
                await handle.evaluate("(text, at) => text.slice(at[0], at[1])", [start, start + _SLICE])
            )
    finally:
        await handle.dispose()
    return "".join(slices)

"""Keep the pictures of a page as files: product photos, scans, charts.

Reach for it when the pictures themselves are wanted. The locator names the area; without one it is the
whole page. Images, CSS backgrounds, canvases and inline drawings count, each address once, in the order of
the page; `minWidth` and `minHeight` leave out icons. They are fetched with the browser's own session. A
picture that cannot be had is left out with an event; if none can, the block fails.
"""

import base64
import binascii
import mimetypes
import re
from typing import ClassVar
from urllib.parse import unquote_to_bytes

from msgspec import Struct, convert
from pydantic import Field

from pagehand.blocks.base import Block, DeclaredOutput, LocatorUse
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.page.controls.acting import evaluate_on
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed, Diagnosis, SiteDown
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom
from pagehand.records import FileInfo, Json

_FIND = on_dom(load_script(__file__, "pictures"))
_INLINE = re.compile(r"data:([\w.+-]+/[\w.+-]+)?((?:;[^,;]*)*),(.*)", re.DOTALL)


class _Picture(Struct):
    """What `pictures.js` lists."""

    address: str
    width: float
    height: float
    name: str


class ExtractImages(Block):
    """Keep the pictures of a page."""

    type: ClassVar[str] = "ExtractImages"
    title: ClassVar[str] = "Extract Images"
    label: ClassVar[str] = "Save images"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.documents:KEEPING_IMAGES"
    output_kind: ClassVar[DeclaredOutput | None] = "file"
    also_called: ClassVar[tuple[str, ...]] = ("images", "getImages", "screenshots", "pictures")
    needs_page: ClassVar[bool] = True
    reads_page: ClassVar[bool] = True
    locator_use: ClassVar[LocatorUse] = "optional"
    reads_frames: ClassVar[bool] = True
    default_timeout_seconds: ClassVar[float | None] = 120

    min_width: int = Field(default=0, ge=0)
    """Leave out pictures that are narrower, in pixels."""
    min_height: int = Field(default=0, ge=0)
    """Leave out pictures that are lower, in pixels."""
    limit: int = Field(default=100, ge=1, le=1000)
    """At most so many, the first of the page."""

    async def run(self, ctx: RunContext) -> Outcome:
        """List the pictures, then keep one after the other."""
        pictures = self._wanted(await _listed(ctx))
        kept: list[Json] = []
        troubles: list[str] = []
        for place, picture in enumerate(pictures, 1):
            try:
                info = await _keep(ctx, picture, place)
            except (BlockFailed, SiteDown) as trouble:
                troubles.append(f"{_short(picture.address)}: {trouble.message}")
            else:
                kept.append(ctx.files.describe(info))
        if troubles and not kept:
            advice = "Open the pictures' addresses in a browser to see what the site answers."
            raise BlockFailed(
                f"None of {len(troubles)} pictures could be had: {troubles[0]}", Diagnosis(advice=advice)
            )
        details: Json = {"images": len(kept)} | ({"failed": troubles} if troubles else {})
        return Outcome(kept, f"Kept {len(kept)} of {len(pictures)} pictures", details)

    def _wanted(self, pictures: list[_Picture]) -> list[_Picture]:
        """Those that are large enough, each address once."""
        large = [
            picture
            for picture in pictures
            if picture.width >= self.min_width and picture.height >= self.min_height
        ]
        # reversed twice, so that the first of several with one address stays, in the order of the page
        return list({item.address: item for item in reversed(large)}.values())[::-1][: self.limit]


async def _listed(ctx: RunContext) -> list[_Picture]:
    if ctx.locator is not None:
        found = await ctx.find("touch")
        async with ctx.page.guard("look for pictures"):
            return convert(await evaluate_on(found.element, _FIND), list[_Picture])
    async with ctx.page.guard("look for pictures"):
        listed = await ctx.page.page.main_frame.evaluate(f"() => ({_FIND})(null)")
        return convert(listed, list[_Picture])


async def _keep(ctx: RunContext, picture: _Picture, place: int) -> FileInfo:
    address = picture.address
    if address.startswith("data:"):
        mime, content = _decoded(address)
        name = re.sub(r"\W+", "-", picture.name.casefold()).strip("-")[:60] or f"image-{place}"
        return await ctx.files.save(f"{name}{mimetypes.guess_extension(mime) or ''}", mime, content)
    if address.startswith("blob:"):
        # a request for a `blob:` address from outside the page finds nothing
        raise BlockFailed("it lives in the page's memory only")
    return await ctx.page.fetch_file(address, timeout_seconds=ctx.remaining_seconds, file_name=None)


def _decoded(address: str) -> tuple[str, bytes]:
    """Type and bytes of a `data:` address."""
    found = _INLINE.fullmatch(address)
    if found is None:
        raise BlockFailed("its `data:` address is broken")
    content = unquote_to_bytes(found[3])
    try:
        content = base64.b64decode(content, validate=True) if ";base64" in found[2].casefold() else content
    except binascii.Error as error:
        raise BlockFailed("its `data:` address is not base64") from error
    return found[1] or "text/plain", content


def _short(address: str) -> str:
    longest = 120
    return address if len(address) <= longest else f"{address[:longest]}…"


EXAMPLES: list[Json] = [
    {"type": "ExtractImages", "locator": {"css": "#gallery"}, "data": {"minWidth": 2, "limit": 10}},
    {"type": "ExtractImages", "data": {}},
]

"""Ask a search engine and open one of the results.

Reach for it when the address is not known but the words to find it are. `site` keeps to one host;
`pick.index` counts the results from 0. The operator sets the engine (`PAGEHAND_SEARCH_ENGINE`), and a
block may name its own: an address with `{query}` where the words go. A site's own search does as well: where
nothing leads to other hosts, the links among its results that stay on it count.
"""

import asyncio
from typing import ClassVar, Self
from urllib.parse import parse_qsl, quote_plus, urlsplit

from msgspec import Struct, convert
from pydantic import Field, field_validator, model_validator

from pagehand.blocks.base import Block
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed, Diagnosis, ModelNeeded
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom_core
from pagehand.records import Json
from pagehand.workflow.wire import Text, WireModel

_MOST_OFFERED = 30
_PICKED = {
    "type": "object",
    "properties": {"number": {"type": ["integer", "null"]}},
    "required": ["number"],
}
# links around the content lead through the site and are not results
_LINKS = on_dom_core(load_script(__file__, "result_links"))


class _Link(Struct, rename="camel"):
    """A link as `result_links.js` lists them."""

    address: str
    text: str
    around: str
    """The text of the result it stands in."""
    is_content: bool
    """False for links of the page's header, navigation and footer."""


class ResultPick(WireModel):
    """Which result to open."""

    index: int | None = Field(default=None, ge=0)
    """Its position among the results, from 0."""
    prompt: Text | None = None
    """What the result should be about; needs a model."""

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if (self.index is None) == (self.prompt is None):
            raise ValueError("give either index or prompt")
        return self


class SearchAndNavigate(Block):
    """Search the web and open a result."""

    type: ClassVar[str] = "SearchAndNavigate"
    title: ClassVar[str] = "Search and Navigate"
    label: ClassVar[str] = "Search the web"
    sentences: ClassVar[str] = "pagehand.instructions.grammar.external_steps:SEARCHING_WEB"
    also_called: ClassVar[tuple[str, ...]] = ("google", "webSearch", "bing", "searchWeb")
    needs_page: ClassVar[bool] = True
    changes_page: ClassVar[bool] = True

    query: Text = Field(min_length=1)
    """What to search for."""
    site: Text | None = Field(default=None, min_length=1)
    """Only results of this host and hosts below it."""
    engine: Text | None = None
    """The engine's address with `{query}` in it; the operator's without one."""
    pick: ResultPick = ResultPick(index=0)
    """Which result to open."""

    @field_validator("engine")
    @classmethod
    def _takes_a_query(cls, engine: str | None) -> str | None:
        if engine is not None and "{query}" not in engine and "{{" not in engine:
            raise ValueError("expected a URL with {query} where the words go")
        return engine

    async def run(self, ctx: RunContext) -> Outcome:
        """Open the results, follow the one that is meant."""
        engine = self.engine or ctx.search_engine
        if not engine or "{query}" not in engine:
            raise BlockFailed(
                "No search engine that takes a query is configured",
                Diagnosis(advice="Give `engine` (a URL with {query}), or set PAGEHAND_SEARCH_ENGINE."),
            )
        if self.pick.index is None and not ctx.has_model:
            raise ModelNeeded(
                "Choosing a result by a prompt needs a model, and none is configured",
                Diagnosis(advice="Set PAGEHAND_MODEL, or pick by `index`."),
            )
        words = f"{self.query} site:{self.site}" if self.site else self.query
        await _open(ctx, engine.replace("{query}", quote_plus(words)))
        target = await self._result(ctx, self.pick.index or 0)
        if self.pick.prompt is not None:
            target = await self._meant(ctx, self.pick.prompt)
        await _open(ctx, target)
        return Outcome(message=f"Opened `{ctx.page.page.url}`", details={"url": ctx.page.page.url})

    async def _meant(self, ctx: RunContext, wish: str) -> str:
        """The address of the result that the model takes for the one that is meant."""
        listed = list((await self._results(ctx)).items())[:_MOST_OFFERED]
        lines = "\n".join(f"{at}. {text} ({address})" for at, (address, text) in enumerate(listed))
        answer = await ctx.model.data(ctx.model.prompt("pick_result", wish=wish), lines, _PICKED)
        if answer["number"] is None or not 0 <= answer["number"] < len(listed):
            raise BlockFailed(
                f"None of the {len(listed)} results is what was asked for: {wish}",
                Diagnosis(found=lines[:1000], advice="Search with other words, or pick by `index`."),
            )
        return listed[int(answer["number"])][0]

    async def _result(self, ctx: RunContext, index: int) -> str:
        """The address of the index-th result; engines draw them late."""
        while True:
            results = list(await self._results(ctx))
            if index < len(results):
                return results[index]
            if ctx.remaining_seconds <= 0.2:  # noqa: PLR2004 - one more look would come too late
                break
            await asyncio.sleep(0.1)
        raise BlockFailed(
            f"The search engine gave {len(results)} results for `{self.query}`, so there is none at {index}",
            Diagnosis(
                expected=f"at least {index + 1} results", found=f"{len(results)} at `{ctx.page.page.url}`"
            ),
        )

    async def _results(self, ctx: RunContext) -> dict[str, str]:
        """The results by address, with their texts."""
        page = ctx.page.page
        links = convert(await page.evaluate(_LINKS), list[_Link])
        host = urlsplit(page.url).netloc
        outside = _outside(links, host, self.site)
        return outside or _own(links, page.url, self.query, self.site)


async def _open(ctx: RunContext, url: str) -> None:
    await ctx.page.goto(
        url,
        wait_until="domcontentloaded",
        referer=None,
        allow_error_status=False,
        timeout_seconds=ctx.remaining_seconds,
    )


def _outside(links: list[_Link], engine_host: str, site: str | None) -> dict[str, str]:
    """Links that leave the engine, each once; what it links through itself is unwrapped."""
    found: dict[str, str] = {}
    for link in links:
        target = _target(link.address, engine_host)
        if target and (site is None or _is_below(urlsplit(target).netloc, site)):
            found.setdefault(target.partition("#")[0], link.text)
    return found


def _own(links: list[_Link], url: str, query: str, site: str | None) -> dict[str, str]:
    """Links of a site's own search: they stay on its host, stand in the content and are about the query."""
    here = urlsplit(url)
    if site is not None and not _is_below(here.netloc, site):
        return {}
    words = [word for word in query.casefold().split() if len(word) > 1]
    found: dict[str, str] = {}
    for link in links:
        parts = urlsplit(link.address)
        is_result = parts.netloc == here.netloc and parts.path != here.path and link.is_content
        if is_result and link.text and any(word in link.around.casefold() for word in words or [""]):
            found.setdefault(link.address.partition("#")[0], link.text)
    return found


def _target(link: str, engine_host: str) -> str | None:
    parts = urlsplit(link)
    if parts.scheme not in ("http", "https"):
        return None
    if not _is_below(parts.netloc, engine_host):
        return link
    inner = (value for _, value in parse_qsl(parts.query) if value.startswith(("http://", "https://")))
    return next((value for value in inner if not _is_below(urlsplit(value).netloc, engine_host)), None)


def _is_below(host: str, parent: str) -> bool:
    host, parent = host.lower(), parent.lower().removeprefix("www.")
    return host == parent or host.endswith(f".{parent}")


EXAMPLES: list[Json] = [
    {
        "type": "SearchAndNavigate",
        "data": {"query": "{{params.company}} annual report", "pick": {"index": 0}},
    },
    {
        "type": "SearchAndNavigate",
        "data": {
            "query": "opening hours",
            "site": "library.example",
            "engine": "https://find.example/?q={query}",
        },
    },
]

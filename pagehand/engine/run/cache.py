"""Plans that blocks keep for the next run, so that it needs no model: how to find, read or do something."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit

from pagehand.blocks.run_context import RunContext
from pagehand.clock import now_ms
from pagehand.errors import Unavailable
from pagehand.records import CachedPlan, Execution
from pagehand.secrets.redactor import Redactor
from pagehand.storage.memories import PlanStore
from pagehand.workflow import tree
from pagehand.workflow.tree import Envelope

# a part of a path that names one thing of many: a number, an id, a date
_IDENTIFIER: Final = re.compile(r"(?=.*\d)[\w.~%-]+|[0-9a-fA-F-]{16,}")
_MAX_PER_BLOCK: Final = 50


class PlanCache:
    """The plans of one run's workflow; read on first need, written at the end."""

    def __init__(
        self, execution: Execution, blocks: Iterable[Envelope], store: PlanStore, redactor: Redactor
    ) -> None:
        self._execution = execution
        self._store = store
        self._redactor = redactor
        self._blocks = blocks
        self._digests: dict[str, str] | None = None
        self._known: dict[tuple[str, str, str], CachedPlan] | None = None
        self._fresh: dict[str, list[CachedPlan]] = {}
        self._unsaved: dict[tuple[str, str, str], CachedPlan] = {}
        self._dropped: list[CachedPlan] = []

    def use_blocks(self, blocks: Iterable[Envelope]) -> None:
        """Take these blocks instead: plans that were made for other wording do not apply to them."""
        self._blocks, self._digests = blocks, None
        self._known = None

    def for_block(self, context: RunContext) -> "BlockCache":
        """The part of the cache that one block uses."""
        return BlockCache(self, context)

    async def recall(self, block_id: str, kind: str, page: str) -> Any:
        """What was kept for the block on such a page; None when nothing was."""
        known = await self._all()
        found = known.get((block_id, kind, self._key(page)))
        return None if found is None else found.plan

    def keep(self, block_id: str, kind: str, page: str, plan: Any, made_by: str) -> None:
        """Keep a plan once its block has succeeded, unless it contains a secret of this run."""
        # an agent's step is not part of the workflow: there is nothing to keep it for
        written = self._written().get(block_id)
        if written is None or self._redactor.value(plan) != plan:
            return
        self._fresh.setdefault(block_id, []).append(
            CachedPlan(
                organization_id=self._execution.organization_id,
                workflow_id=self._execution.workflow_id,
                block_id=block_id,
                kind=kind,
                key=self._key(page),
                written=written,
                version=self._execution.workflow_version,
                page=url_pattern(page),
                made_by=made_by,
                kept_at=now_ms(),
                plan=plan,
            )
        )

    async def drop(self, block_id: str, kind: str, page: str) -> None:
        """Forget what no longer fits."""
        found = (await self._all()).pop((block_id, kind, self._key(page)), None)
        if found is not None:
            self._unsaved.pop((block_id, kind, found.key), None)
            self._dropped.append(found)

    def succeeded(self, envelope: Envelope) -> None:
        """Keep the block's new plans: it did its work."""
        for plan in self._fresh.pop(envelope.id, []):
            # known at once: a loop may need it again in its next round
            place = (plan.block_id, plan.kind, plan.key)
            self._unsaved[place] = plan
            if self._known is not None:
                self._known[place] = plan

    def failed(self, envelope: Envelope) -> None:
        """Drop the block's new plans: they may be wrong."""
        self._fresh.pop(envelope.id, None)

    async def save(self) -> None:
        """Write the new plans, and delete those that were dropped."""
        if self._unsaved or self._dropped:
            with suppress(Unavailable):  # plans must not fail the run
                await self._store.save(list(self._unsaved.values()), self._dropped)
            self._unsaved, self._dropped = {}, []

    async def _all(self) -> dict[tuple[str, str, str], CachedPlan]:
        if self._known is None:
            self._known = {}
            with suppress(Unavailable):  # this run works without them
                plans = await self._store.of_workflow(
                    self._execution.organization_id, self._execution.workflow_id
                )
                self._known = {(plan.block_id, plan.kind, plan.key): plan for plan in self._current(plans)}
        return self._known

    def _current(self, plans: list[CachedPlan]) -> list[CachedPlan]:
        """The plans that fit the blocks as they are; older ones are dropped, and those beyond the limit."""
        fitting = [plan for plan in plans if self._written().get(plan.block_id) == plan.written]
        counted: dict[str, int] = {}
        for plan in plans:
            counted[plan.block_id] = counted.get(plan.block_id, 0) + 1
            is_old = plan.version < self._execution.workflow_version and plan not in fitting
            if is_old or counted[plan.block_id] > _MAX_PER_BLOCK:
                self._dropped.append(plan)
        return [plan for plan in fitting if plan not in self._dropped]

    def _written(self) -> dict[str, str]:
        """The digests of the blocks as they are now."""
        # not before they are needed: most runs keep and recall nothing
        if self._digests is None:
            self._digests = wording_digests(self._blocks)
        return self._digests

    def _key(self, page: str) -> str:
        # which params are given, not their values: plans hold no data
        return _digest([url_pattern(page), sorted(self._execution.params)])


class BlockCache:
    """Implements `blocks.ports.BlockCache` for one block."""

    def __init__(self, cache: PlanCache, context: RunContext) -> None:
        self._cache = cache
        self._context = context

    async def recall(self, kind: str) -> Any:
        """What was kept on such a page; None for a block that is not cacheable."""
        if not self._context.envelope.is_cacheable:
            return None
        return await self._cache.recall(self._context.envelope.id, kind, self._page)

    def keep(self, kind: str, plan: Any, *, by_model: bool, page: str | None = None) -> None:
        """Keep a plan for runs to come, if the block succeeds."""
        if self._context.envelope.is_cacheable:
            made_by = "model" if by_model else "structure"
            self._cache.keep(self._context.envelope.id, kind, page or self._page, plan, made_by)

    async def drop(self, kind: str) -> None:
        """Forget what no longer fits the page."""
        await self._cache.drop(self._context.envelope.id, kind, self._page)

    @property
    def _page(self) -> str:
        return self._context.page.page.url


def wording_digests(blocks: Iterable[Envelope]) -> dict[str, str]:
    """For each block a digest of it and all blocks before it, which an edit of any of them changes."""
    digests: dict[str, str] = {}
    so_far = ""
    for block in tree.walk(blocks):
        # a plan depends on the page, and that on the blocks before
        so_far = _digest([so_far, block.type, block.data, block.locator, block.transformer_fn])
        digests[block.id] = so_far
    return digests


def url_pattern(url: str) -> str:
    """Origin and path of an address, with `*` for the parts that name one thing of many; no query."""
    parts = urlsplit(url)
    path = "/".join("*" if _IDENTIFIER.fullmatch(part) else part for part in parts.path.split("/"))
    return f"{parts.scheme}://{parts.netloc}{path}"


def _digest(value: Mapping[str, Any] | list[Any]) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:32]

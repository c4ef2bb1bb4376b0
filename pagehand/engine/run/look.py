"""Early warning: visits the pages of an earlier run and looks for its elements, without acting on them."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, Literal, get_args
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, to_builtins
from pydantic import ValidationError

from pagehand.engine.repair import element_memory
from pagehand.engine.run.context import BlockContext
from pagehand.engine.run.earlier_run import outputs_of
from pagehand.engine.run.trail import Sight, Trail, TrailReader
from pagehand.engine.run.walk import Run
from pagehand.errors import BlockFailed, NotPresent
from pagehand.loop import LARGE_VALUES
from pagehand.records import Fingerprint, Json
from pagehand.secrets.vault import HIDDEN
from pagehand.storage.pages import ALL_ROWS
from pagehand.workflow.locator import Locator
from pagehand.workflow.tree import Envelope
from pagehand.workflow.wire import RESOLVED

OUTPUT: Final = "look"
"""The name under which the response has the report."""
_PAUSE_SECONDS: Final = 1.0
"""Between two pages: nobody waits for the result, and the site has others to serve."""
_OPEN_SECONDS: Final = 30.0
_STILL_SECONDS: Final = 0.5
_QUIET_SECONDS: Final = 10.0
_LOOK_MS: Final = 4000
"""For each element, on a page that is quiet already."""
_ERROR_STATUS: Final = 400
_NAMED: Final = 3

Seen = Literal["asBefore", "moved", "wouldHeal", "wouldBreak", "notSeen"]


class LookedElement(Struct, rename="camel", kw_only=True):
    """An element of a block, and how it was found."""

    block_reference_id: str
    name: str
    """The block's."""
    url: str
    locator: Json
    status: Seen
    message: str = ""
    new_locator: Json | None = None
    """What it would be healed to."""

    @property
    def key(self) -> tuple[str, str]:
        """What identifies it in another look."""
        return _key(self.block_reference_id, self.locator)


class LookedPage(Struct, rename="camel", kw_only=True):
    """A page that was visited."""

    url: str
    status: Seen = "asBefore"
    message: str = ""
    before: int | None = None
    """The number of the event of the earlier execution that has its picture …"""
    now: int | None = None
    """… and of the event of this one."""


class Look:
    """One look at the pages of a workflow; `walk` it once."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._services = run.services
        self._facts: Json = run.services.execution.metadata["look"]
        self._pages: list[LookedPage] = []
        self._elements: list[LookedElement] = []
        self._seen_before: set[tuple[str, str]] = set()
        self._broken: list[tuple[Envelope | None, str]] = []

    async def walk(self) -> Json:
        """Visit everything up to the first effect; fails if something would break."""
        run = self._run
        trail = await self._read_earlier()
        await run.begin()
        self._services.model = None  # to look costs nothing
        for sight in trail.sights:
            await self._look(sight, is_stop=sight.envelope is trail.stop)
        if trail.last is not None:
            await self._visit(trail.last)
        if self._services.scope.login is not None:
            await run.authenticator.save_sessions()
        await self._services.save_findings()
        await run.outputs.keep(run.root_frame(), OUTPUT, self._report(trail))
        self._raise_for_broken()
        return run.response

    async def _read_earlier(self) -> Trail:
        """The way of the earlier run; its outputs fill templates, and earlier looks say what was shown."""
        stores, organization_id = self._services.shared.stores, self._services.execution.organization_id
        earlier = await stores.executions.get(organization_id, self._facts["executionId"])
        if earlier is None:
            raise BlockFailed(
                "The execution that the look compares with is gone. Run the workflow once more."
            )
        known = await LARGE_VALUES.run(outputs_of, earlier)
        outputs = self._services.scope.outputs
        outputs.update({name: known[name] for name in outputs if known.get(name) is not None})
        for execution_id in self._facts["earlier"]:
            look = await stores.executions.get(organization_id, execution_id)
            response: Json = msgspec.json.decode((look and look.response) or b"{}")
            if OUTPUT in response:
                found = msgspec.convert(response[OUTPUT]["elements"], list[LookedElement])
                # one that was missing since is still one that the page showed without any act
                self._seen_before = {item.key for item in found if item.status != "notSeen"}
                break
        events, _ = await stores.events.list(organization_id, earlier.id, ALL_ROWS, 0)
        reader = TrailReader(self._services.blocks, self._facts["effects"])
        async for part in events:
            for event in part:
                reader.read(event)
        return reader.end()

    async def _look(self, sight: Sight, *, is_stop: bool) -> None:
        kind = self._services.shared.kinds.kind_named(sight.envelope.type)
        if kind is None or not kind.may_want_page(sight.envelope.data):
            return
        signs_in = kind.takes_login(sight.envelope.data) or kind.named_logins(
            sight.envelope.data, self._services.scope.params
        )
        # one with an effect is not run, even if it signs in
        if signs_in and not is_stop:
            await self._run.run_alone(sight.envelope.id)
            self._pages.append(LookedPage(url=self._run.browser.url))
        elif sight.url:
            await self._visit(sight)
            await self._look_for_elements(sight)

    async def _visit(self, sight: Sight) -> None:
        if self._pages and self._pages[-1].url == sight.url:
            return
        if self._pages:
            await self._services.signals.sleep(_PAUSE_SECONDS)
        page = LookedPage(url=sight.url, before=sight.picture)
        self._pages.append(page)
        if HIDDEN in sight.url:
            page.status, page.message = "notSeen", "Its address has a secret in it, which is not kept."
            return
        try:
            await self._open(page)
        except BlockFailed as error:
            page.message = error.message
        if page.message:
            page.status = "wouldBreak" if sight.is_opened_by_address else "notSeen"
        if page.status == "wouldBreak":
            self._broken.append((None, f"`{page.url}`: {page.message}"))
        key = await self._run.browser.picture()
        events = self._services.events
        events.add("page.looked", f"Looked at `{page.url}`. {page.message}".strip(), None, {}, key)
        page.now = events.last_pictured if key else None

    async def _open(self, page: LookedPage) -> None:
        session = await self._run.browser.open()
        status = await session.goto(page.url, allow_error_status=True, timeout_seconds=_OPEN_SECONDS)
        await session.wait_until_quiet(_STILL_SECONDS, timeout_seconds=_QUIET_SECONDS)
        session.dialogs.clear_unanswered()
        if status is not None and status >= _ERROR_STATUS:
            page.message = f"It answers with the status {status}."

    async def _look_for_elements(self, sight: Sight) -> None:
        envelope, page = sight.envelope, self._pages[-1]
        try:
            wanted = list(self._locators(self._run.context_of(envelope)))
        except BlockFailed as error:  # of a template: a name that only a round of a loop has
            if envelope.locator is not None:
                self._add(sight, envelope.locator, "notSeen", error.message)
            return
        for locator in wanted:
            given = locator.as_given()
            if page.status == "asBefore":
                await self._look_for(sight, locator, given)
            else:
                self._add(sight, given, "notSeen", f"Its page was not seen. {page.message}")
            self._services.healing.failed(envelope)

    def _locators(self, context: BlockContext) -> Iterator[Locator]:
        """The block's own locator, and those in its data."""
        if context.locator is not None and not context.locator.is_frame:
            yield context.locator
        for given in element_memory.locators_in(context.envelope.data):
            # one that is not a locator, in spite of the name of its field, is not looked for
            with suppress(ValidationError):
                yield Locator.model_validate(
                    context.resolve(given), strict=False, context=RESOLVED, by_alias=True
                )

    async def _look_for(self, sight: Sight, wanted: Locator, given: Json) -> None:
        healing, envelope = self._services.healing, sight.envelope
        # a new one for each: it begins the time of the block
        context = self._run.context_of(replace(envelope, data={**envelope.data, "timeoutMs": _LOOK_MS}))
        was_shown = not sight.after or _key(envelope.block_reference_id, given) in self._seen_before
        try:
            found = await context.find("act", wanted)
        except BlockFailed as missing:
            status, message = await self._judge_missing(sight, context, wanted, missing, was_shown=was_shown)
            self._add(sight, given, status, message)
            return
        before = await healing.remembered(envelope, wanted)
        if found.how not in ("healed", "cached"):
            now = await context.page.healing.take_fingerprint(found.element) if before else None
            changes = " ".join(_changes(before, now)) if before and now else ""
            self._add(sight, given, "moved" if changes else "asBefore", changes)
        elif was_shown:
            new = await healing.propose(envelope, wanted)
            self._add(sight, given, "wouldHeal", f"It is not found; {_words(new)} is the same element.", new)
        else:
            self._add(sight, given, "notSeen", _hidden_until(sight))

    async def _judge_missing(
        self, sight: Sight, context: BlockContext, wanted: Locator, missing: BlockFailed, *, was_shown: bool
    ) -> tuple[Seen, str]:
        is_another = isinstance(missing, NotPresent) and element_memory.is_another(missing)
        if not wanted.words and not is_another and await context.page.find_all(wanted):
            return "asBefore", "It is there, hidden or disabled as the page opens."
        is_own = context.locator is not None and wanted.as_given() == context.locator.as_given()
        is_needed = is_own or await self._services.healing.remembered(context.envelope, wanted) is not None
        if context.envelope.skip_if_not_present or not is_needed:
            return "notSeen", "It is not there, and the block may work without it."
        if not was_shown:
            return "notSeen", _hidden_until(sight)
        here = context.page.page.url
        if urlsplit(here)[:3] == urlsplit(sight.url)[:3]:
            return "wouldBreak", missing.message
        if not sight.is_opened_by_address:
            return "notSeen", f"The address led to `{here}`, where it is not."
        return "wouldBreak", f"The address leads to `{here}` now. {missing.message}"

    def _add(self, sight: Sight, locator: Json, status: Seen, message: str, new: Json | None = None) -> None:
        envelope, page = sight.envelope, self._pages[-1]
        element = LookedElement(
            block_reference_id=envelope.block_reference_id,
            name=envelope.name,
            url=page.url,
            locator=locator,
            status=status,
            message=message,
            new_locator=new,
        )
        self._elements.append(element)
        if status == "wouldBreak":
            self._broken.append((envelope, f"“{envelope.name}” (`{envelope.block_reference_id}`): {message}"))
        data = {"status": status, "locator": locator, "newLocator": new}
        self._services.events.add("element.looked", f"{envelope.name}: {message or status}", envelope, data)

    def _report(self, trail: Trail) -> Json:
        stop = trail.stop
        statuses = [element.status for element in self._elements]
        return {
            "executionId": self._facts["executionId"],
            "counts": {status: statuses.count(status) for status in get_args(Seen)},
            "stoppedAt": stop
            and {"blockReferenceId": stop.block_reference_id, "name": stop.name, "why": trail.why},
            "changes": list(_shared_changes(self._elements)),
            "pages": to_builtins(self._pages),
            "elements": to_builtins(self._elements),
        }

    def _raise_for_broken(self) -> None:
        if not self._broken:
            return
        self._run.current = self._broken[0][0]
        count, named = len(self._broken), " ".join(text for _, text in self._broken[:_NAMED])
        more = f" And {count - _NAMED} more." if count > _NAMED else ""
        raise NotPresent(f"The workflow would fail now; nothing was done. {named}{more}")


def _key(reference: str, locator: Json) -> tuple[str, str]:
    return reference, json.dumps(locator, sort_keys=True)


def _hidden_until(sight: Sight) -> str:
    return f"It is not on the page as it opens; “{sight.after}” may show it."


def _words(locator: Json | None) -> str:
    return str(Locator.model_validate(locator, by_alias=True)) if locator else "another element"


def _changes(before: Fingerprint, now: Fingerprint) -> Iterator[str]:
    """What is different about an element that its locator still finds; data that it shows is not."""
    was_called, is_called = _name(before), _name(now)
    if _without_numbers(was_called) != _without_numbers(is_called):
        yield f"It is called “{is_called}” now, and was “{was_called}”."
    if _without_numbers(before.heading) != _without_numbers(now.heading):
        yield f"It is under “{now.heading}” now, and was under “{before.heading}”."
    elif (before.landmark, before.path, before.frame) != (now.landmark, now.path, now.frame):
        yield f"It is in another place of the page{_place_change(before, now)}."


def _place_change(before: Fingerprint, now: Fingerprint) -> str:
    """What is around it now and was not, in the same words for all elements that one change has moved."""
    if before.path != now.path:
        added, gone = Counter(now.path) - Counter(before.path), Counter(before.path) - Counter(now.path)
        parts = [("around it now", added), ("no longer around it", gone)]
        said = [
            f"{_tags(tags)} {'is' if tags.total() == 1 else 'are'} {where}" for where, tags in parts if tags
        ]
        return f": {', '.join(said)}" if said else ": what is around it has another order"
    if before.landmark != now.landmark:
        return f": in {now.landmark or 'no landmark'} now, and was in {before.landmark or 'none'}"
    return ": in another frame"


def _tags(counted: Counter[str]) -> str:
    return " and ".join(
        f"`{tag}`" if count == 1 else f"{count} `{tag}`" for tag, count in sorted(counted.items())
    )


def _shared_changes(elements: Sequence[LookedElement]) -> Iterator[Json]:
    """Each change that has moved elements, once, with how many it has moved and the blocks they are of."""
    moved: dict[str, list[str]] = {}
    for element in elements:
        if element.status == "moved":
            moved.setdefault(element.message, []).append(element.name)
    for message, names in moved.items():
        yield {"message": message, "elements": len(names), "blocks": list(dict.fromkeys(names))}


def _name(element: Fingerprint) -> str:
    """What it is called: a control by its text, anything else by its label alone, as its text is data."""
    return element.name if element.is_control else element.attributes.get("aria-label", "")


def _without_numbers(text: str) -> list[str]:
    """Its words; counts, amounts and dates in it change from day to day."""
    return [word for word in text.split() if not any(letter.isdigit() for letter in word)]

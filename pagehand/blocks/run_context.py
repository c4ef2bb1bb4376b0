"""All that a block may touch while it runs."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, Literal, Protocol

from pagehand.browser import BrowserSession
from pagehand.browser_session import FoundElement, Purpose, ScriptedWithin
from pagehand.page.phrases import TargetKind
from pagehand.ports import (
    BlockCache,
    CaptchaSolver,
    Documents,
    Http,
    Knowledge,
    Mail,
    Model,
    RunFiles,
    Sandbox,
)
from pagehand.records import Json
from pagehand.workflow.conditions import Condition
from pagehand.workflow.locator import Locator
from pagehand.workflow.tree import Envelope


class RunContext(Protocol):
    """All that a block may touch while it runs."""

    @property
    def envelope(self) -> Envelope:
        """The block's own envelope: name, reference, flags."""
        ...

    @property
    def locator(self) -> Locator | None:
        """The block's locator, templates filled in."""
        ...

    @property
    def names(self) -> Mapping[str, Any]:
        """params, blocks, item, index, login, execution, now: what templates and expressions may refer to."""
        ...

    @property
    def remaining_seconds(self) -> float:
        """Seconds left of the block's time; very many when it has no limit."""
        ...

    @property
    def commits(self) -> bool:
        """True when the block's effect must never happen twice."""
        ...

    @property
    def notes(self) -> Json:
        """Data for the block's event."""
        ...

    @property
    def page(self) -> BrowserSession:
        """The browser; there is one because the kind says `needs_page`."""
        ...

    @property
    def files(self) -> RunFiles:
        """Files of this execution."""
        ...

    @property
    def documents(self) -> Documents:
        """Where documents are opened."""
        ...

    @property
    def sandbox(self) -> Sandbox:
        """Where user code runs."""
        ...

    @property
    def http(self) -> Http:
        """HTTP to what the operator allows, through the upstream proxy when the execution uses it."""
        ...

    @property
    def model(self) -> Model:
        """The language model; `BlockFailed` naming `PAGEHAND_MODEL` when there is none."""
        ...

    @property
    def has_model(self) -> bool:
        """True when a model is configured: ask before doing without."""
        ...

    @property
    def mail(self) -> Mail:
        """The operator's mail server."""
        ...

    @property
    def cache(self) -> BlockCache:
        """What this block keeps for runs to come."""
        ...

    @property
    def knowledge(self) -> Knowledge:
        """The organization's documents."""
        ...

    @property
    def search_engine(self) -> str | None:
        """The operator's search engine, a URL with `{query}` (`PAGEHAND_SEARCH_ENGINE`)."""
        ...

    @property
    def captcha_solver(self) -> CaptchaSolver | None:
        """What answers captchas in a person's place (`PAGEHAND_CAPTCHA_SOLVER`), if the operator set one."""
        ...

    def keep_secret(self, value: str) -> None:
        """Take `value` out of all this execution says from now on: events, messages, errors, context."""
        ...

    def holds_secret(self, text: str) -> bool:
        """True when `text`, from one of the kind's `secret_fields`, is to hold a secret of a login."""
        ...

    def reveal(self, text: str, urls: Sequence[str], *, scripted_within: ScriptedWithin | None = None) -> str:
        """`text` with its secrets, to type or send at `urls`; `BlockFailed` where they may not go.

        With `scripted_within`, nor where JavaScript of the workflow has run.
        """
        ...

    def waiting_for_person(self, reason: str) -> AbstractAsyncContextManager[asyncio.Event]:
        """Pause the execution for what only a person can do; it goes on when the `async with` is left.

        The event is set when the person says that it is done.
        """
        ...

    async def wait_for_approval(self, reason: str) -> None:
        """Pause until a person resumes the execution, which says: go on."""
        ...

    def resolve(self, value: Any) -> Any:
        """Fill in the templates of a value that was left as written."""
        ...

    async def find(
        self, purpose: Purpose = "act", locator: Locator | None = None, *, kind: TargetKind = "anything"
    ) -> FoundElement:
        """The element of `locator`, by default the block's own, within its time; noted in its event.

        `kind` is what words in the locator may mean.
        """
        ...

    def allow_action(self) -> None:
        """Extend the block's time a little, to act on an element that was found late."""
        ...

    def stopped_clock(self) -> AbstractContextManager[None]:
        """The block's time stands still within: for work that has a limit of its own."""
        ...

    async def adopt(self, moved: Locator) -> None:
        """The block's element is found by `moved` from now on."""
        ...

    def note_found(self, found: FoundElement) -> None:
        """Say in the block's event how an element was found; `find` does so itself."""
        ...

    def timing(self, phase: Literal["picture", "find", "act", "settle"]) -> AbstractContextManager[None]:
        """Add the time spent within to that phase in the block's event."""
        ...

    async def holds(self, condition: Condition, **names: Any) -> bool:
        """Judge a condition, once; `names` are added to what it may refer to."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait; stops counting while the execution is paused."""
        ...

    def publish_rounds(self, rounds: list[Any]) -> None:
        """Give the rounds of a loop before it ends: what they hold by then is kept even when it fails."""
        ...

    def replace_round(self, position: int, value: Any) -> None:
        """Replace the outputs of a round."""
        ...

    async def run_sequence(self, name: str) -> None:
        """Run one of the block's nested sequences as if its blocks stood beside this one."""
        ...

    async def run_round(self, name: str, outputs: Json, **names: Any) -> None:
        """Run a nested sequence as one round of a loop: the outputs of its blocks go into `outputs` alone.

        `names` (item, index, an itemName) are added for them. LoopBreak and LoopContinue come through.
        """
        ...

    async def run_step(self, definition: Mapping[str, Any]) -> Any:
        """Run a block that is not part of the workflow, as a step of this one; its output, or None."""
        ...

    async def say(self, role: str, text: str) -> None:
        """Write into the execution's conversation: `user`, `assistant` or `tool`."""
        ...

    def starts_in(self) -> str | None:
        """The nested sequence in which the run begins, when it begins inside this block; asked once."""
        ...

    async def sign_in(self, login_id: str | None, *, force: bool) -> None:
        """Sign in with a stored login, the execution's own when no id is given; ends at its home page.

        `force` signs in again even if the browser is signed in already.
        """
        ...

    def beginning_effect(self, description: str) -> AbstractAsyncContextManager[None]:
        """Around what acts on the outside: known before it can happen, so that nothing repeats it by itself.

        An error that says it was never sent takes it back.
        """
        ...

    def intending_effect(self, description: str) -> AbstractAsyncContextManager[None]:
        """Around an act on the page: recorded under `description` before its effect can leave the browser."""
        ...

    def emit(self, type: str, message: str, data: Mapping[str, Any] | None = None) -> None:  # noqa: A002 - the event's own word
        """Write an event, such as `loop.round`."""
        ...

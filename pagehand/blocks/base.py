"""What a block is: its data, its facts, its behaviour, and all that it may touch."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, Self

from pydantic import Field, ValidationError

from pagehand.blocks.agent_tool import AgentTarget, AgentTool
from pagehand.blocks.recorded import RecordedAs
from pagehand.browser_session import FoundElement, PageSession, Purpose
from pagehand.errors import BadData, InvalidRequest
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
from pagehand.workflow.envelope import Envelope
from pagehand.workflow.locator import Locator
from pagehand.workflow.problems import first_problem
from pagehand.workflow.recorded import ActKind
from pagehand.workflow.template_fields import check_templates, fill_in
from pagehand.workflow.wire import RESOLVED, WireModel, wire_names

DeclaredOutput = Literal["data", "file", "rounds"]
"""What a kind puts out that sentences speak of; `rounds` for what its nested blocks do."""


class Nothing:
    """Stands for "this block put out no value", which is not the same as null."""


NOTHING = Nothing()


@dataclass(slots=True)
class Outcome:
    """How a block ended well: its output, and what its event should say."""

    output: Any = NOTHING
    message: str = ""
    details: Json = field(default_factory=Json)
    remark: str = ""
    """What a reader of the summary must know, such as that nothing was found."""


@dataclass(slots=True, frozen=True)
class CodePiece:
    """Code in a block, for checks before it runs."""

    field: str
    text: str
    language: Literal["python", "javascript"]
    arguments: int
    """How many arguments a function in it is called with."""
    names: frozenset[str] = frozenset()
    """What an expression in it may speak of."""


# control flow, not errors: nothing that catches errors may stop them
class LeaveLoop(BaseException):
    """The innermost loop ends here."""


class NextRound(BaseException):
    """The innermost loop goes on with its next round."""


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
        """params, blocks, item, index, login, execution, now: what templates and expressions speak of."""
        ...

    @property
    def remaining_seconds(self) -> float:
        """What is left of the block's time; large when it has no limit of its own."""
        ...

    @property
    def page(self) -> PageSession:
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

    def reveal(self, text: str, url: str) -> str:
        """`text` with its secrets, to type at `url` or to send there; `BlockFailed` where they may not go."""
        ...

    def waiting_for_person(self, reason: str) -> AbstractAsyncContextManager[asyncio.Event]:
        """Pause the execution for what only a person can do; it goes on when the `async with` is left.

        The event is set when the person says that it is done.
        """
        ...

    async def wait_for_word(self, reason: str) -> None:
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

    def note_found(self, found: FoundElement) -> None:
        """Say in the block's event how an element was found; `find` does so itself."""
        ...

    def timing(self, phase: Literal["find", "act", "settle"]) -> AbstractContextManager[None]:
        """Add the time spent within to that phase in the block's event."""
        ...

    async def holds(self, condition: Condition, **names: Any) -> bool:
        """Judge a condition, once; `names` are added to what it may speak of."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait; stops counting while the execution is paused."""
        ...

    def put_out(self, rounds: list[Any]) -> None:
        """Give the rounds of a loop before it ends: what they hold by then is kept even when it fails."""
        ...

    def replace_round(self, position: int, value: Any) -> None:
        """Put something else in the place of what a round has put out."""
        ...

    async def run_sequence(self, name: str) -> None:
        """Run one of the block's nested sequences as if its blocks stood beside this one."""
        ...

    async def run_round(self, name: str, put_out: Json, **names: Any) -> None:
        """Run a nested sequence as one round of a loop: its blocks put out into `put_out` alone.

        `names` (item, index, an itemName) are added for them. LeaveLoop and NextRound come through.
        """
        ...

    async def run_step(self, definition: Mapping[str, Any]) -> Any:
        """Run a block that is not part of the workflow, as a step of this one; what it put out, or None."""
        ...

    async def say(self, role: str, text: str) -> None:
        """Write into the execution's conversation: `user`, `assistant` or `tool`."""
        ...

    def starts_in(self) -> str | None:
        """The nested sequence in which the run begins, when it begins inside this block; asked once."""
        ...

    async def sign_in(self, login_id: str | None, *, force: bool) -> None:
        """Sign in with a stored login, the execution's own when no id is given; ends at its home page.

        `force` signs in anew even where the browser is signed in already.
        """
        ...

    def beginning_effect(self, what: str) -> AbstractAsyncContextManager[None]:
        """Around what acts on the outside: known before it can happen, so that nothing repeats it by itself.

        An error that says it was never sent takes it back.
        """
        ...

    def intending_effect(self, what: str | None) -> AbstractAsyncContextManager[None]:
        """Around an act on the page that may set off `what`; taken back if nothing was sent."""
        ...

    def emit(self, type: str, message: str, data: Mapping[str, Any] | None = None) -> None:  # noqa: A002 - the event's own word
        """Write an event, such as `loop.round`."""
        ...


class Block(WireModel):
    """The `data` of one block and what the kind does with it.

    A kind is one module: a docstring for users, a subclass with typed fields, `run`, and `EXAMPLES`.
    """

    type: ClassVar[str]
    title: ClassVar[str]
    sequences: ClassVar[tuple[str, ...]] = ()
    needs_page: ClassVar[bool] = False
    changes_page: ClassVar[bool] = False
    reads_page: ClassVar[bool] = False
    """What it puts out is what the page shows: a blank tab is a failure, not an empty value."""
    names_logins: ClassVar[bool] = False
    """True for a kind whose blocks may name stored logins, see `named_logins`."""
    secret_fields: ClassVar[frozenset[str]] = frozenset()
    """Fields, by wire name, that are typed or sent as auth: in them alone `{{login.…}}` means secrets.

    They arrive as stand-ins; `RunContext.reveal` gives the secret for an address of the login's own.
    """
    locator_use: ClassVar[Literal["required", "optional", "unused"]] = "unused"
    reads_frames: ClassVar[bool] = False
    """A locator with `frame` alone means all of that frame."""
    default_timeout_seconds: ClassVar[float | None] = 30
    also_called: ClassVar[tuple[str, ...]] = ()
    """What people call it who do not know its name; an unknown type of that name suggests this kind."""
    needs_loop: ClassVar[bool] = False
    """True for a kind that makes sense only inside a loop."""
    own_names: ClassVar[dict[str, tuple[str, ...]]] = {}
    """Names that only parts of its own data know, by the path of the part."""
    often_meant: ClassVar[dict[str, str]] = {}
    """Keys that people try in `data`, and what to write instead."""
    agent_tool: ClassVar[AgentTool | None] = None
    """Set for a kind that agents may use as a tool."""
    clears_overlay: ClassVar[bool] = False
    """True for the kind that, with no data, closes what lies over the page; tried when a block fails."""
    fresh_sign_in: ClassVar[Mapping[str, Any] | None] = None
    """The data with which the kind signs in anew with the execution's own login; set for one kind."""

    sentences: ClassVar[str] = ""
    """How people say it: a `Sentences` object as `module:NAME`, loaded when an instruction is first read."""
    recorded_as: ClassVar[Mapping[ActKind, RecordedAs]] = {}
    """What a person may do by hand that a block of this kind does again; each act has one kind."""
    output_kind: ClassVar[DeclaredOutput | None] = None
    """What later sentences may call "the results" or "the file"."""

    timeout_ms: int | None = Field(default=None, gt=0)
    """Time the block may take, in milliseconds."""

    @classmethod
    def field_names(cls) -> tuple[str, ...]:
        """The keys its `data` may have."""
        return wire_names(cls)

    @classmethod
    def check(cls, data: Json, locator: Locator | None) -> None:
        """Refuse data or a locator that do not fit, templates allowed; `InvalidRequest` names the field."""
        try:
            cls.model_validate(data)
        except ValidationError as error:
            if problem := first_problem(
                error, cls, data, "data", forgive_templates=True, often_meant=cls.often_meant
            ):
                raise InvalidRequest(problem) from error
        check_templates(cls, data)
        if cls.locator_use == "required" and locator is None:
            raise InvalidRequest(f"`locator` is missing: {cls.title} blocks need one.")
        if cls.locator_use == "unused" and locator is not None:
            raise InvalidRequest(f"`locator`: {cls.title} blocks have no use for one; leave it out.")
        if locator is not None and locator.is_frame and not cls.reads_frames:
            raise InvalidRequest(
                f"`locator.frame` alone names a frame, and {cls.title} blocks need an element in it: add "
                "`words`, `role` and `text`, `label` or `css`."
            )

    @classmethod
    def resolve_data(
        cls, data: Json, names: Mapping[str, Any], secret_login: Mapping[str, Any] | None = None
    ) -> Json:
        """`data` with its templates filled in; code, expressions and conditions stay as written.

        `secret_login` is what `login` means in the kind's `secret_fields`: stand-ins for its secrets.
        """
        if secret_login is None or not cls.secret_fields:
            return fill_in(cls, data, names)
        secret = {key: value for key, value in data.items() if key in cls.secret_fields}
        plain = {key: value for key, value in data.items() if key not in cls.secret_fields}
        return {**fill_in(cls, plain, names), **fill_in(cls, secret, {**names, "login": secret_login})}

    @classmethod
    def parse(cls, resolved: Json) -> Self:
        """The block to run, from data whose templates are filled in; `BlockFailed` names what is wrong."""
        try:
            return cls.model_validate(resolved, strict=False, context=RESOLVED)
        except ValidationError as error:
            raise BadData(first_problem(error, cls, resolved, "data") or "") from error

    @property
    def commits(self) -> bool:
        """True when the block's effect must never happen twice."""
        return False

    def wants_page(self) -> bool:
        """True when this very block needs the browser; the kind's own fact unless its data decides."""
        return self.needs_page

    @classmethod
    def takes_login(cls, data: Mapping[str, Any]) -> bool:  # noqa: ARG003 - for kinds that look at it
        """True when the block signs in with the execution's own login, so that the engine does not."""
        return False

    @classmethod
    def named_logins(cls, data: Mapping[str, Any], params: Mapping[str, Any]) -> list[str]:  # noqa: ARG003 - as above
        """Ids of the stored logins that the block names, as far as `params` tell; for kinds that may."""
        return []

    @classmethod
    def names_inside(cls, data: Mapping[str, Any]) -> tuple[str, ...]:  # noqa: ARG003 - as above
        """Names that it adds for the blocks nested in it."""
        return ()

    @classmethod
    def ends_sequence(cls, data: Mapping[str, Any]) -> bool:  # noqa: ARG003 - as above
        """True when nothing behind the block in its sequence can ever run."""
        return False

    @classmethod
    def code_in(cls, data: Mapping[str, Any]) -> Iterator[CodePiece]:  # noqa: ARG003 - as above
        """The code in its data, so that it can be checked before it runs."""
        yield from ()

    @classmethod
    def doubts(
        cls,
        data: Mapping[str, Any],  # noqa: ARG003 - as above
        locator: Mapping[str, Any] | None,  # noqa: ARG003 - as above
    ) -> Iterator[tuple[str, str]]:
        """What is probably not meant, by field; reported as warnings when the block is kept."""
        yield from ()

    @classmethod
    def agent_data(cls, data: Json, target: AgentTarget | None) -> Json:  # noqa: ARG003 - as above
        """The data of an agent's step from what the model filled in; `BlockFailed` says why it cannot be."""
        return data

    @classmethod
    def agent_presses(cls, data: Mapping[str, Any], target: AgentTarget) -> Sequence[str]:  # noqa: ARG003 - as above
        """What the control says that an agent's step presses; empty when it presses none."""
        return ()

    async def run(self, ctx: RunContext) -> Outcome:
        """Do what the kind does."""
        raise NotImplementedError


class Committing(Block):
    """A kind whose effect on the outside may be marked as happening at most once."""

    is_commit: bool = False
    """The effect must never happen twice: no automatic retry once it has begun."""
    on_doubt: Literal["fail", "pause"] = "fail"
    """What to do when it is unknown whether the effect happened."""

    @property
    def commits(self) -> bool:
        """As the user marked it."""
        return self.is_commit

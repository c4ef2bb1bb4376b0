"""What a block kind is: its fields, what it declares about itself, and its behaviour."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, ValidationError

from pagehand.blocks.agent_tool import AgentTarget, AgentTool
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BadData, InvalidRequest, PagehandError, SiteDown, TimedOut, Unanswered
from pagehand.records import Json
from pagehand.workflow.locator import Locator
from pagehand.workflow.problems import first_problem
from pagehand.workflow.recorded import ActKind, RecordedAct
from pagehand.workflow.templates import check_templates, fill_in
from pagehand.workflow.wire import RESOLVED, WireModel, wire_names

LocatorUse = Literal["required", "optional", "unused"]
DeclaredOutput = Literal["data", "file", "rounds"]
"""The output of a kind, as instructions refer to it; `rounds` for those of its nested blocks."""


@dataclass(slots=True, frozen=True)
class CodeFragment:
    """Code in a block, for checks before it runs."""

    field: str
    text: str
    language: Literal["python", "javascript"]
    arguments: int
    """How many arguments a function in it is called with."""
    names: frozenset[str] = frozenset()
    """Names that an expression in it may use."""


@dataclass(slots=True, frozen=True)
class RecordingRule:
    """The block that an act becomes."""

    begins: str
    """How its name begins; what the element is called follows."""
    data: Callable[[RecordedAct], Json]
    """Its data; secrets are references to the login, never values."""


class Block(WireModel):
    """The `data` of one block and what the kind does with it.

    A kind is one module: a docstring for users, a subclass with typed fields, `run`, and `EXAMPLES`.
    """

    type: ClassVar[str]
    title: ClassVar[str]
    label: ClassVar[str] = ""
    """What people call what it does, as `Click`; without one, the title."""
    menu_position: ClassVar[int] = 100
    """Its place among the kinds of its group in menus: what is used most comes first."""
    sequences: ClassVar[tuple[str, ...]] = ()
    needs_page: ClassVar[bool] = False
    changes_page: ClassVar[bool] = False
    changes_by_acting: ClassVar[bool] = False
    """It changes the page only within `acting`, which waits until the picture of the block before is taken.

    Any other kind that uses the page waits before it begins.
    """
    reads_page: ClassVar[bool] = False
    """Its output is what the page shows: a blank tab is a failure, not an empty value."""
    names_logins: ClassVar[bool] = False
    """True for a kind whose blocks may name stored logins, see `named_logins`."""
    secret_fields: ClassVar[frozenset[str]] = frozenset()
    """Fields, by wire name, that are typed or sent as auth: in them alone `{{login.…}}` means secrets.

    They arrive as placeholders; `RunContext.reveal` gives the secret for an address of the login's own.
    """
    locator_use: ClassVar[LocatorUse] = "unused"
    reads_frames: ClassVar[bool] = False
    """A locator with `frame` alone means all of that frame."""
    default_timeout_seconds: ClassVar[float | None] = 30
    also_called: ClassVar[tuple[str, ...]] = ()
    """What people call it who do not know its name; an unknown type of that name suggests this kind."""
    needs_loop: ClassVar[bool] = False
    """True for a kind that makes sense only inside a loop."""
    own_names: ClassVar[dict[str, tuple[str, ...]]] = {}
    """Names that are known only in parts of its data, by the path of the part."""
    key_hints: ClassVar[dict[str, str]] = {}
    """Keys that people try in `data`, and what to write instead."""
    verb: ClassVar[str] = "uses"
    """What its blocks do with the element they name, for sentences about them."""
    agent_tool: ClassVar[AgentTool | None] = None
    """Set for a kind that agents may use as a tool."""
    clears_overlay: ClassVar[bool] = False
    """True for the kind that, with no data, closes what lies over the page; tried when a block fails."""
    fresh_sign_in: ClassVar[Mapping[str, Any] | None] = None
    """The data with which the kind signs in again with the execution's own login; set for one kind."""

    sentences: ClassVar[str] = ""
    """How people say it: a `Sentences` object as `module:NAME`, loaded when an instruction is first read."""
    recorded_as: ClassVar[Mapping[ActKind, RecordingRule]] = {}
    """What a person may do by hand that a block of this kind does again; each act has one kind."""
    output_kind: ClassVar[DeclaredOutput | None] = None
    """What later sentences may call "the results" or "the file"."""

    timeout_ms: int | None = Field(default=None, gt=0)
    """Time the block may take, in milliseconds."""
    retry_safe: bool = False
    """Repeating what it does is harmless: its effects keep no automatic retry from happening."""

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
                error, cls, data, "data", forgive_templates=True, key_hints=cls.key_hints
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
        if problem := cls.what_prevents_running(data, locator):
            raise InvalidRequest(problem)

    @classmethod
    def complete(cls, data: Json, locator: Json, reference: str) -> Json:  # noqa: ARG003 - for kinds that look at it
        """The data that was checked, with what may be left out and every answer has."""
        return data

    @classmethod
    def what_prevents_running(cls, data: Json, locator: Locator | None) -> str | None:  # noqa: ARG003 - for kinds that look at it
        """Why no block of this data and locator can ever run, whatever its templates yield; None if it may.

        `data` fits the fields one by one; this is for what they lack together, or beside the locator.
        """
        return None

    @classmethod
    def resolve_data(
        cls, data: Json, names: Mapping[str, Any], secret_login: Mapping[str, Any] | None = None
    ) -> Json:
        """`data` with its templates filled in; code, expressions and conditions stay as written.

        `secret_login` is what `login` means in the kind's `secret_fields`: placeholders for its secrets.
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
    def may_want_page(cls, data: Json) -> bool:
        """False when no block of this data needs the browser, whatever its templates yield."""
        if cls.needs_page or cls.wants_page is Block.wants_page:
            return cls.needs_page
        try:
            return cls.model_validate(data).wants_page()
        except ValidationError:  # of templates
            return True

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
    def code_in(cls, data: Mapping[str, Any]) -> Iterator[CodeFragment]:  # noqa: ARG003 - as above
        """The code in its data, so that it can be checked before it runs."""
        yield from ()

    @classmethod
    def warnings(
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


IN_DOUBT = (Unanswered, TimedOut)
"""Errors of a call after which the outside may or may not have acted."""
ACT_IN_DOUBT = (SiteDown, TimedOut)
"""The same for an act on the page: what it set going was sent by the browser, and the answer is missing."""


class CommittingBlock(Block):
    """A kind whose effect on the outside may be marked as happening at most once."""

    is_commit: bool = False
    """The effect must never happen twice: no automatic retry once it has begun."""
    on_doubt: Literal["fail", "pause"] = "fail"
    """What to do when it is unknown whether the effect happened."""

    @property
    def commits(self) -> bool:
        """As the user marked it."""
        return self.is_commit

    async def settle_doubt(self, ctx: RunContext, error: PagehandError) -> Outcome:
        """Wait for a person's word where `onDoubt` asks for it; else the error stands, with the doubt named.

        A person who resumes the execution confirms that it happened; one who finds it did not cancels it.
        """
        # without the mark the ordinary rules for retrying decide
        if not self.commits:
            raise error
        doubt = f"{error.message} Whether the effect happened is unknown; look before doing it again."
        if self.on_doubt == "pause":
            await ctx.wait_for_approval(
                f"{doubt} Approve (resume) if it did happen, decline (cancel) if it did not."
            )
            return Outcome(
                output=None, message="A person confirmed that it happened.", details={"inDoubt": True}
            )
        raise type(error)(doubt) from error

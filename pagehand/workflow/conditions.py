"""Conditions as users write them; `RunContext.holds` judges them."""

import re
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import BeforeValidator, Discriminator, Field, Tag, field_validator, model_validator

from pagehand.records import Json, is_object
from pagehand.workflow.locator import Locator
from pagehand.workflow.wire import Code, NotATemplate, Text, WireModel

_SHOWN_STATES = (
    *("visible", "hidden", "exists", "enabled", "disabled", "checked", "unchecked"),
    *("textContains", "valueEquals"),
)
_STATES = frozenset(_SHOWN_STATES)
_OF_ANY = frozenset(("visible", "hidden", "exists"))
_COUNT = re.compile(r"count\s*(>=|<=|=|>|<)\s*(\d+)")


class ExpressionCondition(WireModel):
    """Holds when the expression is true; the same names as in templates."""

    expression: Code = Field(min_length=1)
    """For example `params.n > 3`."""


class ElementCondition(WireModel):
    """Holds when the element is in the given state."""

    form_hints: ClassVar[Json] = {"x-label": "An element is …"}

    element: Locator
    """Which element is looked at."""
    state: Text = Field(default="visible", json_schema_extra={"x-suggestions": [*_SHOWN_STATES]})
    """visible, hidden, exists, enabled, disabled, checked, unchecked, textContains, valueEquals, count>2."""
    value: Text | None = None
    """What textContains and valueEquals compare with."""

    @field_validator("state")
    @classmethod
    def _known(cls, state: str) -> str:
        if state not in _STATES and not _COUNT.fullmatch(state) and "{{" not in state:
            raise ValueError(f"expected one of {', '.join(sorted(_STATES))} or a count like count>2")
        return state

    @model_validator(mode="after")
    def _has_what_it_compares_with(self) -> Self:
        if self.state in ("textContains", "valueEquals") and self.value is None:
            raise ValueError(f"state {self.state} needs a value")
        return self

    @property
    def is_about_one(self) -> bool:
        """True when the verdict depends on which of several elements is meant."""
        return self.state not in _OF_ANY and not _COUNT.fullmatch(self.state)

    def count(self) -> tuple[str, int] | None:
        """Comparison and number of a count state."""
        match = _COUNT.fullmatch(self.state)
        return (match[1], int(match[2])) if match else None


class UrlCondition(WireModel):
    """Holds when the page's address matches."""

    form_hints: ClassVar[Json] = {"x-label": "The address matches"}

    url: Text = Field(min_length=1)
    """A pattern with `*` for anything, or a part of the address."""


class PromptCondition(WireModel):
    """Holds when the model says so about the page."""

    form_hints: ClassVar[Json] = {"x-label": "A model says so"}

    prompt: Text = Field(min_length=1)
    """A question with a yes or no answer."""


_KINDS: Final = ("expression", "element", "url", "prompt")


def _refuse_several(value: Any) -> Any:
    given = [name for name in _KINDS if name in value] if is_object(value) else []
    if len(given) > 1:
        both = " and ".join(f"`{name}`" for name in given)
        raise ValueError(
            f"{both} are {len(given)} conditions in one; give one of them, and put the other in a block of "
            "its own, such as an If around this one"
        )
    return value


def _which(value: Any) -> str | None:
    if isinstance(value, str):
        return "text"
    # with none of the names it is judged as an expression, whose missing field is then reported
    if isinstance(value, dict):
        return next((name for name in _KINDS if name in value), "expression")
    return next((name for name in _KINDS if hasattr(value, name)), None)


Condition = Annotated[
    Annotated[Code, Field(min_length=1), Tag("text")]
    | Annotated[ExpressionCondition, Tag("expression")]
    | Annotated[ElementCondition, Tag("element")]
    | Annotated[UrlCondition, Tag("url")]
    | Annotated[PromptCondition, Tag("prompt")],
    Discriminator(
        _which,
        custom_error_type="condition",
        custom_error_message="expected an expression or one of {expression}, {element}, {url}, {prompt}",
    ),
    BeforeValidator(_refuse_several),
    NotATemplate(),
]
"""A bare string is an expression. Templates inside are filled in each time the condition is judged."""


def looks_at_page(condition: Condition | None) -> bool:
    """True when judging the condition needs the browser."""
    return isinstance(condition, ElementCondition | UrlCondition | PromptCondition)


def describe(condition: Condition) -> str:
    """The condition as given, for messages."""
    match condition:
        case ElementCondition():
            value = f" `{condition.value}`" if condition.value is not None else ""
            return f"element {condition.element} is {condition.state}{value}"
        case UrlCondition():
            return f"the address matches `{condition.url}`"
        case PromptCondition():
            return condition.prompt
        case ExpressionCondition():
            return f"`{condition.expression}`"
        case str():
            return f"`{condition}`"

"""Evaluating conditions: expressions in the sandbox, elements and addresses on the page, prompts."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from msgspec import Struct, convert
from playwright.async_api import Locator as Element

from pagehand.browser import BrowserSession
from pagehand.errors import ModelNeeded
from pagehand.javascript import load_script
from pagehand.page.dom import on_dom
from pagehand.ports import Model, Sandbox
from pagehand.workflow import templates, wildcard
from pagehand.workflow.conditions import (
    Condition,
    ElementCondition,
    ExpressionCondition,
    PromptCondition,
    UrlCondition,
)
from pagehand.workflow.wire import RESOLVED

OpenPage = Callable[[], Awaitable[BrowserSession]]
_VERDICT = {
    "type": "object",
    "properties": {"holds": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["holds"],
}
_MAX_ELEMENTS = 50
"""More matches do not change the result of any sensible condition."""
_READ_STATES = on_dom(load_script(__file__, "element_states"))
_MARKS = ".,"


class _ElementState(Struct):
    """What `element_states.js` answers for one element."""

    visible: bool
    enabled: bool
    checked: Any
    """A boolean, except for custom elements."""
    text: str
    value: str


class ConditionEvaluator:
    """Evaluates conditions once, as of now."""

    def __init__(
        self, sandbox: Sandbox, open_page: OpenPage, model: Callable[[], Model | None] = lambda: None
    ) -> None:
        self._sandbox = sandbox
        self._open_page = open_page
        self._model = model
        self._last_answer: tuple[tuple[str, str], bool] | None = None

    async def holds(self, condition: Condition, names: Mapping[str, Any]) -> bool:
        """Whether the condition holds now; its templates are filled in from `names`."""
        match condition:
            case str():
                return bool(await self._sandbox.evaluate(condition, names))
            case ExpressionCondition():
                return bool(await self._sandbox.evaluate(condition.expression, names))
            case UrlCondition():
                page = (await self._open_page()).page
                return _address_fits(str(templates.resolve(condition.url, names)), page.url)
            case ElementCondition():
                return await self._element_holds(condition, names)
            case PromptCondition():
                return await self._prompt_holds(str(templates.resolve(condition.prompt, names)))

    async def _prompt_holds(self, statement: str) -> bool:
        """Ask the model, but not twice about the same page."""
        model = self._model()
        if model is None:
            raise ModelNeeded(
                "The condition is a prompt, which needs a language model, and none is configured. "
                "Set `PAGEHAND_MODEL`, or use an expression, element or url condition."
            )
        page = await (await self._open_page()).describe()
        # WaitForCondition asks five times a second, and every call of a model costs money
        if self._last_answer is None or self._last_answer[0] != (statement, page):
            self._last_answer = ((statement, page), (await judge(model, statement, page))[0])
        return self._last_answer[1]

    async def _element_holds(self, condition: ElementCondition, names: Mapping[str, Any]) -> bool:
        filled = templates.resolve(condition.as_given(), names)
        condition = ElementCondition.model_validate(filled, strict=False, context=RESOLVED)
        session = await self._open_page()
        elements = await session.find_all(condition.element, only_one=condition.is_about_one)
        if (count := condition.count()) is not None:
            return _compare(len(elements), *count)
        return _state_holds(condition, await _read_states(elements[:_MAX_ELEMENTS]))


async def judge(model: Model, statement: str, page: str) -> tuple[bool, str]:
    """Whether the model takes the statement for true of a described page, and why."""
    verdict = await model.data(model.prompt("condition", statement=statement), page, _VERDICT)
    return bool(verdict["holds"]), str(verdict.get("reason") or "no reason given")


async def _read_states(elements: list[Element]) -> list[_ElementState]:
    """The state of each match; one that vanished meanwhile is left out."""
    # `evaluate_all` gives an empty list for an element that is gone, where `evaluate` would wait for it
    states = await asyncio.gather(*(element.evaluate_all(_READ_STATES) for element in elements))
    return [state for found in states for state in convert(found, list[_ElementState])]


def _state_holds(condition: ElementCondition, states: list[_ElementState]) -> bool:  # noqa: PLR0911 - one per state
    visible = [state for state in states if state.visible]
    first = (visible or states or [None])[0]
    wanted = " ".join((condition.value or "").split())
    match condition.state:
        case "exists":
            return bool(states)
        case "visible":
            return bool(visible)
        case "hidden":
            return not visible
        case "textContains":
            return any(contains(state.text, wanted) for state in visible or states)
        case _ if first is None:
            return False
        case "enabled" | "disabled" as state:
            return first.enabled == (state == "enabled")
        case "checked" | "unchecked" as state:
            return first.checked == (state == "checked")
        case _:
            return first.value == (condition.value or "")


def _compare(count: int, sign: str, number: int) -> bool:
    return {
        ">": count > number,
        ">=": count >= number,
        "=": count == number,
        "<": count < number,
        "<=": count <= number,
    }[sign]


def _address_fits(pattern: str, address: str) -> bool:
    """`*` stands for anything; a pattern without one is looked for anywhere in the address."""
    if "*" not in pattern:
        return pattern in address
    return wildcard.matches(pattern, address)


def contains(text: str, wanted: str) -> bool:
    """True when `wanted` stands in `text` without cutting a number in two."""
    start = text.find(wanted)
    while start >= 0:
        if not (_cuts_before(text, start) or _cuts_after(text, start + len(wanted))):
            return True
        # the next place, as `5 claims` stands in `25 claims, 5 claims` too
        start = text.find(wanted, start + 1)
    return False


def _cuts_before(text: str, start: int) -> bool:
    before = text[max(0, start - 2) : start]
    if not text[start : start + 1].isdigit() or not before:
        return False
    return before[-1].isdigit() or (before[-1] in _MARKS and before[:1].isdigit())


def _cuts_after(text: str, end: int) -> bool:
    after = text[end : end + 2]
    if not text[end - 1 : end].isdigit() or not after:
        return False
    return after[0].isdigit() or (after[0] in _MARKS and after[1:].isdigit())

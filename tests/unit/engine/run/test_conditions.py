"""Whether a condition holds: by an expression, an address, an element's state, or a model's word."""

from collections.abc import Sequence
from typing import Any, cast

import pytest

from pagehand.browser import BrowserSession
from pagehand.engine.run.conditions import ConditionEvaluator
from pagehand.errors import ModelNeeded
from pagehand.ports import Model, Sandbox
from pagehand.workflow.conditions import ElementCondition, ExpressionCondition, PromptCondition, UrlCondition

pytestmark = pytest.mark.anyio
SHOWN = {"visible": True, "text": "paid on Monday", "enabled": True, "checked": False, "value": "7"}


class Element:
    """A match, or what is left of one that vanished."""

    def __init__(self, *looks: dict[str, Any]) -> None:
        self.looks = list(looks)

    async def evaluate_all(self, script: str) -> list[dict[str, Any]]:
        assert script
        return self.looks


class Page:
    """What an evaluator asks of a page."""

    def __init__(self, url: str = "about:blank", elements: Sequence[Element] = (), says: str = "") -> None:
        self.url = url
        self.page = self
        self.elements = list(elements)
        self.says = says
        self.found: list[tuple[Any, bool]] = []

    async def find_all(self, locator: Any, *, only_one: bool) -> list[Element]:
        self.found.append((locator, only_one))
        return self.elements

    async def describe(self) -> str:
        return self.says


class Expressions:
    """A sandbox that knows what each expression comes to."""

    def __init__(self, **values: Any) -> None:
        self.values = values

    async def evaluate(self, expression: str, names: Any) -> Any:
        del names
        return self.values[expression]


class Verdicts:
    """A model that says what the test wants, and counts."""

    def __init__(self, *holds: bool) -> None:
        self.holds = list(holds)
        self.asked = 0

    def prompt(self, name: str, **words: str) -> str:
        return f"{name} {words}"

    async def data(self, prompt: str, page: str, schema: Any) -> Any:
        del prompt, page, schema
        self.asked += 1
        return {"holds": self.holds.pop(0)}


def evaluator(page: Page | None = None, model: Verdicts | None = None, **values: Any) -> ConditionEvaluator:
    async def opened() -> BrowserSession:
        assert page is not None, "an expression needs no page"
        return cast("BrowserSession", page)

    return ConditionEvaluator(
        cast("Sandbox", Expressions(**values)), opened, lambda: cast("Model | None", model)
    )


@pytest.mark.parametrize(
    ("value", "holds"), [(True, True), (False, False), (None, False), ("", False), ([], False), ("no", True)]
)
async def test_an_expression_holds_by_its_truth_and_opens_no_page(value: Any, holds: bool) -> None:
    assert await evaluator(x=value).holds("x", {}) is holds
    assert await evaluator(x=value).holds(ExpressionCondition(expression="x"), {}) is holds


@pytest.mark.parametrize(
    ("pattern", "holds"),
    [
        ("orders", True),
        ("https://shop.example/orders/7?a=1", True),
        ("*/orders/*", True),
        ("*/orders", False),
        ("https://*.example/*", True),
        ("ORDERS", False),
        ("{{params.part}}", True),
        ("shop.example/.*", False),
    ],
)
async def test_an_address_fits_a_part_or_a_pattern(pattern: str, holds: bool) -> None:
    page = Page("https://shop.example/orders/7?a=1")
    names = {"params": {"part": "orders/7"}}
    assert await evaluator(page).holds(UrlCondition(url=pattern), names) is holds


def element(state: str, value: str | None = None) -> ElementCondition:
    return ElementCondition.model_validate({"element": {"css": "#x"}, "state": state, "value": value})


HIDDEN = {**SHOWN, "visible": False, "text": "Secret", "value": "8"}


@pytest.mark.parametrize(
    ("state", "value", "looks", "holds"),
    [
        ("exists", None, [], False),
        ("exists", None, [HIDDEN], True),
        ("visible", None, [HIDDEN], False),
        ("visible", None, [HIDDEN, SHOWN], True),
        ("hidden", None, [], True),
        ("hidden", None, [HIDDEN], True),
        ("hidden", None, [HIDDEN, SHOWN], False),
        ("enabled", None, [], False),
        ("disabled", None, [], False),
        ("enabled", None, [SHOWN], True),
        ("disabled", None, [SHOWN], False),
        ("disabled", None, [{**SHOWN, "enabled": False}], True),
        ("checked", None, [SHOWN], False),
        ("unchecked", None, [SHOWN], True),
        ("unchecked", None, [{**SHOWN, "checked": None}], False),
        ("textContains", " paid on ", [SHOWN], True),
        ("textContains", "Secret", [HIDDEN, SHOWN], False),
        ("textContains", "Secret", [HIDDEN], True),
        ("textContains", "x", [], False),
        ("valueEquals", "7", [HIDDEN, SHOWN], True),
        ("valueEquals", " 7", [SHOWN], False),
        ("valueEquals", "", [{**SHOWN, "value": ""}], True),
        ("valueEquals", "", [], False),
    ],
)
async def test_an_element_is_judged_by_the_first_one_that_is_seen(
    state: str, value: str | None, looks: list[dict[str, Any]], holds: bool
) -> None:
    page = Page(elements=[Element(look) for look in looks])
    assert await evaluator(page).holds(element(state, value), {}) is holds


@pytest.mark.parametrize(
    ("state", "holds"),
    [
        ("count>2", True),
        ("count>3", False),
        ("count>=3", True),
        ("count=3", True),
        ("count=2", False),
        ("count<3", False),
        ("count<=3", True),
    ],
)
async def test_elements_are_counted(state: str, holds: bool) -> None:
    page = Page(elements=[Element(SHOWN)] * 3)
    assert await evaluator(page).holds(element(state), {}) is holds
    assert page.found[0][1] is False  # no matter which of them


async def test_one_that_vanishes_while_it_is_looked_at_is_not_there() -> None:
    page = Page(elements=[Element()])
    assert not await evaluator(page).holds(element("exists"), {})
    assert await evaluator(page).holds(element("hidden"), {})


async def test_templates_are_filled_in_where_the_element_is_named() -> None:
    page = Page(elements=[Element(SHOWN)])
    condition = ElementCondition.model_validate(
        {"element": {"text": "Row {{params.n}}"}, "state": "textContains", "value": "{{params.word}}"}
    )
    assert await evaluator(page).holds(condition, {"params": {"n": 7, "word": "Monday"}})
    assert page.found[0][0].text == "Row 7"


async def test_a_model_is_asked_once_about_the_same_page() -> None:
    page, model = Page(says="a page"), Verdicts(True, False)
    evaluating = evaluator(page, model)
    prompt = PromptCondition(prompt="Is it paid?")
    assert await evaluating.holds(prompt, {})
    assert await evaluating.holds(prompt, {})
    assert model.asked == 1
    page.says = "another page"
    assert not await evaluating.holds(prompt, {})
    assert model.asked == 2


async def test_without_a_model_a_prompt_names_the_setting() -> None:
    with pytest.raises(ModelNeeded, match="Set `PAGEHAND_MODEL`, or use an expression"):
        await evaluator(Page()).holds(PromptCondition(prompt="Is it?"), {})

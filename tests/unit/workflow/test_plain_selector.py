"""Locators take CSS and XPath, and nothing that only Playwright knows."""

import re
from pathlib import Path

import playwright
import pytest
from pydantic import ValidationError

from pagehand.workflow.locator import PLAYWRIGHT_PSEUDO_CLASSES, Locator

STANDARD_FUNCTIONS = {"not", "is", "where", "has", "scope"}


@pytest.mark.parametrize(
    "css",
    [
        "p:text-matches('^(a+)+$')",
        "p:TEXT-Matches('x')",
        r"p:t\65xt-matches('x')",
        r"p:\74 ext('x')",
        r"a\":text('x')",
        "p:/**/text('x')",
        "div:has(> p:visible)",
        "li:nth-match(a, 1)",
        "a:near(b)",
        "a >> b",
        "a>>text=x",
        "a >> internal:control=enter-frame",
    ],
)
def test_what_only_playwright_knows_is_refused(css: str) -> None:
    for fields in ({"css": css}, {"css": "a", "frame": css}):
        with pytest.raises(ValidationError, match="is Playwright's"):
            Locator.model_validate(fields)


@pytest.mark.parametrize(
    "css",
    [
        *(
            "div > p",
            "a:hover",
            "p:not(:first-child):has(i)",
            "a::before",
            "[title='a >> b']",
            "[x=':text(']",
        ),
        *(r"#a\:b", r".md\:visible", r".a\3a visible", "/* :text(x) */a"),
    ],
)
def test_css_is_taken(css: str) -> None:
    assert Locator(css=css, frame=css).css == css


def test_xpath_is_taken_unless_playwright_would_split_it() -> None:
    for xpath in ("//a[.='a >> b']", "//p/child::text()", "//a[b > c]"):
        assert Locator(xpath=xpath).xpath == xpath
    with pytest.raises(ValidationError, match="is Playwright's"):
        Locator(xpath="//a >> css=p:text-matches('(a+)+')")


def test_every_addition_of_this_playwright_is_known() -> None:
    driver = Path(playwright.__file__).parent / "driver" / "package" / "lib"
    sources = [path.read_text() for path in driver.rglob("*.js") if b"customCSSNames" in path.read_bytes()]
    declared = [
        re.search(r"customCSSNames = (?:/\* @__PURE__ \*/ )?new Set\(\[([^\]]+)\]", text) for text in sources
    ]
    names = {name for found in declared if found for name in re.findall(r"['\"]([\w-]+)['\"]", found[1])}
    assert names - STANDARD_FUNCTIONS == PLAYWRIGHT_PSEUDO_CLASSES


def test_a_selector_that_nobody_writes_is_refused() -> None:
    for name in ("css", "xpath", "frame"):
        with pytest.raises(ValidationError, match="at most 10,000"):
            Locator.model_validate({"text": "x", name: "'" * 10_001})

"""Selectors that no browser takes are refused with what to write; all others pass."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagehand.checks.grammar import css_problem, xpath_problem

RIGHT_CSS = [
    "a",
    "*",
    "#id",
    ".a.b",
    "div > a",
    "> a",
    "h1 + p ~ q",
    "a, b , c",
    "a:hover",
    "a::before",
    "li:nth-child(2n + 1)",
    "li:nth-child(n+3 of .shown)",
    ":is(h1, h2):not(.x, [hidden])",
    ":has(> img + p)",
    "li:first-child",
    "tr:last-of-type",
    "input:checked",
    '[href$=".pdf"]',
    "[href^='http://x.test/?a=1&b=2']",
    "[data-x*=a i]",
    '[title="a ] b ) c"]',
    "[title='it\\'s']",
    '[aria-label="say \\"hi\\""]',
    ".md\\:flex",
    ".w-1\\/2",
    "#\\31 23",
    "[xlink\\:href]",
    "Größe-größe .日本",
    'input[name="q"]',
    ":root",
    "svg|rect",
    ':lang("de")',
    "button:visible:has-text('Save')",
    ":nth-match(button, 3)",
    "[data-x=--a] > [y|z = b s]",
    "a:-webkit-any-link",
    "li:nth-last-child(-n + 3)",
]
WRONG_CSS = [
    ("", "is empty"),
    ("   ", "is empty"),
    ("//div", "this is an XPath; write it as `xpath`"),
    ("(//div)[1]", "this is an XPath"),
    ("text=Save", "`text=` is not CSS; a locator has the fields `text`"),
    ("role = button", "`role=` is not CSS"),
    ("a:contains('x')", "write the text as `text` beside `css`"),
    ("li:first", "use `:nth-child(…)`"),
    ("tr:EQ(2)", "`:EQ` is jQuery's"),
    (":submit", "such as `[type=submit]`"),
    ("a[href", "`]` is missing"),
    ("a:not(.b", "`)` is missing"),
    ("a]", "`]` closes nothing"),
    ("a[b)]", "`)` closes nothing"),
    ('a[b="c]', 'the quote " is not closed'),
    ("a[]", "`[]` holds no attribute name"),
    ("a.", "a name is missing after `.`"),
    ("# a", "a name is missing after `#`"),
    ("a..b", "a name is missing after `.`"),
    ("a:", "a name is missing after `:`"),
    ("a >", "a part is missing beside `>`"),
    ("a,", "a part is missing beside `,`"),
    (", a", "a part is missing beside `,`"),
    ("a,,b", "a part is missing beside `,,`"),
    ("#1st", "`#1`: a name in CSS cannot begin with a digit"),
    ("a[=x]", "`[]` holds no attribute name"),
    ("a[b=c d]", "`[b=c d]` is not an attribute and its value; write the value in quotes"),
    ("tr[data-id=12]", "write the value in quotes"),
    ("a[b c]", "write the value in quotes"),
    ("1a", "`1`: a name in CSS cannot begin with a digit"),
    ("div > 2nd", "a name in CSS cannot begin with a digit"),
    ("a:nonsense", "no browser knows `:nonsense`"),
    (":hoover > b", "no browser knows `:hoover`"),
    ("a:not( )", "holds no selector"),
    ("a{color:red}", "`{` cannot stand in a CSS selector"),
    ("<div>", "`<` cannot stand in a CSS selector"),
    ("a" * 10_001, "has 10001 characters; at most 10000 are allowed"),
]
RIGHT_XPATH = [
    "/",
    "//a",
    ".//td[2]",
    '//a[contains(text(), "it\'s")]',
    "//a[@href and not(@hidden)]",
    "//*[@id='x']/@*",
    "(//tr)[last()]",
    "//a | //b",
    "ancestor-or-self::div",
    "//floor",
    "//a[.='[]' or .='///']",
    "//a[@title='a\\']",
    "count(//a) > 2",
]
WRONG_XPATH = [
    ("", "an XPath is empty"),
    ("//a[", "`]` is missing"),
    ("//a[]", "`[]` holds no condition"),
    ("///a", "`///` is one slash too many"),
    ("//a[@]", "a name is missing after `@`"),
    ("//a[@ = 1]", "a name is missing after `@`"),
    ("//a/", "it ends in the middle"),
    ("//a |", "it ends in the middle"),
    ("child::", "it ends in the middle"),
    ("//a['x]", "the quote ' is not closed"),
    ("//a)", "`)` closes nothing"),
    ("x" * 10_001, "at most 10000 are allowed"),
]


@pytest.mark.parametrize("css", RIGHT_CSS)
def test_a_selector_that_a_browser_takes_passes(css: str) -> None:
    assert css_problem(css) is None


@pytest.mark.parametrize(("css", "reason"), WRONG_CSS)
def test_a_selector_that_no_browser_takes_is_refused_with_the_reason(css: str, reason: str) -> None:
    assert reason in (css_problem(css) or "")


@pytest.mark.parametrize("xpath", RIGHT_XPATH)
def test_an_xpath_that_a_browser_takes_passes(xpath: str) -> None:
    assert xpath_problem(xpath) is None


@pytest.mark.parametrize(("xpath", "reason"), WRONG_XPATH)
def test_an_xpath_that_no_browser_takes_is_refused_with_the_reason(xpath: str, reason: str) -> None:
    assert reason in (xpath_problem(xpath) or "")


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(st.text(max_size=30))
def test_any_text_is_judged_without_an_accident(text: str) -> None:
    assert all(problem is None or problem for problem in (css_problem(text), xpath_problem(text)))


@settings(max_examples=50, deadline=None)
@given(st.text(st.characters(exclude_characters='"\\\n', exclude_categories=["Cs"]), max_size=20))
def test_whatever_stands_in_quotes_is_fine(words: str) -> None:
    assert css_problem(f'a[title="{words}"]') is None
    assert xpath_problem(f'//a[@title="{words}"]') is None

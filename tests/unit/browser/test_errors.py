"""Playwright's errors in our words: who must act decides what is tried again."""

import pytest
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from pagehand.browser.errors import net_error, translate
from pagehand.errors import BlockFailed, BrowserLost, NotPresent, SiteDown, TemporaryTrouble, TimedOut

COVERED = """Locator.click: Timeout 5000ms exceeded.
Call log:
  - waiting for locator("button")
    - <div class="veil">{}</div> intercepts pointer events
  - retrying click action
"""


@pytest.mark.parametrize(
    "text",
    [
        "Locator.click: Target page, context or browser has been closed",
        "Page.goto: Page crashed",
        "Locator.fill: Target crashed \nCall log:\n  - waiting",
        "Connection closed while reading from the driver",
        "Browser closed.",
    ],
)
def test_a_browser_that_is_gone_is_lost(text: str) -> None:
    found = translate(PlaywrightError(text), "click `Save`")
    assert isinstance(found, BrowserLost)
    assert found.message == "The browser or its page died (click `Save`)."


@pytest.mark.parametrize("words", ["Your session has been closed", "Page crashed", "Connection closed"])
def test_what_the_page_says_is_not_a_loss(words: str) -> None:
    found = translate(PlaywrightTimeout(COVERED.format(words)))
    assert isinstance(found, BlockFailed)
    assert not isinstance(found, TemporaryTrouble)
    assert "is covered by `<div" in found.message


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("ERR_CONNECTION_REFUSED", SiteDown, "the connection was refused"),
        ("ERR_NAME_NOT_RESOLVED", SiteDown, "its name could not be resolved"),
        ("ERR_TOO_MANY_REDIRECTS", BlockFailed, "it redirects in circles"),
        ("ERR_CERT_DATE_INVALID", BlockFailed, r"has no valid certificate \(ERR_CERT_DATE_INVALID\)"),
        ("ERR_SOMETHING_NEW", BlockFailed, "ERR_SOMETHING_NEW"),
    ],
)
def test_errors_of_the_network_name_the_address(code: str, kind: type[Exception], words: str) -> None:
    found = translate(PlaywrightError(f"Page.goto: net::{code} at https://x.example/a?b=1\nCall log:"))
    assert type(found) is kind
    with pytest.raises(kind, match=f"`https://x.example/a.b=1` .*{words}"):
        raise found
    assert net_error(code, None).message.startswith("The site")


@pytest.mark.parametrize("state", ["not visible", "not enabled", "outside of the viewport"])
def test_an_element_that_is_not_ready_is_not_present(state: str) -> None:
    log = f"  - element is not stable\n  - element is {state}"
    text = f"Locator.click: Timeout 5000ms exceeded.\nCall log:\n{log}"
    found = translate(PlaywrightTimeout(text), "click `Save`")
    assert isinstance(found, NotPresent)
    assert found.message == f"The element is {state} (click `Save`)."


@pytest.mark.parametrize("text", ["Locator.click: Timeout 5000ms exceeded.\nCall log:\n  - waiting", "x"])
def test_a_time_that_ran_out_is_timed_out(text: str) -> None:
    assert isinstance(translate(PlaywrightTimeout(text)), TimedOut)


def test_the_library_is_not_quoted() -> None:
    text = "Locator.fill: \x1b[31mError: Element is not an <input>\x1b[0m\nCall log:\n  - secret log"
    found = translate(PlaywrightError(text))
    assert "Locator.fill" not in found.message
    assert "\x1b" not in found.message
    assert "secret log" not in found.message
    assert "Element is not an <input>" in found.message

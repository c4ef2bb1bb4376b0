"""Which addresses a workflow may send its browser to, and which answers count as errors."""

import pytest

from pagehand.browser.navigation import absolute_url, check_status
from pagehand.errors import BlockFailed, SiteDown

PAGE = "https://portal.test/claims/list?page=2"


@pytest.mark.parametrize(
    ("url", "base", "opened"),
    [
        ("https://a.test/x", PAGE, "https://a.test/x"),
        ("  https://a.test/x ", PAGE, "https://a.test/x"),
        ("new", PAGE, "https://portal.test/claims/new"),
        ("/home", PAGE, "https://portal.test/home"),
        ("?page=3", PAGE, "https://portal.test/claims/list?page=3"),
        ("//cdn.test/x", PAGE, "https://cdn.test/x"),
        ("HTTPS://a.test/", "about:blank", "HTTPS://a.test/"),
        ("data:text/html,hi", "about:blank", "data:text/html,hi"),
        ("about:blank", PAGE, "about:blank"),
    ],
)
def test_relative_addresses_are_taken_against_the_page(url: str, base: str, opened: str) -> None:
    assert absolute_url(url, base) == opened


@pytest.mark.parametrize("base", ["about:blank", "data:text/html,hi", ""])
def test_a_relative_address_needs_a_page(base: str) -> None:
    with pytest.raises(BlockFailed, match="no page yet"):
        absolute_url("claims/new", base)


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "javascript:alert(1)", "chrome://version", "FTP://a.test/"]
)
def test_other_schemes_are_refused(url: str) -> None:
    with pytest.raises(BlockFailed, match="is not allowed"):
        absolute_url(url, PAGE)


def test_a_malformed_address_is_the_workflows_mistake() -> None:
    with pytest.raises(BlockFailed, match="is not a URL"):
        absolute_url("http://[::1", PAGE)


@pytest.mark.parametrize("status", [200, 204, 302, 399])
def test_a_page_that_was_found_is_fine(status: int) -> None:
    check_status(status, PAGE)


@pytest.mark.parametrize(
    ("status", "error"), [(400, BlockFailed), (499, BlockFailed), (500, SiteDown), (503, SiteDown)]
)
def test_the_sites_own_trouble_is_tried_again_and_ours_is_not(status: int, error: type[Exception]) -> None:
    with pytest.raises(error, match=f"status {status}"):
        check_status(status, PAGE)

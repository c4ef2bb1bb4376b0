"""URLs that a workflow may open, and the status they answer with."""

from typing import Final
from urllib.parse import urljoin, urlsplit

from pagehand.errors import BlockFailed, Diagnosis, SiteDown

_ALLOWED: Final = ("http", "https", "data", "blob", "about")
_CLIENT_ERROR: Final = 400
_SERVER_ERROR: Final = 500


def absolute_url(url: str, base: str) -> str:
    """`url` as an absolute one, resolved against `base`; BlockFailed for schemes that are not allowed."""
    wanted = url.strip()
    try:
        scheme = urlsplit(wanted).scheme.lower()
        if not scheme and urlsplit(base).scheme in {"http", "https"}:
            wanted = urljoin(base, wanted)
            scheme = urlsplit(wanted).scheme.lower()
    except ValueError as error:
        raise BlockFailed(f"`{url}` is not a URL: {error}.") from error
    if not scheme:
        raise BlockFailed(
            f"`{url}` is not a whole URL, and there is no page yet that it could be relative to.",
            Diagnosis(
                expected="a URL such as `https://example.com/`", found=url, advice="Write it with `https://`."
            ),
        )
    if scheme not in _ALLOWED:
        raise BlockFailed(
            f"`{url}` cannot be opened: the scheme `{scheme}` is not allowed.",
            Diagnosis(expected="an address with http, https, data, blob or about", found=url),
        )
    return wanted


def origin_of(url: str) -> str:
    """Scheme, host and port of a URL, as browsers write an origin."""
    parts = urlsplit(url.removeprefix("blob:"))
    return f"{parts.scheme}://{parts.netloc}"


def check_status(status: int, url: str) -> None:
    """Raise for a status of 400 and above: SiteDown for those of the server, BlockFailed for others."""
    if status >= _SERVER_ERROR:
        raise SiteDown(f"`{url}` answered with status {status}: the site has a problem.")
    if status >= _CLIENT_ERROR:
        raise BlockFailed(
            f"`{url}` answered with status {status}.",
            Diagnosis(
                expected="a page",
                found=f"status {status}",
                advice="Check the address, or set `allowErrorStatus` if the page is wanted all the same.",
            ),
        )

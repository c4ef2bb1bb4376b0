"""Providers of browsers: this machine, or a vendor that runs them for us."""

from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import urlsplit

from pagehand.browser.provider import Provider
from pagehand.browser.providers.local import LocalProvider
from pagehand.browser.providers.remote import RemoteProvider, Vendor
from pagehand.browser.providers.vendors.browserbase import Browserbase
from pagehand.browser.providers.vendors.browserless import Browserless
from pagehand.browser.providers.vendors.cdp import DebuggingPort
from pagehand.browser.providers.vendors.kubernetes import Kubernetes
from pagehand.browser.providers.vendors.selenium_grid import SeleniumGrid
from pagehand.browser.providers.vendors.steel import Steel
from pagehand.errors import InvalidRequest
from pagehand.settings import Settings

_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_NEEDS: Final = {
    "cdp": ("browser_url",),
    "browserless": ("browser_url", "browser_key"),
    "browserbase": ("browser_key",),
    "steel": ("browser_key",),
    "selenium": ("browser_url",),
    "kubernetes": ("browser_image",),
}
_VENDORS: Final[dict[str, Callable[[Settings, str], Vendor]]] = {
    "cdp": lambda settings, _: DebuggingPort(settings.browser_url),
    "browserless": lambda settings, _: Browserless(settings.browser_url, settings.browser_key),
    "browserbase": lambda settings, owner: Browserbase(
        settings.browser_url, settings.browser_key, owner, settings.browser_project
    ),
    "steel": lambda settings, owner: Steel(settings.browser_url, settings.browser_key, owner),
    "selenium": lambda settings, owner: SeleniumGrid(settings.browser_url, settings.browser_key, owner),
    "kubernetes": lambda settings, owner: Kubernetes(
        settings.browser_url, settings.browser_key, owner, settings.browser_image, settings.browser_project
    ),
}


def make_provider(settings: Settings, owner: str, flags: Sequence[str] = ()) -> Provider:
    """The provider that the settings name; `owner` distinguishes this installation's browsers from others.

    `flags` are more command-line options for browsers of this machine.
    """
    name = settings.browser_provider
    if name == "local":
        return LocalProvider(settings, flags)
    for needed in _NEEDS[name]:
        if not getattr(settings, needed):
            raise InvalidRequest(
                f"`PAGEHAND_BROWSER_PROVIDER={name}` also needs `PAGEHAND_{needed.upper()}` to be set."
            )
    return RemoteProvider(_VENDORS[name](settings, owner))


def goes_through_proxy(settings: Settings) -> bool:
    """True when the browsers can reach the egress proxy, which applies the policy to their pages."""
    if settings.browser_provider == "local" or settings.egress_proxy_url:
        return True
    return settings.browser_provider == "cdp" and urlsplit(settings.browser_url).hostname in _LOOPBACK

"""Browsers: finding one, launching many ahead of need, and driving one per execution."""

from pagehand.browser.errors import translate, translating
from pagehand.browser.installation import InstalledBrowser, describe, find_browser, install_browser
from pagehand.browser.pool import BrowserPool
from pagehand.browser.provider import LaunchOptions, ProvidedBrowser, Provider
from pagehand.browser.providers.local import LocalProvider
from pagehand.browser.proxy import ProxyAddress
from pagehand.browser.session import BrowserSession, SessionOptions

__all__ = [
    "BrowserPool",
    "BrowserSession",
    "InstalledBrowser",
    "LaunchOptions",
    "LocalProvider",
    "ProvidedBrowser",
    "Provider",
    "ProxyAddress",
    "SessionOptions",
    "describe",
    "find_browser",
    "install_browser",
    "translate",
    "translating",
]

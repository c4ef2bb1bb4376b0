"""Browsers: finding one on the machine, launching them ahead of time, and driving one per execution."""

from pagehand.browser.actions import Press
from pagehand.browser.element_finder import NAMED_ELEMENT, RiskyElement, named_element
from pagehand.browser.errors import translate
from pagehand.browser.installation import InstalledBrowser, describe, find_browser, install_browser
from pagehand.browser.live_view.view import LiveView
from pagehand.browser.pool import BrowserPool
from pagehand.browser.provider import LaunchOptions, ProvidedBrowser, Provider, ProxyAddress
from pagehand.browser.providers.local import LocalProvider
from pagehand.browser.session import BrowserSession, OpenBrowser
from pagehand.browser.session_options import SessionOptions

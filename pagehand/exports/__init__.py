"""Workflows as programs for other tools: a script for Playwright that does the same, where it can."""

from pagehand.exports.playwright_script import playwright_script

__all__ = ["playwright_script"]

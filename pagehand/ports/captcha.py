"""Captcha solvers."""

from typing import Protocol

from pagehand.records import Captcha


class CaptchaSolver(Protocol):
    """A service that solves captchas."""

    async def solve(self, captcha: Captcha, *, timeout_seconds: float) -> str | None:
        """The token of the solved captcha; None if it could not be solved in time."""
        ...

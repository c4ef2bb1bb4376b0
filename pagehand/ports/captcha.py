"""Services that answer captchas."""

from typing import Protocol

from pagehand.records import Captcha


class CaptchaSolver(Protocol):
    """Something that answers captchas in a person's place."""

    async def solve(self, captcha: Captcha, *, timeout_seconds: float) -> str | None:
        """The token that the widget would hold once solved; None when there is none to be had."""
        ...

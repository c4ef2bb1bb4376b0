"""Captchas."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Captcha:
    """A challenge that waits for an answer."""

    kind: str
    """reCAPTCHA, hCaptcha or Turnstile."""
    site_key: str
    """The site's public key, as its widget carries it; empty when it does not show one."""
    url: str
    """The page or frame it stands in."""

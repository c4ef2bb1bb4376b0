"""Captchas."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Captcha:
    """A captcha that waits for its solution."""

    kind: str
    """reCAPTCHA, hCaptcha or Turnstile."""
    site_key: str
    """The site's public key, from its widget; empty when there is none."""
    url: str
    """The page or frame that contains it."""

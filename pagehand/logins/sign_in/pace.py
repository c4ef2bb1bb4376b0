"""How long a sign-in waits for what."""

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Pace:
    """Waiting times, in seconds."""

    appear: float = 15
    """For the form to come up."""
    verdict: float = 30
    """For the site to answer what was sent."""
    again: float = 2
    """How long a freshly loaded page may ask for the same thing before that counts as a refusal."""
    settle: float = 0.5
    """How long a freshly loaded page without a form has to stay so to count as signed in."""
    linger: float = 3
    """The same where the page never loaded anew, or where a code is always required."""

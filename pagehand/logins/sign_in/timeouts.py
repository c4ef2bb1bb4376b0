"""How long a sign-in waits at each step."""

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class SignInTimeouts:
    """Waiting times of a sign-in."""

    form_seconds: float = 15
    """For the form to appear."""
    answer_seconds: float = 30
    """For the site to answer a submitted form."""
    repeat_seconds: float = 2
    """How long a freshly loaded page may ask for the same thing before that counts as a refusal."""
    settle_seconds: float = 0.5
    """How long a freshly loaded page has to stay without a form to count as signed in."""
    linger_seconds: float = 3
    """The same where no new page was loaded, or where a code is always required."""

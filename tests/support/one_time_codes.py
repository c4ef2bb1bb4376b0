"""Codes of an authenticator app as a person types them, for a site that takes each of them once."""

import time
from typing import Final

from pagehand.logins.second_factor.totp import code_at

_STEP_SECONDS: Final = 30
_THROTTLE_SECONDS: Final = 1.2
"""django-otp refuses every code for a second after a wrong one."""


class Authenticator:
    """Gives a code that the site has not seen yet.

    The site also takes the code of the next half minute, as for a clock that is fast, and remembers how fast
    it is: that spares the wait until the next code is due.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._last_step = 0

    def next_code(self) -> str:
        """A code that the site takes, even right after a wrong one."""
        time.sleep(_THROTTLE_SECONDS)
        self._last_step = max(int(time.time()) // _STEP_SECONDS, self._last_step + 1)
        return code_at(self._seed, self._last_step * _STEP_SECONDS).code

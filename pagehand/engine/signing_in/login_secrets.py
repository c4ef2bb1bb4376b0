"""Secrets of a run's logins: block data holds stand-ins; only what is typed or sent holds the secret itself.

So nothing that a workflow's author writes ever sees a secret: no transformer, no code, no condition, and no
page or host that is not the login's own.
"""

from dataclasses import dataclass
from secrets import token_hex
from typing import Any, Final

from pagehand.errors import BlockFailed, Diagnosis
from pagehand.records import Json, LoginFacts
from pagehand.secrets.redactor import Redactor

_UNLIKELY_BY_CHANCE: Final = 6
"""A shorter secret is left in what later blocks work with: it may well be a word or a number of the page."""


@dataclass(slots=True, frozen=True)
class _Held:
    facts: LoginFacts
    key: str
    secret: str


class LoginSecrets:
    """Makes stand-ins for the secrets of logins, and gives the secrets back for the login's own addresses."""

    def __init__(self, run_redactor: Redactor, own_redactor: Redactor) -> None:
        """`own_redactor` knows only what is added here: it takes secrets out of what blocks put out."""
        self._run_redactor = run_redactor
        self._own_redactor = own_redactor
        self._held: dict[str, _Held] = {}

    def stand_ins(self, facts: LoginFacts) -> Json:
        """What `{{login.…}}` reads in fields that are typed or sent as auth."""
        for secret in facts.secrets:
            self._run_redactor.add(secret)
            if len(secret) >= _UNLIKELY_BY_CHANCE:
                self._own_redactor.add(secret)
        return {**facts.shown, **{key: self._stand_in(facts, key) for key in facts.secret_values}}

    def is_in(self, text: str) -> bool:
        """True when the text holds a stand-in."""
        return any(stand_in in text for stand_in in self._held)

    def reveal(self, text: str, url: str) -> str:
        """The text to type at `url` or to send there; `BlockFailed` where that is not the login's own."""
        for stand_in, held in self._held.items():
            if stand_in in text:
                # checked at the moment of typing: the page may have gone elsewhere since the block began
                if not held.facts.is_own_url(url):
                    raise _not_there(held, url)
                text = text.replace(stand_in, held.secret)
        return text

    def hide(self, output: Any) -> Any:
        """What a block put out, without secrets: a page may show what was typed into it."""
        return self._own_redactor.value(output) if self._held else output

    def _stand_in(self, facts: LoginFacts, key: str) -> str:
        secret = facts.secret_values[key]
        # signing in twice must not leave two stand-ins for one secret in a run's data
        known = (value for value, held in self._held.items() if (held.facts.id, held.key) == (facts.id, key))
        stand_in = next(known, f"secret-{token_hex(16)}")
        self._held[stand_in] = _Held(facts, key, secret)
        self._run_redactor.add(stand_in)
        return stand_in


def _not_there(held: _Held, url: str) -> BlockFailed:
    place = url.partition("?")[0].partition("#")[0][:200]
    return BlockFailed(
        f"`{{{{login.{held.key}}}}}` of the login `{held.facts.name}` goes only to {held.facts.site}, "
        f"and this is `{place}`; nothing was typed or sent.",
        Diagnosis(
            expected=f"an address of {held.facts.site}",
            found=f"`{place}`",
            advice="If that address may have the secret, add it to `signInUrls` of the login.",
        ),
    )

"""Secrets of a run's logins: block data has placeholders; only what is typed or sent has the secret itself.

So nothing that a workflow's author writes sees a secret: no transformer, no code, no condition, and no page
or host that is not the login's own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_hex
from typing import Any, Final

from pagehand.browser_session import ScriptedWithin
from pagehand.errors import BlockFailed, Diagnosis
from pagehand.logins.profile import how_to_add
from pagehand.records import Json, LoginFacts
from pagehand.secrets.redactor import Redactor

_UNLIKELY_BY_CHANCE: Final = 6
"""A shorter secret is not hidden in outputs: it may be an ordinary word or number of the page."""


@dataclass(slots=True, frozen=True)
class _PlaceholderSecret:
    facts: LoginFacts
    key: str
    value: str

    def is_of(self, facts: LoginFacts, key: str) -> bool:
        return (self.facts.id, self.key) == (facts.id, key)


class LoginSecrets:
    """Makes placeholders for the secrets of logins, and replaces them for the login's own addresses."""

    def __init__(self, run_redactor: Redactor, own_redactor: Redactor) -> None:
        """`own_redactor` has only what is added here; it hides secrets in the outputs of blocks."""
        self._run_redactor = run_redactor
        self._own_redactor = own_redactor
        self._secrets: dict[str, _PlaceholderSecret] = {}

    def placeholders(self, facts: LoginFacts) -> Json:
        """The values of `{{login.…}}` in fields that are typed or sent as auth."""
        for secret in facts.secrets:
            self._run_redactor.add(secret)
            if len(secret) >= _UNLIKELY_BY_CHANCE:
                self._own_redactor.add(secret)
        return {**facts.shown, **{key: self._placeholder_of(facts, key) for key in facts.secret_values}}

    def has_placeholder(self, text: str) -> bool:
        """Whether the text has a placeholder."""
        return any(placeholder in text for placeholder in self._secrets)

    def reveal(self, text: str, urls: Sequence[str], scripted_within: ScriptedWithin | None = None) -> str:
        """The text to type or send at `urls`; `BlockFailed` where one is not of the login's site.

        It is not typed either where `scripted_within` says that JavaScript of the workflow has run.
        """
        for placeholder, secret in self._secrets.items():
            if placeholder in text:
                # checked at the moment of typing: the page may have gone elsewhere since the block began
                for url in urls or [""]:
                    if not secret.facts.is_own_url(url):
                        raise _not_own_site(secret, url)
                if scripted_within is not None and scripted_within(secret.facts.is_own_url):
                    raise _scripted(secret)
                text = text.replace(placeholder, secret.value)
        return text

    def hide(self, output: Any) -> Any:
        """The output of a block without secrets: a page may show what was typed into it."""
        return self._own_redactor.value(output) if self._secrets else output

    def _placeholder_of(self, facts: LoginFacts, key: str) -> str:
        # signing in twice must not make two placeholders for one secret
        known = (text for text, secret in self._secrets.items() if secret.is_of(facts, key))
        placeholder = next(known, f"secret-{token_hex(16)}")
        self._secrets[placeholder] = _PlaceholderSecret(facts, key, facts.secret_values[key])
        self._run_redactor.add(placeholder)
        return placeholder


def _scripted(secret: _PlaceholderSecret) -> BlockFailed:
    return BlockFailed(
        f"`{{{{login.{secret.key}}}}}` of the login `{secret.facts.name}` was not typed: JavaScript of this "
        f"workflow has run on {secret.facts.site} in this execution, and could read it.",
        Diagnosis(
            expected="a site on which no JavaScript of the workflow has run",
            advice="Type it before the CodeV2 block, or put a Login block between them: it starts with fresh "
            "pages.",
        ),
    )


def _not_own_site(secret: _PlaceholderSecret, url: str) -> BlockFailed:
    address = url.partition("?")[0].partition("#")[0][:200]
    return BlockFailed(
        f"`{{{{login.{secret.key}}}}}` of the login `{secret.facts.name}` goes only to {secret.facts.site}, "
        f"and this is `{address}`; nothing was typed or sent.",
        Diagnosis(
            expected=f"an address of {secret.facts.site}",
            found=f"`{address}`",
            advice=how_to_add(url),
        ),
    )

"""The errors of sign-ins with advice for the owner of the login, and the health that they leave."""

import re
from typing import Final

from pagehand.clock import now_ms, to_iso
from pagehand.errors import BlockFailed, Diagnosis, NotPresent, PagehandError, SignInRefused, TimedOut
from pagehand.logins.profile import LoginSite, how_to_add
from pagehand.logins.sign_in_form import SignInForm
from pagehand.records import Login
from pagehand.secrets.redactor import Redactor
from pagehand.storage.logins import LoginStateStore

_LOCKED: Final = re.compile(
    r"\b(locked|disabled|suspended|deactivated|too many|gesperrt|bloqué\w*|bloquead\w*)\b", re.IGNORECASE
)
_CODE: Final = re.compile(
    r"\b(code|token|otp|verification|passcode|pin|einmal\w*|código|codice)\b", re.IGNORECASE
)
FAILURES_BEFORE_ATTENTION: Final = 3
"""After this many failures in a row a login is shown as needing attention."""


class CredentialsRefused(SignInRefused):
    """The site did not accept the credentials or the code."""

    def __init__(self, message: str, diagnosis: Diagnosis, *, is_code: bool) -> None:
        super().__init__(message, diagnosis)
        self.is_code = is_code
        """False when it was the user name or the password: trying that again may lock the account."""


class MailNotReceived(BlockFailed):
    """No mail arrived in time."""


def refused(name: str, form: SignInForm, complaint: str, *, is_code: bool) -> CredentialsRefused:
    """The site asks again for what it was given, or says that the account is locked."""
    if is_lock(complaint):
        sentence = f"The site has locked the account of the login `{name}`: the page says “{complaint}”."
        advice = f"Unlock the account on the site, then release the login `{name}` with `logins/release`."
    else:
        words = f": the page says “{complaint}”" if complaint else ": the page asks for the same again"
        credentials = "the code" if is_code else "the user name or the password"
        sentence = f"The site did not accept {credentials} of the login `{name}`{words}."
        advice = f"Sign in by hand with the same credentials, then correct the login `{name}`."
    diagnosis = Diagnosis(
        expected="to be signed in",
        found=form.describe(),
        cause=complaint or "The site asks for what it was just given.",
        advice=advice,
    )
    # another code does not unlock an account: the sign-in must not start again
    return CredentialsRefused(sentence, diagnosis, is_code=is_code and not is_lock(complaint))


def not_confirmed(name: str) -> BlockFailed:
    """The form was accepted, but the page is not what the login's prompt describes."""
    return SignInRefused(
        f"Signing in with `{name}`: the page at the end does not show what `loginDetectionPrompt` says.",
        Diagnosis(
            expected="a page that shows what `loginDetectionPrompt` says",
            cause="The site did not let the account in, or the prompt does not fit its pages.",
            advice=f"See the last picture, then correct the prompt or `homeUrl` of the login `{name}`.",
        ),
    )


def is_lock(complaint: str) -> bool:
    """Whether the text means that the account is locked."""
    return _LOCKED.search(complaint) is not None


def is_about_code(complaint: str) -> bool:
    """Whether the text is about the code, on a page that also asks for the password."""
    return _CODE.search(complaint) is not None


def held_back(name: str, since: int, reason: str) -> BlockFailed:
    """An earlier run found that the site refuses this login."""
    return SignInRefused(
        f"The login `{name}` is held back since {to_iso(since)}, because the site refused it: {reason} "
        "No run tries it again, so that the account is not locked.",
        Diagnosis(advice="Correct the login with `logins/update`, or let it go on with `logins/release`."),
    )


def mail_not_received(name: str, content: str, where: str, seconds: float) -> MailNotReceived:
    """The site has sent a mail, and none arrived."""
    return MailNotReceived(
        f"No mail with {content} for the login `{name}` came to {where} within {seconds:.0f} s.",
        Diagnosis(
            expected=f"a mail with {content}",
            advice="Check that the site sends to that address (`twoFactorAuthEmail`), and from the sender "
            "that `codeSender` names.",
        ),
    )


def nothing_appeared(
    name: str, form: SignInForm | None, url: str, seconds: float, *, has_begun: bool
) -> NotPresent:
    """The page shows neither a form nor that someone is signed in."""
    expected = "the next step of the sign-in" if has_begun else "a field for the user name or the password"
    return NotPresent(
        f"Signing in with `{name}`: {expected} did not appear within {seconds:.0f} s.",
        Diagnosis(
            expected=expected,
            found=form.describe() if form else f"a page at `{url}` that never finished loading",
            cause="The site shows something else before or instead of its form."
            if form
            else "The site hangs.",
            advice="Check `authenticationUrl` of the login by opening it in a private window.",
        ),
    )


def foreign_page(name: str, form: SignInForm, url: str, site: LoginSite) -> BlockFailed:
    """The form is on or within a page that is not part of the login's site."""
    return BlockFailed(
        f"Signing in with `{name}` led to `{_without_query(url)}`, which is not part of {site}; "
        "nothing was typed there.",
        Diagnosis(
            expected=f"a sign-in page of {site}",
            found=form.describe(),
            cause="The site hands the sign-in to another one, or the page is not what it claims to be.",
            advice=how_to_add(url),
        ),
    )


def foreign_link(name: str, link: str, site: LoginSite) -> BlockFailed:
    """The link in the mail leads to another site."""
    address = _without_query(link)
    return BlockFailed(
        f"The mail for the login `{name}` leads to `{address}`, which is not part of {site}; it was not "
        "opened.",
        Diagnosis(advice=how_to_add(link)),
    )


def _without_query(url: str) -> str:
    """An address without the query, which often holds one-time tokens."""
    return url.partition("#")[0].partition("?")[0]


def no_password(name: str, form: SignInForm) -> BlockFailed:
    """The page asks for a password that the login does not have."""
    return BlockFailed(
        f"The page asks for a password, and the login `{name}` has none: set `loginConfiguration.password`.",
        Diagnosis(found=form.describe()),
    )


def not_signed_in(name: str, form: SignInForm, complaint: str) -> BlockFailed:
    """The sign-in finished, but the last page does not show someone signed in."""
    if complaint:
        symptom = f"says “{complaint}”"
    elif form.asks:
        symptom = "asks to sign in again"
    else:
        symptom = "does not show anybody signed in"
    return SignInRefused(
        f"After signing in with `{name}` the page at `{form.address}` {symptom}.",
        Diagnosis(
            expected="a page for someone who is signed in",
            found=form.describe(),
            cause="The site did not let the account in, did not keep the session, or `homeUrl` is not one of "
            "the account's pages.",
            advice="Check `homeUrl` of the login; or give, as `loginDetectionPrompt`, words that only "
            "somebody signed in sees there.",
        ),
    )


def timed_out(name: str, seconds: float) -> TimedOut:
    """Signing in took too long."""
    return TimedOut(f"Signing in with `{name}` did not finish within {seconds:g} s.")


class LoginHealthTracker:
    """Records how sign-ins go, and stops runs from trying a password that the site has refused."""

    def __init__(self, store: LoginStateStore) -> None:
        self._store = store

    async def check(self, login: Login) -> None:
        """Raise for a login that is held back, until it is changed or released."""
        known = await self._store.health(login.organization_id, login.id)
        if known is not None and known.held_version == login.updated_at:
            raise held_back(login.name, known.held_at or 0, known.last_failure or "")

    async def record_success(self, login: Login) -> None:
        """The sign-in worked."""
        await self._store.note_success(login, now_ms())

    async def record_failure(self, login: Login, error: PagehandError, secrets: Redactor) -> None:
        """The sign-in failed; only a refused password holds the login back, not a code or a broken page."""
        hold = isinstance(error, CredentialsRefused) and not error.is_code
        await self._store.note_failure(login, now_ms(), secrets.text(error.message), hold=hold)

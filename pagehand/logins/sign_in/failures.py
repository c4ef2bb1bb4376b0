"""Why a sign-in ended badly, in words for whoever keeps the login."""

import re
from typing import Final
from urllib.parse import urlsplit

from pagehand.clock import to_iso
from pagehand.errors import BlockFailed, Diagnosis, NotPresent, SignInRefused, TimedOut
from pagehand.logins.sign_in.form import Form
from pagehand.logins.sign_in.site import Site

_LOCKED: Final = re.compile(
    r"\b(locked|disabled|suspended|deactivated|too many|gesperrt|bloqué\w*|bloquead\w*)\b", re.IGNORECASE
)

_CODE: Final = re.compile(
    r"\b(code|token|otp|verification|passcode|pin|einmal\w*|código|codice)\b", re.IGNORECASE
)


class Refused(SignInRefused):
    """The site did not take what it was given."""

    def __init__(self, message: str, diagnosis: Diagnosis, *, is_code: bool) -> None:
        super().__init__(message, diagnosis)
        self.is_code = is_code
        """False when it was the user name or the password: trying that again may lock the account."""


class NoMail(BlockFailed):
    """No mail came in time."""


def refused(name: str, form: Form, complaint: str, *, is_code: bool) -> Refused:
    """The site asks again for what it was given, or says that the account is closed."""
    if is_lock(complaint):
        sentence = f"The site has locked the account of the login `{name}`: the page says “{complaint}”."
        advice = f"Unlock the account on the site, then release the login `{name}` with `logins/release`."
    else:
        words = f": the page says “{complaint}”" if complaint else ": the page asks for the same again"
        what = "the code" if is_code else "the user name or the password"
        sentence = f"The site did not accept {what} of the login `{name}`{words}."
        advice = f"Sign in by hand with the same credentials, then correct the login `{name}`."
    diagnosis = Diagnosis(
        expected="to be signed in",
        found=form.describe(),
        cause=complaint or "The site asks for what it was just given.",
        advice=advice,
    )
    # a locked account is not a matter of the code: the sign-in must not begin again
    return Refused(sentence, diagnosis, is_code=is_code and not is_lock(complaint))


def not_confirmed(name: str) -> BlockFailed:
    """The form was taken, and the page is not what the login's own prompt says."""
    return SignInRefused(
        f"Signing in with `{name}`: the page at the end does not show what `loginDetectionPrompt` says.",
        Diagnosis(
            expected="a page that shows what `loginDetectionPrompt` says",
            cause="The site did not let the account in, or the prompt does not fit its pages.",
            advice=f"See the last picture, then correct the prompt or `homeUrl` of the login `{name}`.",
        ),
    )


def is_lock(complaint: str) -> bool:
    """True when the words mean that the account is closed for now."""
    return _LOCKED.search(complaint) is not None


def is_about_code(complaint: str) -> bool:
    """True when the words speak of the code, on a page that asks for the password, too."""
    return _CODE.search(complaint) is not None


def held_back(name: str, since: int, reason: str) -> BlockFailed:
    """An earlier run found that the site refuses this login."""
    return SignInRefused(
        f"The login `{name}` is held back since {to_iso(since)}, because the site refused it: {reason} "
        "No run tries it again, so that the account is not locked.",
        Diagnosis(advice="Correct the login with `logins/update`, or let it go on with `logins/release`."),
    )


def no_mail(name: str, what: str, where: str, seconds: float) -> NoMail:
    """The site says it has sent a mail, and none came."""
    return NoMail(
        f"No mail with {what} for the login `{name}` came to {where} within {seconds:.0f} s.",
        Diagnosis(
            expected=f"a mail with {what}",
            advice="Check that the site sends to that address (`twoFactorAuthEmail`), and from the sender "
            "that `codeSender` names.",
        ),
    )


def nothing_came(name: str, form: Form | None, url: str, seconds: float, *, has_begun: bool) -> NotPresent:
    """The page shows neither a form nor that someone is signed in."""
    expected = "the next step of the sign-in" if has_begun else "a field for the user name or the password"
    return NotPresent(
        f"Signing in with `{name}`: {expected} did not come up within {seconds:.0f} s.",
        Diagnosis(
            expected=expected,
            found=form.describe() if form else f"a page at `{url}` that never finished loading",
            cause="The site shows something else before or instead of its form."
            if form
            else "The site hangs.",
            advice="Check `authenticationUrl` of the login by opening it in a private window.",
        ),
    )


def strange_place(name: str, form: Form, site: Site) -> BlockFailed:
    """The form stands on an address that is not the login's own."""
    return BlockFailed(
        f"Signing in with `{name}` led to `{form.address}`, which is not part of {site}; "
        "nothing was typed there.",
        Diagnosis(
            expected=f"a sign-in page of {site}",
            found=form.describe(),
            cause="The site hands the sign-in to another one, or the page is not what it claims to be.",
            advice="If that address is right, add it to `signInUrls` of the login.",
        ),
    )


def strange_link(name: str, link: str, site: Site) -> BlockFailed:
    """The mail leads somewhere else."""
    host = urlsplit(link).netloc
    return BlockFailed(
        f"The mail for the login `{name}` leads to `{host}`, which is not part of {site}; it was not opened.",
        Diagnosis(advice="If that address is right, add it to `signInUrls` of the login."),
    )


def no_password(name: str, form: Form) -> BlockFailed:
    """The page wants a password that the login does not have."""
    return BlockFailed(
        f"The page asks for a password, and the login `{name}` has none: set `loginConfiguration.password`.",
        Diagnosis(found=form.describe()),
    )


def not_seen_signed_in(name: str, form: Form, complaint: str) -> BlockFailed:
    """The sign-in went through, and the page at its end is not one of somebody who is signed in."""
    if complaint:
        what = f"says “{complaint}”"
    elif form.asks:
        what = "asks to sign in again"
    else:
        what = "does not show anybody signed in"
    return SignInRefused(
        f"After signing in with `{name}` the page at `{form.address}` {what}.",
        Diagnosis(
            expected="a page for someone who is signed in",
            found=form.describe(),
            cause="The site did not let the account in, did not keep the session, or `homeUrl` is not one of "
            "the account's pages.",
            advice="Check `homeUrl` of the login; or give, as `loginDetectionPrompt`, words that only "
            "somebody signed in sees there.",
        ),
    )


def out_of_time(name: str, seconds: float) -> TimedOut:
    """Signing in took longer than it may."""
    return TimedOut(f"Signing in with `{name}` did not finish within {seconds:g} s.")

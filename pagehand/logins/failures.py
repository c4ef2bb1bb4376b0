"""Why a sign-in ended badly, in words for whoever keeps the login."""

from pagehand.errors import BlockFailed, Diagnosis, NotPresent, TimedOut
from pagehand.logins.form import Form
from pagehand.logins.site import Site


def refused(name: str, form: Form, said: str, *, is_code: bool) -> BlockFailed:
    """The site asks again for what it was given."""
    words = f": the page says “{said}”" if said else ": the page asks for the same again"
    what = "the code" if is_code else "the user name or the password"
    return BlockFailed(
        f"The site did not accept {what} of the login `{name}`{words}.",
        Diagnosis(
            expected="to be signed in",
            found=form.describe(),
            cause=said or "The site asks for what it was just given.",
            advice=f"Sign in by hand with the same credentials, then correct the login `{name}`.",
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
            advice="If that address is right, make it the login's `authenticationUrl`.",
        ),
    )


def no_password(name: str, form: Form) -> BlockFailed:
    """The page wants a password that the login does not have."""
    return BlockFailed(
        f"The page asks for a password, and the login `{name}` has none: set `loginConfiguration.password`.",
        Diagnosis(found=form.describe()),
    )


def no_code(name: str, form: Form, method: str) -> BlockFailed:
    """The page wants a one-time code that cannot be had."""
    if method == "None":
        reason = f"the login `{name}` has no second factor: set its method to `TOTP`, with `totpSecretKey`"
    else:
        reason = (
            f"the login `{name}` gets its codes by `{method}`, which this version cannot receive: use `TOTP`"
        )
    return BlockFailed(f"The page asks for a one-time code, and {reason}.", Diagnosis(found=form.describe()))


def signed_out_again(name: str, form: Form) -> BlockFailed:
    """The home page does not know us."""
    return BlockFailed(
        f"After signing in with `{name}` the page at `{form.address}` asks to sign in again.",
        Diagnosis(
            expected="a page for someone who is signed in",
            found=form.describe(),
            cause="The site did not keep the session, or `homeUrl` belongs to another site.",
            advice="Check `homeUrl` of the login.",
        ),
    )


def by_hand(name: str) -> BlockFailed:
    """The login is one that only a person can use."""
    return BlockFailed(
        f"The login `{name}` is set to be signed in by hand (`isManualAuthentication`), "
        "which this version cannot do: store its user name and password instead."
    )


def out_of_time(name: str, seconds: float) -> TimedOut:
    """Signing in took longer than it may."""
    return TimedOut(f"Signing in with `{name}` did not finish within {seconds:g} s.")

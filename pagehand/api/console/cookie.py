"""The console's cookie: it names an API key, is signed by the service, and lasts twelve hours."""

from typing import Final

from starlette.requests import cookie_parser

from pagehand.errors import Forbidden, NotFound
from pagehand.files.signing import UrlSigner
from pagehand.records import ApiKey

_NAME: Final = "pagehand_session"
_KIND: Final = "console session"
_LIFETIME_SECONDS: Final = 12 * 3600


def cookie_for(signer: UrlSigner, key: ApiKey, *, is_tls: bool) -> str:
    """The `Set-Cookie` of somebody who signed in with a key."""
    token = signer.token(_KIND, key.organization_id, key.id, lifetime_seconds=_LIFETIME_SECONDS)
    return _set_cookie(token, _LIFETIME_SECONDS, is_tls=is_tls)


def no_cookie(*, is_tls: bool) -> str:
    """The `Set-Cookie` that takes the cookie away."""
    return _set_cookie("", 0, is_tls=is_tls)


def session_key_id(signer: UrlSigner, cookies: str) -> str | None:
    """The id of the key that somebody signed in with; None without a cookie of ours that still holds."""
    # Ports of one host share their cookies, and http.cookies drops all of them at the first one that it
    # cannot read, such as `prefs={"a": 1}` of another program: Starlette reads them as browsers do.
    token = cookie_parser(cookies).get(_NAME)
    if not token:
        return None
    try:
        signed = signer.open(token)
    except (Forbidden, NotFound):
        return None
    # the same secret signs links to files and live views: none of those is a session
    return signed.resource if signed.kind == _KIND else None


def _set_cookie(value: str, seconds: int, *, is_tls: bool) -> str:
    # Secure only behind TLS: browsers drop such a cookie on plain http, and nobody could sign in
    flags = f"Max-Age={seconds}; Path=/; HttpOnly; SameSite=Strict" + ("; Secure" if is_tls else "")
    return f"{_NAME}={value}; {flags}"

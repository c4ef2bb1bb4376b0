"""The console's session cookie: a signed reference to an API key that expires after twelve hours."""

from typing import Final

from starlette.requests import cookie_parser

from pagehand.errors import Forbidden, NotFound
from pagehand.files.signing import UrlSigner
from pagehand.records import ApiKey

_NAME: Final = "pagehand_session"
_KIND: Final = "console session"
_LIFETIME_SECONDS: Final = 12 * 3600


def cookie_for(signer: UrlSigner, key: ApiKey, *, is_tls: bool) -> str:
    """The `Set-Cookie` header for a user who signed in with a key."""
    token = signer.token(_KIND, key.organization_id, key.id, lifetime_seconds=_LIFETIME_SECONDS)
    return _set_cookie(token, _LIFETIME_SECONDS, is_tls=is_tls)


def expired_cookie(*, is_tls: bool) -> str:
    """The `Set-Cookie` header that removes the cookie."""
    return _set_cookie("", 0, is_tls=is_tls)


def session_key_id(signer: UrlSigner, cookies: str) -> str | None:
    """The id of the key that the user signed in with; None without a valid session cookie."""
    # Ports of one host share their cookies, and http.cookies drops all of them at the first one that it
    # cannot parse, such as `prefs={"a": 1}` of another program. Starlette parses them as browsers do.
    token = cookie_parser(cookies).get(_NAME)
    if not token:
        return None
    try:
        signed = signer.open(token)
    except (Forbidden, NotFound):
        return None
    # the same key also signs links to files and live views, which are not sessions
    return signed.resource if signed.kind == _KIND else None


def _set_cookie(value: str, seconds: int, *, is_tls: bool) -> str:
    # Secure only behind TLS: on plain http browsers drop such a cookie, and nobody could sign in
    flags = f"Max-Age={seconds}; Path=/; HttpOnly; SameSite=Strict" + ("; Secure" if is_tls else "")
    return f"{_NAME}={value}; {flags}"

"""The console's cookie: it names an API key, is signed by the service, and lasts twelve hours."""

from http.cookies import CookieError, SimpleCookie
from typing import Final

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
    if _NAME not in cookies:
        return None
    try:
        morsel = SimpleCookie(cookies).get(_NAME)
        signed = None if morsel is None else signer.open(morsel.value)
    except (CookieError, Forbidden, NotFound):
        return None
    return signed.resource if signed is not None and signed.kind == _KIND else None


def _set_cookie(value: str, seconds: int, *, is_tls: bool) -> str:
    flags = f"Max-Age={seconds}; Path=/; HttpOnly; SameSite=Strict" + ("; Secure" if is_tls else "")
    return f"{_NAME}={value}; {flags}"

"""The console's session cookie: the signed id of a session, for twelve hours at most."""

from collections.abc import Mapping
from typing import Final

from pagehand.clock import now_ms
from pagehand.errors import Forbidden, NotAuthenticated, NotFound
from pagehand.files import UrlSigner
from pagehand.ids import new_id
from pagehand.records import ApiKey, ConsoleSession
from pagehand.settings import Settings

_PLAIN_NAME: Final = "pagehand_session"
# browsers take a cookie with this prefix only over TLS and from this very host, never from a neighbour of it
_TLS_NAME: Final = f"__Host-{_PLAIN_NAME}"
_ID_PREFIX: Final = "session"
_KIND: Final = "console session id"
_LIFETIME_SECONDS: Final = 12 * 3600


def is_session(holder: str) -> bool:
    """Whether an id is that of a session and not of a key."""
    return holder.startswith(_ID_PREFIX)


def new_session(key: ApiKey) -> ConsoleSession:
    """The session of a person who signs in with a key now."""
    now = now_ms()
    return ConsoleSession(
        id=new_id(_ID_PREFIX), key_id=key.id, created_at=now, expires_at=now + _LIFETIME_SECONDS * 1000
    )


def cookie_for(signer: UrlSigner, key: ApiKey, session: ConsoleSession, *, is_tls: bool) -> str:
    """The `Set-Cookie` header for a user who signed in with a key."""
    token = signer.token(_KIND, key.organization_id, session.id, lifetime_seconds=_LIFETIME_SECONDS)
    return _set_cookie(token, _LIFETIME_SECONDS, is_tls=is_tls)


def expired_cookie(*, is_tls: bool) -> str:
    """The `Set-Cookie` header that removes the cookie."""
    return _set_cookie("", 0, is_tls=is_tls)


def is_tls(headers: Mapping[bytes, bytes], settings: Settings) -> bool:
    """Whether the browser reaches the service over TLS, which ends at a proxy."""
    # a browser names the scheme itself; a header of a proxy could be anybody's
    own_origin = headers.get(b"origin", b"") or (settings.public_url or "").encode()
    return own_origin.startswith(b"https:")


def session_id_of(signer: UrlSigner, headers: Mapping[bytes, bytes], settings: Settings) -> str | None:
    """The session that the cookie names; None without a valid one; raises NotAuthenticated for two."""
    ids = session_ids_of(signer, headers, settings)
    if len(ids) > 1:
        # which of them the person signed in with cannot be known: the other may be somebody else's
        raise NotAuthenticated(
            "The browser sends two session cookies, so another program or site of this host has set one: "
            "delete the cookies of this site, then sign in again"
        )
    return ids[0] if ids else None


def session_ids_of(signer: UrlSigner, headers: Mapping[bytes, bytes], settings: Settings) -> list[str | None]:
    """One entry for each cookie with our name: its session, or None when it is not valid."""
    names = (_TLS_NAME,) if is_tls(headers, settings) else (_TLS_NAME, _PLAIN_NAME)
    # Read by hand: http.cookies drops all of them at the first one that it cannot parse, such as
    # `prefs={"a": 1}` of another program on this host, and every parser drops one of two with a name.
    pairs = [pair.partition("=") for pair in headers.get(b"cookie", b"").decode("latin-1").split(";")]
    return [_session_id(signer, value.strip()) for name, _, value in pairs if name.strip() in names]


def _session_id(signer: UrlSigner, token: str) -> str | None:
    try:
        signed = signer.open(token)
    except (Forbidden, NotFound):
        return None
    # the same key also signs links to files and live views, which are not sessions
    return signed.resource if signed.kind == _KIND else None


def _set_cookie(value: str, seconds: int, *, is_tls: bool) -> str:
    # Secure only behind TLS: on plain http browsers drop such a cookie, and nobody could sign in
    name, secure = (_TLS_NAME, "; Secure") if is_tls else (_PLAIN_NAME, "")
    return f"{name}={value}; Max-Age={seconds}; Path=/; HttpOnly; SameSite=Strict{secure}"

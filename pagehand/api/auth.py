"""Authenticates callers: by an API key, by the console's cookie, or on loopback without a key."""

import asyncio
import hashlib
import ipaddress
import time
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Mapping,
)
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from cachetools import TTLCache

from pagehand.api.console_cookie import is_session, session_id_of
from pagehand.api.keys import is_valid_secret, read_key
from pagehand.api.scopes import ALL_SCOPES, Scope
from pagehand.clock import now_ms
from pagehand.errors import Forbidden, NotAuthenticated, Unavailable
from pagehand.files import UrlSigner
from pagehand.records import ApiKey
from pagehand.settings import Settings
from pagehand.storage import Stores

DEFAULT_ORGANIZATION: Final = "default"
# a revoked key is refused within 5 s, also by long answers, which ask again every `access.CHECK_SECONDS`
_CACHE_SECONDS: Final = 3.0
# exact enough for a list of keys: a write at every request would cost more than the request
_LAST_USED_MS: Final = 60_000
_MAX_CACHED: Final = 4096
# browsers omit this port in `Host` and `Origin`
_DEFAULT_PORT: Final = 80
_PROXY_HEADERS: Final = frozenset(
    (b"forwarded", b"via", b"x-real-ip", b"x-client-ip", b"x-cluster-client-ip", b"true-client-ip")
)
_PROXY_HEADER_PREFIXES: Final = (b"x-forwarded", b"x-original-", b"x-envoy-", b"x-proxy", b"cf-", b"fastly-")
T = TypeVar("T")
CHECK_SECONDS: Final = 1.5
_OUTAGE_SECONDS: Final = 30.0
"""For how long a database that is away does not end anything."""


@dataclass(slots=True, frozen=True)
class Caller:
    """The organization that a request acts for, and the key that allows it."""

    organization_id: str
    key: ApiKey | None = None
    session_id: str = ""
    """The session in the console, for a person who signed in to it."""

    @property
    def holder(self) -> str:
        """What its access ends with: the id of its session or key; empty without a key."""
        return self.session_id or (self.key.id if self.key else "")

    @property
    def name(self) -> str:
        """For messages such as "Cancelled by …"."""
        if self.key is None:
            return "a request without a key"
        return f"API key `{self.key.name or self.key.id}`"

    def may(self, scope: Scope) -> bool:
        """Whether its key has the scope; without a key everything is allowed."""
        return self.key is None or ALL_SCOPES in self.key.scopes or scope in self.key.scopes


class CallerAuthenticator:
    """Finds the caller of a request from its headers, before the body is read."""

    def __init__(self, settings: Settings, stores: Stores, signer: UrlSigner) -> None:
        self._settings = settings
        self._stores = stores
        self._signer = signer
        self._cached_keys = TTLCache[str, ApiKey](_MAX_CACHED, _CACHE_SECONDS, timer=_seconds)
        self._looking_up: dict[str, asyncio.Task[ApiKey]] = {}
        self._keyless_caller: Caller | None = None
        self._allows_keyless = not settings.require_key and (
            settings.allow_keyless or is_loopback(settings.host)
        )

    async def authenticate(self, headers: dict[bytes, bytes], port: int | None, scope: Scope) -> Caller:
        """The caller, whose key has the scope; raises NotAuthenticated or Forbidden."""
        caller = await self._caller(headers, port)
        _require(caller, scope)
        return caller

    async def check_holder(self, holder: str, scope: Scope) -> None:
        """Raise NotAuthenticated or Forbidden once the session or key with this id may not use the scope."""
        if holder:
            key = await self._cached(holder, lambda: self._look_up_holder(holder))
            _require(Caller(key.organization_id, key), scope)

    def forget(self, holder: str) -> None:
        """Look a session or key up again: it has just ended."""
        self._looking_up.clear()  # what these find may be from before its end
        for cache_key, key in list(self._cached_keys.items()):
            if holder in (cache_key, key.id):
                self._cached_keys.pop(cache_key, None)

    async def _caller(self, headers: dict[bytes, bytes], port: int | None) -> Caller:
        # a key takes precedence over the cookie, which browsers always send
        text = _key_text(headers)
        if text is not None:
            return await self.with_key(text)
        has_cookies = b"cookie" in headers
        session_id = session_id_of(self._signer, headers, self._settings) if has_cookies else None
        if session_id is not None:
            check_same_origin(headers)
            key = await self._cached(session_id, lambda: self._look_up_holder(session_id))
            return Caller(key.organization_id, key, session_id)
        return await self._without_key(headers, port)

    async def with_key(self, text: str) -> Caller:
        """The caller with this key; raises NotAuthenticated."""
        # by its digest, so that no key stays in memory as text
        key = await self._cached(hashlib.sha256(text.encode()).hexdigest(), lambda: self._look_up(text))
        return Caller(key.organization_id, key)

    async def _cached(self, cache_key: str, look_up: Callable[[], Awaitable[ApiKey]]) -> ApiKey:
        key = self._cached_keys.get(cache_key)
        if key is not None:
            return key
        # together: a thousand requests at once must not read, and note the use of, one key a thousand times
        looking_up = self._looking_up.get(cache_key)
        if looking_up is None:
            looking_up = asyncio.ensure_future(self._look_up_once(cache_key, look_up()))
            self._looking_up[cache_key] = looking_up
        return await asyncio.shield(looking_up)  # a client that disconnects must not fail the others

    async def _look_up_once(self, cache_key: str, look_up: Awaitable[ApiKey]) -> ApiKey:
        try:
            key = await look_up
            if self._looking_up.get(cache_key) is asyncio.current_task():
                self._cached_keys[cache_key] = key
            # after it is kept: a slow write must not make the answer look newer than it is
            await self._note_use(key)
            return key
        finally:
            if self._looking_up.get(cache_key) is asyncio.current_task():
                del self._looking_up[cache_key]

    async def _look_up(self, text: str) -> ApiKey:
        id_and_secret = read_key(text)
        key = await self._stores.keys.find_in_any_organization(id_and_secret[0]) if id_and_secret else None
        if id_and_secret is None or key is None or not is_valid_secret(key, id_and_secret[1]):
            # one message for all cases: it must not reveal which keys exist
            raise NotAuthenticated("This API key is not known or was revoked")
        return key

    async def _look_up_holder(self, holder: str) -> ApiKey:
        # whoever shows the id has shown the secret before: only whether it has ended has to be looked up
        if is_session(holder):
            key = await self._stores.console_sessions.find_key(holder)
        else:
            key = await self._stores.keys.find_in_any_organization(holder)
        if key is None or key.revoked_at is not None:
            raise NotAuthenticated("This session has ended, or its API key was revoked: sign in again")
        return key

    async def _note_use(self, key: ApiKey) -> None:
        now = now_ms()
        if key.last_used_at is None or now - key.last_used_at >= _LAST_USED_MS:
            await self._stores.keys.touch(key.id, now)

    async def _without_key(self, headers: dict[bytes, bytes], port: int | None) -> Caller:
        if not self._allows_keyless:
            raise NotAuthenticated
        self._check_proxy(headers)
        self._check_origin(headers, port)
        if self._keyless_caller is None:
            # created at its first use: an installation that requires keys never has it
            organization = await self._stores.organizations.ensure(DEFAULT_ORGANIZATION)
            self._keyless_caller = Caller(organization.id)
        return self._keyless_caller

    def _check_proxy(self, headers: dict[bytes, bytes]) -> None:
        """Refuse requests through a proxy: they all seem to come from this machine."""
        if self._settings.allow_keyless:
            return
        for name in headers:
            if is_proxy_header(name):
                raise Forbidden(
                    f"The header `{name.decode('latin-1')}` shows a proxy in front of the service, so a "
                    "request needs an API key: make one with `pagehand keys create`, or have the operator "
                    "set `PAGEHAND_ALLOW_KEYLESS=1` to stay open to everybody whom the proxy lets through"
                )

    def _check_origin(self, headers: dict[bytes, bytes], port: int | None) -> None:
        # a page of another site, or a DNS name that was pointed at us, can make a browser send requests
        if not self._is_own_address(headers.get(b"host", b"").decode("latin-1"), port):
            raise Forbidden("Without an API key only requests to its own `Host` are served")
        origin = headers.get(b"origin")
        if origin is None:
            return
        scheme, _, address = origin.decode("latin-1").partition("://")
        if scheme not in ("http", "https") or not self._is_own_address(address, port):
            raise Forbidden("Without an API key requests from pages of another `Origin` are refused")

    def _is_own_address(self, address: str, port: int | None) -> bool:
        if self._settings.public_url and address == urlsplit(self._settings.public_url).netloc:
            return True
        host, given_port = split_host(address)
        if (given_port or _DEFAULT_PORT) != (port or self._settings.port):
            return False
        if host in ("localhost", "127.0.0.1", "::1", self._settings.host):
            return True
        # the operator has opened it to others; an IP address cannot be a DNS name that was pointed at us
        return self._settings.allow_keyless and _is_ip(host)


def _seconds() -> float:
    """The clock of the cache, looked up at each call so that tests can replace it."""
    return time.monotonic()


@lru_cache(maxsize=64)  # nearly all requests have the same few headers
def is_proxy_header(name: bytes) -> bool:
    """Whether a header, in lower case, is one that proxies add to requests."""
    return name in _PROXY_HEADERS or name.startswith(_PROXY_HEADER_PREFIXES)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a service that listens on `host`."""
    # no other name: it can be pointed at another machine later
    return host == "localhost" or (_is_ip(host) and ipaddress.ip_address(host).is_loopback)


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=16)  # nearly every request names the same one
def split_host(address: str) -> tuple[str, int | None]:
    """Host and port of a `Host` header, an IPv6 address without its brackets; empty when it is invalid."""
    try:
        parts = urlsplit(f"//{address}")
        port = parts.port
    except ValueError:
        return "", None
    # `evil@127.0.0.1` must not pass for this machine
    is_plain = parts.path == "" and parts.query == "" and parts.fragment == "" and parts.username is None
    return (parts.hostname or "", port) if is_plain else ("", None)


def _require(caller: Caller, scope: Scope) -> None:
    if not caller.may(scope):
        raise Forbidden(f"This API key does not have the scope `{scope}` that the operation needs")


def check_same_origin(headers: Mapping[bytes, bytes]) -> None:
    """Refuse requests of other sites: a browser sends the cookie with those, too."""
    origin = headers.get(b"origin")
    if origin is None:
        # a GET of the same origin has no Origin header, but browsers send Sec-Fetch-Site
        if headers.get(b"sec-fetch-site", b"same-origin") not in (b"same-origin", b"none"):
            raise Forbidden("Requests of another site with the console's cookie are refused")
        return
    scheme, _, address = origin.partition(b"://")
    if scheme not in (b"http", b"https") or address != headers.get(b"host"):
        raise Forbidden("Requests of another `Origin` with the console's cookie are refused")


def _key_text(headers: dict[bytes, bytes]) -> str | None:
    authorization = headers.get(b"authorization")
    if authorization is not None:
        scheme, _, credentials = authorization.decode("latin-1").partition(" ")
        if scheme.lower() != "bearer" or not credentials.strip():
            raise NotAuthenticated
        return credentials.strip()
    key = headers.get(b"x-api-key")
    return None if key is None else key.decode("latin-1").strip()


class Access:
    """The access of one API key or console session, which may end while it gets an answer."""

    __slots__ = ("_allowed_at", "_authenticator", "_checked_at", "_holder", "_scope")

    def __init__(self, authenticator: CallerAuthenticator, holder: str, scope: Scope) -> None:
        """`holder` is the id of the key or session; empty for a caller without one, which has no end."""
        self._authenticator = authenticator
        self._holder = holder
        self._scope: Scope = scope
        self._checked_at = self._allowed_at = asyncio.get_running_loop().time()

    async def check(self) -> None:
        """Raise NotAuthenticated or Forbidden if the access has ended."""
        self._checked_at = now = asyncio.get_running_loop().time()
        try:
            await self._authenticator.check_holder(self._holder, self._scope)
        except Unavailable:
            if now - self._allowed_at > _OUTAGE_SECONDS:
                raise
        else:
            self._allowed_at = now

    @property
    def is_due(self) -> bool:
        """Whether it should be checked: it may end, and the last check was not a moment ago."""
        return bool(self._holder) and asyncio.get_running_loop().time() - self._checked_at >= CHECK_SECONDS

    async def wait(self, future: "asyncio.Future[Any]", seconds: float = inf) -> bool:
        """Whether the future is done within the time; raises when the access ends before."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not future.done() and (left := end - loop.time()) > 0:
            await asyncio.wait({future}, timeout=min(left, CHECK_SECONDS))
            if not future.done() and self.is_due:
                await self.check()
        return future.done()

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`, which is cancelled when the access ends; raises why it ended."""
        running = asyncio.ensure_future(work)
        try:
            await self.wait(running)
            return running.result()
        finally:
            if not running.done():
                running.cancel()
                await asyncio.wait({running})

    async def guard(self, chunks: AsyncIterable[T]) -> AsyncGenerator[T]:
        """The chunks of a response; raises when the access ends before the last of them."""
        iterator = aiter(chunks)
        try:
            while (chunk := await self.run(_next(iterator))) is not None:
                if self.is_due:
                    await self.check()
                yield chunk
        finally:
            if isinstance(iterator, AsyncGenerator):
                await iterator.aclose()


async def _next(iterator: AsyncIterator[T]) -> T | None:
    return await anext(iterator, None)

"""The HTTP client for API blocks and webhooks; the egress policy decides what it may reach.

client = HttpClient(policy, upstream)
answer = await client.send("POST", "https://api.example/orders", headers=[…], body=b"…", timeout_seconds=30)
"""

import asyncio
import re
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Unpack

import httpcore2
import httpx2

from pagehand.egress.http_transport import CheckedTransport
from pagehand.egress.policy import EgressPolicy
from pagehand.egress.upstream import UpstreamProxy
from pagehand.errors import BlockFailed, PagehandError, SiteDown, TimedOut, Unanswered
from pagehand.loop import import_in_thread
from pagehand.ports import Captcha, HttpAnswer, HttpOptions

if TYPE_CHECKING:
    from pagehand.egress.http_transport import CheckedTransport

DEFAULT_MAX_BYTES = 50 * 1024 * 1024
"""How large a response may be unless the caller sets another limit."""

_METHOD = re.compile(r"[A-Z]{1,20}")
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_SET_BY_THE_CLIENT = frozenset(
    {
        "connection",
        "content-length",
        "host",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


class HttpClient:
    """Sends requests to what the policy allows, directly or through a proxy; keeps no connections."""

    def __init__(
        self, policy: EgressPolicy, upstream: UpstreamProxy | None = None, tls: ssl.SSLContext | None = None
    ) -> None:
        """`upstream` is a proxy to go through; `tls` replaces the system's trusted certificates."""
        self._policy = policy
        self._upstream = upstream
        self._tls = tls
        self._transport: CheckedTransport | None = None

    async def send(self, method: str, url: str, **options: Unpack[HttpOptions]) -> HttpAnswer:
        """The response after redirects, whatever its status.

        Raises `EgressRefused`, which names the host and the setting; `SiteDown` when the host was not
        reached; `Unanswered` when the request was sent and no complete response came; `TimedOut`, possibly
        after it was sent.
        """
        headers, private = options.get("headers", ()), options.get("private_headers", ())
        max_bytes, timeout_seconds = options.get("max_bytes", DEFAULT_MAX_BYTES), options["timeout_seconds"]
        check_headers(headers)
        if not _METHOD.fullmatch(method):
            raise BlockFailed(f"`{method[:30]}` is not an HTTP method.")
        # the HTTP library costs 20 MB, so it is loaded by the first request and not at start
        await import_in_thread("pagehand.egress.http")
        from pagehand.egress.http import HttpRequest, read_body  # noqa: PLC0415 - see above

        request = HttpRequest(method, url, headers, options.get("body", b""), private)
        try:
            async with asyncio.timeout(timeout_seconds):
                follow = options.get("follow_redirects", True)
                answer = await request.send(self._get_transport(), follow_redirects=follow)
                content = await read_body(answer, max_bytes, request.url) if max_bytes else b""
                await answer.aclose()
        except TimeoutError:
            raise TimedOut(f"`{request.url.host}` did not answer within {timeout_seconds:g} s.") from None
        return HttpAnswer(
            status=answer.status_code,
            url=str(request.url),
            headers=tuple(answer.headers.multi_items()),
            body=content,
        )

    async def close(self) -> None:
        """Close open connections."""
        if self._transport is not None:
            await self._transport.aclose()
            self._transport = None

    def _get_transport(self) -> "CheckedTransport":
        if self._transport is None:
            from pagehand.egress.http_transport import CheckedTransport  # noqa: PLC0415 - see `send`

            self._transport = CheckedTransport(self._policy, self._upstream, self._tls)
        return self._transport


def check_headers(headers: Sequence[tuple[str, str]]) -> None:
    """Refuse headers with line breaks, and those that the client sets itself."""
    for name, value in headers:
        if not _NAME.fullmatch(name):
            raise BlockFailed(f"`{name[:100]!r}` cannot be the name of a header.")
        if not _VALUE.fullmatch(value):
            raise BlockFailed(
                f"The header `{name}` holds a line break or another character that headers cannot carry."
            )
        if name.lower() in _SET_BY_THE_CLIENT:
            raise BlockFailed(f"The header `{name}` is set by Pagehand itself; leave it out.")


_OK = 200


@dataclass(frozen=True, slots=True)
class HttpCaptchaSolver:
    """Posts `{kind, siteKey, url}` as JSON and expects `{token}`; without a token it was not solved."""

    address: str

    async def solve(self, captcha: Captcha, *, timeout_seconds: float) -> str | None:
        """The token, or None when the solver gives none; SiteDown when it cannot be reached."""
        # the HTTP library costs 20 MB, so it is loaded by the first captcha and not at start
        import httpx2  # noqa: PLC0415 - see above

        asked = {"kind": captcha.kind, "siteKey": captcha.site_key, "url": captcha.url}
        try:
            async with httpx2.AsyncClient(timeout=timeout_seconds, trust_env=False) as client:
                answer = await client.post(self.address, json=asked)
                found = answer.json() if answer.status_code == _OK else None
        except (httpx2.HTTPError, ValueError) as error:
            raise SiteDown(f"The captcha solver did not answer: {type(error).__name__}.") from error
        token = found.get("token") if isinstance(found, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] - whatever it sent
        return token if isinstance(token, str) and token else None


_MAX_REDIRECTS = 10
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SEE_OTHER = 303
_KEEP_METHOD = frozenset({307, 308})
_CROSS_ORIGIN_HEADERS = frozenset(
    {"accept", "accept-encoding", "accept-language", "content-type", "user-agent"}
)
"""Headers that a redirect to another origin keeps; everything else is for the first origin only."""
_BODY_HEADERS = frozenset({"content-type"})
_DEFAULT_HEADERS = (("Accept", "*/*"), ("Accept-Encoding", "gzip, deflate"), ("User-Agent", "Pagehand"))


class HttpRequest:
    """A request; a redirect changes its address, and maybe its method and headers."""

    def __init__(
        self,
        method: str,
        url: str,
        headers: Sequence[tuple[str, str]],
        body: bytes,
        private_headers: Sequence[str] = (),
    ) -> None:
        self.url = parse_url(url)
        self._method = method
        given = {name.lower() for name, _ in headers}
        self._headers = [*headers, *(item for item in _DEFAULT_HEADERS if item[0].lower() not in given)]
        self._body = body
        self._cross_origin_headers = _CROSS_ORIGIN_HEADERS - {name.lower() for name in private_headers}
        self._cookies: dict[httpx2.Origin, dict[str, str]] = {}

    async def send(self, transport: CheckedTransport, *, follow_redirects: bool = True) -> httpx2.Response:
        """The first response that is not a redirect, or the very first; its body is still to be read."""
        for _ in range(_MAX_REDIRECTS + 1):
            try:
                answer = await transport.handle_async_request(self._build_request())
            except (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError) as error:
                raise translate_error(error, self.url) from error
            target = answer.headers.get("location")
            if not follow_redirects or answer.status_code not in _REDIRECTS or target is None:
                return answer
            await answer.aclose()
            self._store_cookies(answer)
            self._follow_redirect(target, answer.status_code)
        raise BlockFailed(f"`{self.url.host}` redirected more than {_MAX_REDIRECTS} times.")

    def _build_request(self) -> httpx2.Request:
        headers = list(self._headers)
        if cookies := self._cookies.get(self.url.origin):
            headers.append(("Cookie", "; ".join(f"{name}={value}" for name, value in cookies.items())))
        return httpx2.Request(self._method, self.url, headers=headers, content=self._body or None)

    def _follow_redirect(self, target: str, status: int) -> None:
        previous = self.url
        try:
            self.url = parse_url(str(previous.join(target)))
        except (httpx2.InvalidURL, ValueError):
            raise BlockFailed(f"`{previous.host}` redirected to something that is not an address.") from None
        becomes_get = status == _SEE_OTHER or (status not in _KEEP_METHOD and self._method == "POST")
        if becomes_get and self._method != "HEAD":
            self._method, self._body = "GET", b""
            self._headers = [header for header in self._headers if header[0].lower() not in _BODY_HEADERS]
        if self.url.origin != previous.origin:
            self._headers = [
                header for header in self._headers if header[0].lower() in self._cross_origin_headers
            ]

    def _store_cookies(self, answer: httpx2.Response) -> None:
        """Cookies go back only to the origin that set them, when the redirects return there."""
        kept = self._cookies.setdefault(self.url.origin, {})
        for line in answer.headers.get_list("set-cookie"):
            try:
                kept.update({name: morsel.coded_value for name, morsel in SimpleCookie(line).items()})
            except CookieError:
                continue  # browsers ignore malformed cookies too


def parse_url(text: str) -> httpx2.URL:
    """Read an address; `BlockFailed` unless it is http or https and names a host."""
    try:
        url = httpx2.URL(text)
    except (httpx2.InvalidURL, ValueError) as error:
        raise BlockFailed(f"`{text[:200]}` is not an address: {error}") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise BlockFailed(f"`{text[:200]}` cannot be called: an address begins with http:// or https://.")
    if url.userinfo:
        raise BlockFailed(
            f"The address of `{url.host}` carries a user name or password; give them as `auth` instead."
        )
    return url.copy_with(fragment=None)


async def read_body(answer: httpx2.Response, max_bytes: int, url: httpx2.URL) -> bytes:
    """The decompressed body; `BlockFailed` when it is larger than `max_bytes`."""
    body = bytearray()
    try:
        async for part in answer.aiter_bytes():
            body += part
            if len(body) > max_bytes:
                raise BlockFailed(
                    f"The answer of `{url.host}` is larger than {max_bytes / 1024 / 1024:g} MB."
                )
    except (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        raise translate_error(error, url) from error
    except httpx2.DecodingError as error:
        raise BlockFailed(
            f"The response of `{url.host}` does not have the content encoding it declares: {error}"
        ) from None
    finally:
        await answer.aclose()
    return bytes(body)


def translate_error(error: Exception, url: httpx2.URL) -> PagehandError:
    """The error of ours for one of the library."""
    origin = url.netloc.decode("ascii", "replace")
    if isinstance(error, httpcore2.ConnectError | httpcore2.ConnectTimeout):
        if (certificate := _certificate_problem(error)) is not None:
            return BlockFailed(f"The certificate of `{origin}` is not trusted: {certificate}.")
        return SiteDown(f"`{origin}` cannot be reached: {_cause(error)}.")
    if isinstance(error, httpcore2.LocalProtocolError):
        return BlockFailed(f"The request to `{origin}` cannot be sent: {error}.")
    if isinstance(error, httpcore2.RemoteProtocolError):
        return Unanswered(f"`{origin}` did not answer properly: {error}")
    return Unanswered(f"The connection to `{origin}` was lost before its answer was complete.")


def _certificate_problem(error: BaseException) -> str | None:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return cause.verify_message
        cause = cause.__cause__ or cause.__context__
    return None


def _cause(error: Exception) -> str:
    if isinstance(error, httpcore2.ConnectTimeout):
        return "timed out"
    text = str(error)
    if text.startswith("upstream proxy"):
        return text
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ConnectionRefusedError):
            return "connection refused"
        if isinstance(cause, ssl.SSLError):
            return f"no TLS ({cause.reason or 'handshake failed'})"
        cause = cause.__cause__ or cause.__context__
    return "connection refused" if "All connection attempts failed" in text else "unreachable"

"""One HTTP request and its redirects, each hop checked; the library's errors become ours.

A redirect to another origin does not get the caller's own headers (keys, tokens, cookies).
"""

import ssl
from collections.abc import Sequence
from http.cookies import CookieError, SimpleCookie

import httpcore2
import httpx2

from pagehand.egress.http_transport import CheckedTransport
from pagehand.errors import BlockFailed, PagehandError, SiteDown, Unanswered

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

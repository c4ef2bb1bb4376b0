"""One HTTP request along its redirects, each hop checked; what goes wrong becomes one of our errors.

On a redirect to another origin the caller's own headers (keys, tokens, cookies) stay behind.
"""

import ssl
from collections.abc import Sequence
from http.cookies import CookieError, SimpleCookie

import httpcore2
import httpx2

from pagehand.egress.http_transport import CheckedTransport
from pagehand.errors import BlockFailed, PagehandError, SiteDown, Unanswered

_MOST_REDIRECTS = 10
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SEE_OTHER = 303
_KEEP_METHOD = frozenset({307, 308})
_TRAVELS = frozenset({"accept", "accept-encoding", "accept-language", "content-type", "user-agent"})
"""Headers that another origin may see too; whatever else the caller gave is meant for the first alone."""
_OF_THE_BODY = frozenset({"content-type"})
_UNLESS_GIVEN = (("Accept", "*/*"), ("Accept-Encoding", "gzip, deflate"), ("User-Agent", "Pagehand"))


class Exchange:
    """A request as it stands now: a redirect changes its address, and maybe its method and headers."""

    def __init__(
        self,
        method: str,
        url: str,
        headers: Sequence[tuple[str, str]],
        body: bytes,
        private_headers: Sequence[str] = (),
    ) -> None:
        self.url = web_address(url)
        self._method = method
        given = {name.lower() for name, _ in headers}
        self._headers = [*headers, *(item for item in _UNLESS_GIVEN if item[0].lower() not in given)]
        self._body = body
        self._travels = _TRAVELS - {name.lower() for name in private_headers}
        self._cookies: dict[httpx2.Origin, dict[str, str]] = {}

    async def run(self, transport: CheckedTransport, *, follow_redirects: bool = True) -> httpx2.Response:
        """The answer that is not a redirect, or the first one; its body still to be read."""
        for _ in range(_MOST_REDIRECTS + 1):
            try:
                answer = await transport.handle_async_request(self._request())
            except (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError) as error:
                raise trouble(error, self.url) from error
            target = answer.headers.get("location")
            if not follow_redirects or answer.status_code not in _REDIRECTS or target is None:
                return answer
            await answer.aclose()
            self._keep_cookies(answer)
            self._turn_to(target, answer.status_code)
        raise BlockFailed(f"`{self.url.host}` redirected more than {_MOST_REDIRECTS} times.")

    def _request(self) -> httpx2.Request:
        headers = list(self._headers)
        if cookies := self._cookies.get(self.url.origin):
            headers.append(("Cookie", "; ".join(f"{name}={value}" for name, value in cookies.items())))
        return httpx2.Request(self._method, self.url, headers=headers, content=self._body or None)

    def _turn_to(self, target: str, status: int) -> None:
        left = self.url
        try:
            self.url = web_address(str(left.join(target)))
        except (httpx2.InvalidURL, ValueError):
            raise BlockFailed(f"`{left.host}` redirected to what is not an address.") from None
        becomes_get = status == _SEE_OTHER or (status not in _KEEP_METHOD and self._method == "POST")
        if becomes_get and self._method != "HEAD":
            self._method, self._body = "GET", b""
            self._headers = [header for header in self._headers if header[0].lower() not in _OF_THE_BODY]
        if self.url.origin != left.origin:
            self._headers = [header for header in self._headers if header[0].lower() in self._travels]

    def _keep_cookies(self, answer: httpx2.Response) -> None:
        """What a hop sets goes back to its own origin when the redirects return there."""
        kept = self._cookies.setdefault(self.url.origin, {})
        for line in answer.headers.get_list("set-cookie"):
            try:
                kept.update({name: morsel.coded_value for name, morsel in SimpleCookie(line).items()})
            except CookieError:
                continue  # a malformed cookie is one that was not set


def web_address(text: str) -> httpx2.URL:
    """Read an address; `BlockFailed` for what is not plain http or https to a host."""
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
    """The body, unpacked, as far as the limit goes; `BlockFailed` past it."""
    body = bytearray()
    try:
        async for part in answer.aiter_bytes():
            body += part
            if len(body) > max_bytes:
                raise BlockFailed(
                    f"The answer of `{url.host}` is larger than {max_bytes / 1024 / 1024:g} MB."
                )
    except (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        raise trouble(error, url) from error
    except httpx2.DecodingError as error:
        raise BlockFailed(f"The answer of `{url.host}` is not packed the way it says: {error}") from None
    finally:
        await answer.aclose()
    return bytes(body)


def trouble(error: Exception, url: httpx2.URL) -> PagehandError:
    """Our word for what the library says."""
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

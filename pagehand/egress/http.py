"""The HTTP client for API blocks and webhooks; the egress policy decides what it may reach.

client = HttpClient(policy, upstream)
answer = await client.send("POST", "https://api.example/orders", headers=[…], body=b"…", timeout_seconds=30)
"""

import asyncio
import re
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from pagehand.cooperative import import_in_thread
from pagehand.egress.policy import EgressPolicy
from pagehand.egress.upstream import UpstreamProxy
from pagehand.errors import BlockFailed, SiteDown, TimedOut
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
        await import_in_thread("pagehand.egress.http_request")
        from pagehand.egress.http_request import HttpRequest, read_body  # noqa: PLC0415 - see above

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

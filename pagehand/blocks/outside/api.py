"""Call another service's HTTP API: look something up, hand a result over, fetch a file.

`route` is an address, or a path at the open page's origin, which is then called with the page's cookies.
`data` is the body: an object or array goes as JSON, text as text; `bodyType` makes it a `form`, a `multipart`
form (a File info in it becomes a file part) or one whole `file`. Secrets of a login (`{{login.apiKey}}`) are
filled in in `headers` and `auth` only, sent only to the login's addresses (`authenticationUrl`, `homeUrl`,
`signInUrls`; not to where a redirect leads), and never shown again, not even when the service echoes them.

Its output is `{status, headers, data}`: JSON as data, text as text, anything else as a file. A status outside
`expectStatus` (200 to 399 by default) fails the block. Reading calls that are answered with 429 or 503 are
tried again when the service says so (`Retry-After`), within the block's time. Mark a call `isCommit` when
making it twice would do harm; GET and HEAD never do.

Only public addresses can be called unless the operator opens others with `PAGEHAND_EGRESS_ALLOW`.
"""

from contextlib import nullcontext
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from pagehand.blocks import http_answer as answers
from pagehand.blocks.base import IN_DOUBT, CommittingBlock
from pagehand.blocks.http_request import (
    Auth,
    BodyType,
    body_problem,
    cookie_header,
    keep_cookies,
    on_the_page,
    with_query,
    write_body,
)
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.ports import HttpAnswer
from pagehand.records import Json
from pagehand.workflow.locator import Locator
from pagehand.workflow.wire import Text

_READING: Final = frozenset(("GET", "HEAD", "OPTIONS"))
_WITHOUT_EFFECT: Final = frozenset(("GET", "HEAD"))
_ASK_AGAIN: Final = frozenset((429, 503))
_LEAST_SECONDS: Final = 0.5
"""What must be left of the block's time for another try to make sense."""


def _upper(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else value


Method = Annotated[
    Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"], BeforeValidator(_upper)
]


class API(CommittingBlock):
    """Call an HTTP API."""

    type: ClassVar[str] = "API"
    title: ClassVar[str] = "API"
    label: ClassVar[str] = "Call a web service"
    menu_position: ClassVar[int] = 1
    sentences: ClassVar[str] = "pagehand.instructions.grammar.external_steps:CALLING"
    also_called: ClassVar[tuple[str, ...]] = (
        "http",
        "request",
        "fetch",
        "rest",
        "httpRequest",
        "webhook",
        "call",
        "curl",
        "apiCall",
    )
    key_hints: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("url", "path", "endpoint", "uri"), "did you mean `route`?"),
        **dict.fromkeys(("body", "json", "payload"), "did you mean `data`?"),
        **dict.fromkeys(("params", "parameters"), "did you mean `query`?"),
    }
    secret_fields: ClassVar[frozenset[str]] = frozenset(("headers", "auth"))

    method: Method = "GET"
    """What to do there."""
    route: Text = Field(min_length=1)
    """The address; without `https://` a path at the open page's origin, called with its cookies."""
    data: Any = None
    """The body; not for GET and HEAD, whose values go into `query`."""
    body_type: BodyType | None = None
    """How `data` is written; by default text as text and everything else as JSON."""
    headers: dict[str, Text] = Field(default_factory=dict[str, str])
    """Headers to send; `{{login.…}}` reads the login's secrets here."""
    query: Json = Field(default_factory=Json)
    """Values for the query of the address; an array repeats its name, null is left out."""
    auth: Auth | None = None
    """Credentials to send: basic, bearer, or a header or query value of any name."""
    expect_status: int | Text | list[int | Text] | None = None
    """Statuses that are fine: 200, [200, 404], "200-299" or "2xx"; 200 to 399 by default."""
    save_as: Text | None = Field(default=None, min_length=1)
    """Keep the answer's body as a file of this name; `data` is then its File info."""

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        answers.read_statuses(self.expect_status)
        if self.method in ("GET", "HEAD") and self.data not in (None, "", {}, []):
            raise ValueError(f"a {self.method} call has no body: put the values of `data` into `query`")
        return self

    @classmethod
    def what_prevents_running(cls, data: Json, locator: Locator | None) -> str | None:
        """The body cannot be written as its type asks."""
        del locator
        return body_problem(data.get("data"), data.get("bodyType"))

    @property
    def commits(self) -> bool:
        """As marked, but reading changes nothing."""
        return self.is_commit and self.method not in _READING

    def wants_page(self) -> bool:
        """A path needs the page it is relative to."""
        return "://" not in self.route

    async def run(self, ctx: RunContext) -> Outcome:
        """Send, wait for the answer, judge its status, read its body."""
        url = on_the_page(ctx.page, self.route) if self.wants_page() else self.route
        request_line = f"`{self.method} {_shown(url)}`"
        try:
            async with (
                nullcontext() if self.method in _WITHOUT_EFFECT else ctx.beginning_effect(request_line)
            ):
                answer = await self._call(ctx, url)
        except IN_DOUBT as error:
            return await self.settle_doubt(ctx, error)
        expected = answers.read_statuses(self.expect_status)
        if not answers.is_expected(answer.status, expected):
            raise answers.unexpected(answer, expected, request_line)
        output = {
            "status": answer.status,
            "headers": _as_object(answer),
            "data": await answers.read_data(answer, self.save_as, ctx.files),
        }
        details = {"status": answer.status, "sizeBytes": len(answer.body)}
        return Outcome(output, f"{request_line} answered with status {answer.status}", details)

    async def _call(self, ctx: RunContext, url: str) -> HttpAnswer:
        """The answer; reading calls are repeated while the service asks for patience and there is time."""
        headers, full_url, body = await self._request(ctx, url)
        # dropped where a redirect leads to another host, as the login's secrets are for its own site
        private = [name for name, value in self.headers.items() if ctx.holds_secret(value)]
        private += [self.auth.header[0]] if self.auth and self.auth.header else []
        tries = 0
        while True:
            answer = await ctx.http.send(
                self.method,
                full_url,
                headers=headers,
                body=body,
                private_headers=private,
                timeout_seconds=ctx.remaining_seconds,
            )
            # what the service sets is part of the page's session, as if the page had made the call
            if self.wants_page():
                await keep_cookies(ctx.page, url, answer)
            pause = self._pause(answer, tries)
            # the answer in hand says more than the time-out that would follow
            if pause is None or pause + _LEAST_SECONDS > ctx.remaining_seconds:
                return answer
            ctx.emit("api.postponed", f"The service asks for {pause:g} s of patience ({answer.status})")
            await ctx.sleep(pause)
            tries += 1

    async def _request(self, ctx: RunContext, url: str) -> tuple[list[tuple[str, str]], str, bytes]:
        body, mime_type = await write_body(
            None if self.method in ("GET", "HEAD") else self.data, self.body_type, ctx.files
        )
        headers = [(name, ctx.reveal(value, [url])) for name, value in self.headers.items()]
        given = {name.lower() for name in self.headers}
        if mime_type is not None and "content-type" not in given:
            headers.append(("Content-Type", mime_type))
        # a Cookie header of the author's own is meant to replace the page's
        if self.wants_page() and "cookie" not in given:
            headers += await cookie_header(ctx.page, url)
        query = dict(self.query)
        if self.auth is not None:
            auth = self.auth.revealed(lambda text: ctx.reveal(text, [url]))
            # before the call: the failure of this very call may quote what was sent
            for secret in auth.secrets:
                ctx.keep_secret(secret)
            headers += [auth.header] if auth.header else []
            query |= auth.query
        return headers, with_query(url, query), body

    def _pause(self, answer: HttpAnswer, tries: int) -> float | None:
        expected = answers.read_statuses(self.expect_status)
        if self.method not in _READING or answer.status not in _ASK_AGAIN:
            return None
        return None if answers.is_expected(answer.status, expected) else answers.retry_after(answer, tries)


def _as_object(answer: HttpAnswer) -> dict[str, str]:
    """Headers by lower-case name; those that come several times are joined."""
    found: dict[str, str] = {}
    for name, value in answer.headers:
        key = name.lower()
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found


def _shown(url: str) -> str:
    """The address without its query, which may be long or private."""
    return url.partition("?")[0][:200]


EXAMPLES: list[Json] = [
    {
        "type": "API",
        "data": {
            "method": "POST",
            "route": "{{params.site}}/orders",
            "data": {"customer": "Ann", "items": [{"sku": "A-17", "count": 2}]},
            "auth": {"type": "bearer", "token": "{{params.token}}"},
            "isCommit": True,
        },
    },
    {
        "type": "API",
        "data": {
            "route": "{{params.site}}/orders",
            "query": {"status": "open", "limit": 50},
            "headers": {"Accept": "application/json"},
            "expectStatus": [200, 404],
        },
    },
]

"""Connections of commands to a service, and how the service's refusals end a command."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, NoReturn

from pagehand.client import ApiError, AsyncPagehand, Pagehand, Unreachable
from pagehand.errors import NotAuthenticated, NotFound, PagehandError, Unavailable, UserMistake
from pagehand.records import Json

_SERVER_FAULT = 500
_NO_KEY = 401
_MOST = 1000


@contextmanager
def connect(url: str | None, key: str | None) -> Generator[Pagehand]:
    """A client of the service; what it raises becomes an error that ends the command."""
    with Pagehand(url, key) as client, refusals_end_it(client.url):
        yield client


@asynccontextmanager
async def connect_async(url: str | None, key: str | None) -> AsyncGenerator[AsyncPagehand]:
    """The same for commands that watch something while they wait."""
    async with AsyncPagehand(url, key) as client:
        with refusals_end_it(client.url):
            yield client


@contextmanager
def refusals_end_it(url: str) -> Generator[None]:
    """What the service at `url` refuses becomes an error that ends the command."""
    try:
        yield
    except (ApiError, Unreachable) as error:
        _end(error, url)


def _end(error: ApiError | Unreachable, url: str) -> NoReturn:
    if not url.startswith(("http://", "https://")):
        raise UserMistake(
            f"`{url}` is not an address of a service, such as `http://127.0.0.1:8700`."
        ) from error
    if isinstance(error, Unreachable):
        raise Unavailable(
            f"no service answers at {url}. Start one with `pagehand serve`, or name it with `--url`."
        ) from error
    if error.status == _NO_KEY:
        raise NotAuthenticated(
            f"{str(error).rstrip('.')}. Give one with `--key` or `PAGEHAND_KEY`; "
            "`pagehand keys create` makes one."
        ) from error
    # of 5xx nobody who uses the command can mend anything
    kind = PagehandError if error.status >= _SERVER_FAULT else UserMistake
    raise kind(str(error)) from error


def one_named(things: list[Json], name: str, noun: str) -> Json:
    """The thing of that id or exact name; raises NotFound or UserMistake."""
    found = [thing for thing in things if name in (thing["id"], thing.get("name"))]
    if not found:
        hint = (
            "`pagehand logins add` stores one" if noun == "login" else f"`pagehand {noun}s list` shows them"
        )
        raise NotFound(f"there is no {noun} `{name}`; {hint}.")
    if len(found) > 1:
        ids = ", ".join(str(thing["id"]) for thing in found)
        raise UserMistake(f"{len(found)} {noun}s are called `{name}`: name one of them by its id: {ids}.")
    return found[0]


def all_of(client: Pagehand, noun: str, **fields: Any) -> list[Json]:
    """Everything that a list operation has: `all_of(client, "workflows")`."""
    found: list[Json] = []
    while True:
        answer = client.call(f"/{noun}/list", {**fields, "limit": _MOST, "offset": len(found)})
        found += answer[noun]
        if len(found) >= answer["total"] or not answer[noun]:
            return found

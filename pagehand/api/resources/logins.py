"""Logins: create, change and list them; their secrets are never shown."""

from typing import Annotated, ClassVar, Final

from msgspec import Meta

from pagehand.api.attachment import streamed_list
from pagehand.api.fields import (
    Answer,
    ById,
    Id,
    Limit,
    Listing,
    Name,
    Named,
    Offset,
    OpenRequest,
    SearchText,
    View,
)
from pagehand.api.operation import Call, Result, operation
from pagehand.api.resources.login_views import LoginView, health_view, login_view
from pagehand.logins.login_fields import LoginFields, Url
from pagehand.records import Json

_EXAMPLE: Final[Json] = {
    "name": "Bank",
    "authenticationUrl": "https://bank.example/login",
    "homeUrl": "https://bank.example/accounts",
    "loginConfiguration": {"username": "ada", "password": "correct horse battery staple"},
}


class ListLogins(OpenRequest):
    """Which logins."""

    # an ignored filter would show more than was asked for
    FIELD_HINTS: ClassVar[dict[str, str]] = {
        **dict.fromkeys(LoginView.__struct_encode_fields__, "logins are not filtered by this field"),
        **dict.fromkeys(("name", "username", "query", "q", "text", "filter"), "did you mean `search`?"),
        **dict.fromkeys(("page", "pageSize", "perPage", "cursor"), "did you mean `limit` and `offset`?"),
    }

    search: Annotated[SearchText | None, Meta(description="Part of the name or the username.")] = None
    limit: Limit = 1000
    offset: Offset = 0


LoginList = Listing("LoginList", "logins", LoginView, "Newest first.")


@operation("/logins/list", scope="read", response=LoginList, example={"search": "bank"})
async def list_all(call: Call[ListLogins]) -> Result:
    """Logins of the organization; secrets never leave the service."""
    request = call.request
    found, total = await call.services.logins.list(
        call.organization_id, search=request.search, limit=request.limit, offset=request.offset
    )
    return await streamed_list("logins", (map(login_view, part) async for part in found), total=total)


LoginAnswer = Answer("LoginAnswer", "login", LoginView, "One login.")


class CreateLogin(LoginFields, kw_only=True, frozen=True):
    """A login to keep."""

    name: Name  # pyright: ignore[reportGeneralTypeIssues] - keyword only, so a required field may replace one
    authentication_url: Url  # pyright: ignore[reportGeneralTypeIssues] - as above


@operation("/logins/create", scope="edit", response=LoginAnswer, example=_EXAMPLE)
async def create(call: Call[CreateLogin]) -> Result:
    """Keep a login; its password, TOTP seed and credential values are encrypted and never shown again."""
    return LoginAnswer(login_view(await call.services.logins.create(call.organization_id, call.request)))


@operation("/logins/get", scope="read", response=LoginAnswer)
async def get(call: Call[ById]) -> Result:
    """One login, secrets masked, with its health."""
    login = await call.services.logins.get(call.organization_id, call.request.id)
    view = login_view(login)
    view.health = health_view(await call.services.logins.state(login))
    return LoginAnswer(view)


class UpdateLogin(LoginFields, kw_only=True, frozen=True):
    """Which login, and what changes in it."""

    id: Id


@operation("/logins/update", scope="edit", response=LoginAnswer, example={"persistSession": True})
async def update(call: Call[UpdateLogin]) -> Result:
    """Change the fields given and keep the others; the mask `********` keeps a secret as it is.

    `additionalCredentials`, when given, replaces the whole list. An address with a new origin (scheme, host
    and port) asks for all stored secrets again.
    """
    login = await call.services.logins.update(call.organization_id, call.request.id, call.request)
    return LoginAnswer(login_view(login))


@operation("/logins/upsert", scope="edit", response=LoginAnswer, errors=(409,), example=_EXAMPLE)
async def upsert(call: Call[LoginFields]) -> Result:
    """Change the login with the same username, email or phone, or create it when there is none."""
    return LoginAnswer(login_view(await call.services.logins.upsert(call.organization_id, call.request)))


DeletedLoginAnswer = Answer("DeletedLoginAnswer", "login", Named, "A login that is gone.")


@operation("/logins/delete", scope="edit", response=DeletedLoginAnswer)
async def delete(call: Call[ById]) -> Result:
    """Forget a login and its secrets; executions that used it stay as they are."""
    login = await call.services.logins.delete(call.organization_id, call.request.id)
    return DeletedLoginAnswer(Named(id=login.id, name=login.name))


@operation("/logins/release", scope="edit", response=LoginAnswer)
async def release(call: Call[ById]) -> Result:
    """Let runs try again a login that was held back because the site refused its password."""
    login = await call.services.logins.release(call.organization_id, call.request.id)
    return LoginAnswer(login_view(login))


class CodeAnswer(View):
    """A one-time code and for how many seconds it stays valid."""

    code: str
    seconds_remaining: int


@operation("/logins/twoFactorAuth/getCode", scope="run", response=CodeAnswer, errors=(409,))
async def get_code(call: Call[ById]) -> Result:
    """The one-time code of a login whose two-factor method is TOTP."""
    made = await call.services.logins.code(call.organization_id, call.request.id)
    return CodeAnswer(code=made.code, seconds_remaining=made.seconds_remaining)

"""API keys: create, list and revoke them. `pagehand keys create` makes an organization's first."""

from typing import Annotated, Literal

from msgspec import Meta

from pagehand.api.fields import Answer, ById, Listing, Moment, Page, Request, View
from pagehand.api.keys import new_key
from pagehand.api.operation import Call, Result, operation
from pagehand.api.scopes import ALL_SCOPES
from pagehand.clock import now_ms
from pagehand.errors import Forbidden, NotFound


class KeyView(View):
    """A key, without its secret."""

    id: str
    name: str | None
    created_at: Moment
    last_used_at: Moment | None
    revoked_at: Moment | None
    scopes: list[str]


KeyList = Listing("KeyList", "keys", KeyView, "Newest first.")


class RevokedKey(View):
    """The id of a key that no longer works."""

    id: str


RevokedKeyAnswer = Answer("RevokedKeyAnswer", "key", RevokedKey, "A key that no longer works.")


KeyScope = Literal["read", "run", "edit", "admin", "metrics", "*"]


class CreateKey(Request):
    """What the key is for, and what it may do."""

    name: Annotated[str, Meta(min_length=1, max_length=200)]
    scopes: Annotated[
        list[KeyScope],
        Meta(min_length=1, max_length=6, description="`*` allows everything that the other scopes do."),
    ]


class CreatedKeyAnswer(View):
    """A new key and its text."""

    key: KeyView
    secret: Annotated[str, Meta(description="What callers send. It is shown this once: a digest is kept.")]


@operation(
    "/keys/create",
    scope="admin",
    response=CreatedKeyAnswer,
    errors=(403,),
    example={"name": "nightly batch", "scopes": ["read", "run"]},
)
async def create(call: Call[CreateKey]) -> Result:
    """Make a key of this organization; it can be given no scope that the caller's own key lacks."""
    scopes = list(dict.fromkeys(call.request.scopes))
    missing = next((scope for scope in scopes if not _may_grant(call, scope)), None)
    if missing is not None:
        raise Forbidden(f"`scopes`: your own key does not have `{missing}`, so it cannot give it to another.")
    key, text = new_key(call.organization_id, name=call.request.name, scopes=list[str](scopes))
    await call.services.stores.keys.add(key)
    return CreatedKeyAnswer(key=KeyView.of(key), secret=text)


def _may_grant(call: Call[CreateKey], scope: KeyScope) -> bool:
    # `*` includes scopes of later versions: having every scope by name is not enough
    if scope == ALL_SCOPES:
        return call.caller.key is None or ALL_SCOPES in call.caller.key.scopes
    return call.caller.may(scope)


@operation("/keys/list", scope="admin", response=KeyList, example={"limit": 100})
async def list_all(call: Call[Page]) -> Result:
    """Keys of the organization; the keys themselves are shown only when they are made."""
    found, total = await call.services.stores.keys.list(
        call.organization_id, call.request.limit, call.request.offset
    )
    return KeyList([KeyView.of(key) for key in found], total=total)


@operation("/keys/revoke", scope="admin", response=RevokedKeyAnswer)
async def revoke(call: Call[ById]) -> Result:
    """Revoke a key; within 5 s it is refused everywhere, and what is still sent to its callers ends."""
    if not await call.services.stores.keys.revoke(call.organization_id, call.request.id, now_ms()):
        raise NotFound("There is no key with this `id` in this organization")
    call.services.authenticator.forget(call.request.id)
    return RevokedKeyAnswer(RevokedKey(id=call.request.id))

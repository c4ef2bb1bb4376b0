"""API keys: see them, take one back. New ones are made with `pagehand keys create`."""

from pagehand.api.fields import ById, Moment, Page, View
from pagehand.api.operation import Call, Result, operation
from pagehand.clock import now_ms, to_iso
from pagehand.errors import NotFound
from pagehand.records import ApiKey


class KeyView(View):
    """A key, without what makes it one."""

    id: str
    name: str | None
    created_at: Moment
    last_used_at: Moment | None
    revoked_at: Moment | None
    scopes: list[str]


class KeyList(View):
    """Newest first."""

    keys: list[KeyView]
    total: int


class RevokedKey(View):
    """The id of a key that no longer works."""

    id: str


class RevokedKeyAnswer(View):
    """A key that no longer works."""

    key: RevokedKey


@operation("/keys/list", needs="admin", takes=Page, answers=KeyList, example={"limit": 100})
async def list_all(call: Call[Page]) -> Result:
    """Keys of the organization; the keys themselves are shown only when they are made."""
    found, total = await call.parts.stores.keys.list(
        call.organization_id, call.request.limit, call.request.offset
    )
    return KeyList(keys=[_view(key) for key in found], total=total)


def _view(key: ApiKey) -> KeyView:
    return KeyView(
        id=key.id,
        name=key.name,
        created_at=to_iso(key.created_at),
        last_used_at=_moment(key.last_used_at),
        revoked_at=_moment(key.revoked_at),
        scopes=key.scopes,
    )


def _moment(at: int | None) -> str | None:
    return None if at is None else to_iso(at)


@operation(
    "/keys/revoke",
    needs="admin",
    takes=ById,
    answers=RevokedKeyAnswer,
    errors=(404,),
    example={"id": "key_01k3v8c2m4e6g8j0n2q4s6t8w0"},
)
async def revoke(call: Call[ById]) -> Result:
    """Take a key back; within 5 s nothing accepts it any more."""
    if not await call.parts.stores.keys.revoke(call.organization_id, call.request.id, now_ms()):
        raise NotFound("There is no key with this `id` in this organization")
    return RevokedKeyAnswer(key=RevokedKey(id=call.request.id))


OPERATIONS = (list_all, revoke)

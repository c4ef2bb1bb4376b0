"""Logins: create, change and list them; their secrets are never shown."""

from typing import Annotated, ClassVar, Final

from msgspec import UNSET, Meta, UnsetType, field

from pagehand.api.attachment import streamed_list
from pagehand.api.fields import (
    Answer,
    ById,
    Id,
    Limit,
    Listing,
    Moment,
    Name,
    Named,
    Offset,
    OpenRequest,
    SearchText,
    View,
)
from pagehand.api.operation import Call, Result, operation
from pagehand.clock import now_ms, to_iso, to_optional_iso
from pagehand.logins.login_fields import LoginFields, Url
from pagehand.logins.profile import profile_of
from pagehand.logins.stored import LoginState
from pagehand.records import Json, Login
from pagehand.secrets.vault import KEPT


class TwoFactorView(View):
    """How the site asks for a second factor."""

    method: Annotated[str, Meta(description="TOTP, Email, SMS or None.")]
    always_required: bool
    two_factor_auth_email: str
    code_sender: str
    mailbox_username: str


class CredentialView(View):
    """A further credential; its value is masked."""

    id: str
    key: str
    value: str


class LoginConfigurationView(View):
    """How to sign in, without the password."""

    username: str
    two_factor_auth_configuration: TwoFactorView
    additional_credentials: list[CredentialView]


class LoginHealthView(View):
    """When a login last worked, why it last failed, and whether runs may try it."""

    is_held: Annotated[bool, Meta(description="True while no run tries it, because the site refused it.")]
    last_success_at: Moment | None
    last_failure_at: Moment | None
    last_failure: str | None
    failures: Annotated[int, Meta(description="How often it failed since it last worked or was released.")]
    session_saved_at: Annotated[Moment | None, Meta(description="When its session was last saved.")]
    session_age_seconds: float | None
    next_code_seconds: Annotated[int | None, Meta(description="When the next TOTP code is due.")]
    code_address: Annotated[
        str | None,
        Meta(description="The login's own address, at which the service receives mail with codes."),
    ]


class LoginView(View):
    """A stored login."""

    id: str
    organization_id: str
    name: str
    authentication_url: str
    home_url: str
    icon_url: str
    login_configuration: LoginConfigurationView
    created_at: Moment
    updated_at: Moment
    persist_session: bool
    is_manual_authentication: bool
    support_concurrent_logins: bool
    supports_agent_concurrency: bool
    auto_retry_on_service_down: bool
    auto_retry_delay_minutes: float
    auto_retry_max_attempts: int
    use_llm_login_detection: bool = field(name="useLLMLoginDetection")
    login_detection_prompt: str
    login_instructions_prompt: str
    sign_in_urls: list[str]
    use_proxy: bool
    health: LoginHealthView | UnsetType = UNSET


def login_view(login: Login) -> LoginView:
    """A login without its secrets."""
    profile = profile_of(login)
    return LoginView.of(
        profile,
        id=login.id,
        organization_id=login.organization_id,
        name=login.name,
        login_configuration=LoginConfigurationView(
            username=login.username,
            two_factor_auth_configuration=TwoFactorView.of(profile.two_factor),
            additional_credentials=[
                CredentialView(id=credential.id, key=credential.key, value=KEPT)
                for credential in profile.additional_credentials
            ],
        ),
        created_at=to_iso(login.created_at),
        updated_at=to_iso(login.updated_at),
        auto_retry_delay_minutes=_without_fraction(profile.auto_retry_delay_minutes),
        sign_in_urls=list(profile.sign_in_urls),
    )


def health_view(state: LoginState) -> LoginHealthView:
    """A login's health as the API shows it."""
    health, saved_at = state.health, state.session_saved_at
    return LoginHealthView(
        is_held=state.is_held,
        last_success_at=to_optional_iso(health.last_success_at),
        last_failure_at=to_optional_iso(health.last_failure_at),
        last_failure=health.last_failure,
        failures=health.failures,
        session_saved_at=to_optional_iso(saved_at),
        # never below zero: two machines may not agree on the time
        session_age_seconds=None if saved_at is None else max(0, now_ms() - saved_at) / 1000,
        next_code_seconds=state.next_code_seconds,
        code_address=state.code_address,
    )


def _without_fraction(number: float) -> float:
    """A whole number as callers send it: `5`, not `5.0`."""
    return int(number) if number.is_integer() else number


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

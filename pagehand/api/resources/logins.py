"""Logins as the API shows them: everything but the secrets."""

from typing import Annotated, Final

from msgspec import Meta, field

from pagehand.api.fields import Limit, Moment, Offset, Request, View
from pagehand.api.operation import Call, Result, operation
from pagehand.clock import to_iso
from pagehand.logins.profile import profile_of
from pagehand.records import Login

MASK: Final = "********"
"""Shown in place of a secret value; sent back, it keeps the old one."""


class TwoFactorView(View):
    """How the site asks for a second factor."""

    method: Annotated[str, Meta(description="TOTP, Email, SMS or None.")]
    always_required: bool
    two_factor_auth_email: str


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


class ListLogins(Request):
    """Which logins."""

    search: Annotated[str | None, Meta(description="Part of the name or the username.")] = None
    limit: Limit = 1000
    offset: Offset = 0


class LoginList(View):
    """Newest first."""

    logins: list[LoginView]
    total: int


@operation("/logins/list", needs="read", takes=ListLogins, answers=LoginList, example={"search": "bank"})
async def list_all(call: Call[ListLogins]) -> Result:
    """Logins of the organization; secrets never leave the service."""
    asked = call.request
    found, total = await call.parts.stores.logins.list(
        call.organization_id, search=asked.search, limit=asked.limit, offset=asked.offset
    )
    return LoginList(logins=[login_view(one) for one in found], total=total)


def login_view(login: Login) -> LoginView:
    """A login without its secrets."""
    profile = profile_of(login)
    return LoginView(
        id=login.id,
        organization_id=login.organization_id,
        name=login.name,
        authentication_url=profile.authentication_url,
        home_url=profile.home_url,
        icon_url=profile.icon_url,
        login_configuration=LoginConfigurationView(
            username=login.username,
            two_factor_auth_configuration=TwoFactorView(
                method=profile.two_factor.method,
                always_required=profile.two_factor.always_required,
                two_factor_auth_email=profile.two_factor.two_factor_auth_email,
            ),
            additional_credentials=[
                CredentialView(id=one.id, key=one.key, value=MASK) for one in profile.additional_credentials
            ],
        ),
        created_at=to_iso(login.created_at),
        updated_at=to_iso(login.updated_at),
        persist_session=profile.persist_session,
        is_manual_authentication=profile.is_manual_authentication,
        support_concurrent_logins=profile.support_concurrent_logins,
        supports_agent_concurrency=profile.supports_agent_concurrency,
        auto_retry_on_service_down=profile.auto_retry_on_service_down,
        auto_retry_delay_minutes=profile.auto_retry_delay_minutes,
        auto_retry_max_attempts=profile.auto_retry_max_attempts,
        use_llm_login_detection=profile.use_llm_login_detection,
        login_detection_prompt=profile.login_detection_prompt,
        login_instructions_prompt=profile.login_instructions_prompt,
    )


OPERATIONS = (list_all,)

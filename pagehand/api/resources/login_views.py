"""Logins as the API shows them: without their secrets."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType, field

from pagehand.api.fields import Moment, View
from pagehand.clock import now_ms, to_iso, to_optional_iso
from pagehand.logins.profile import profile_of
from pagehand.logins.stored import LoginState
from pagehand.records import Login
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

"""The fields of a login as API callers write them, and the login they make."""

from typing import Annotated, ClassVar, Final, TypeVar, cast
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct, field

from pagehand.errors import InvalidRequest
from pagehand.ids import new_id
from pagehand.logins.credentials import Credentials
from pagehand.logins.profile import METHODS, CredentialName, Method, Profile, TwoFactor, origin_of
from pagehand.logins.second_factor.totp import check_seed
from pagehand.secrets.vault import KEPT, Secret
from pagehand.workflow.refusals import missing

T = TypeVar("T")
Url = Annotated[str, Meta(max_length=4096)]
Word = Annotated[str, Meta(max_length=1000)]
Text = Annotated[str, Meta(max_length=20_000)]

_CONFIGURATION: Final = "loginConfiguration"
_TWO_FACTOR: Final = f"{_CONFIGURATION}.twoFactorAuthConfiguration"
_RESERVED_KEYS: Final = ("id", "name", "username", "password", "homeUrl")
"""Names that `{{login.…}}` already defines."""
_METHOD_FIELD: Final = Meta(
    description="Where the second factor's code comes from.", extra_json_schema={"enum": list(METHODS)}
)


class TwoFactorFields(Struct, rename="camel", kw_only=True, frozen=True, forbid_unknown_fields=True):
    """`loginConfiguration.twoFactorAuthConfiguration`."""

    method: Annotated[str, _METHOD_FIELD] | None = None
    always_required: bool | None = None
    two_factor_auth_email: Word | None = None
    totp_secret_key: Word | None = None
    code_sender: Word | None = None
    mailbox_username: Word | None = None
    mailbox_password: Text | None = None


class CredentialFields(Struct, rename="camel", kw_only=True, frozen=True, forbid_unknown_fields=True):
    """One of `loginConfiguration.additionalCredentials`."""

    key: Annotated[str, Meta(min_length=1, max_length=200)]
    value: Text
    id: str | None = None


class LoginConfigurationFields(Struct, rename="camel", kw_only=True, frozen=True, forbid_unknown_fields=True):
    """`loginConfiguration`: who signs in, and with what."""

    username: Word | None = None
    password: Text | None = None
    email: Word | None = None
    phone: Word | None = None
    two_factor_auth_configuration: TwoFactorFields | None = None
    additional_credentials: Annotated[list[CredentialFields], Meta(max_length=100)] | None = None


class LoginFields(Struct, rename="camel", kw_only=True, frozen=True, forbid_unknown_fields=True):
    """The fields of a login; one that is not given is not changed, or gets its default in a new login."""

    FIELD_HINTS: ClassVar[dict[str, str]] = {
        **dict.fromkeys(
            (*LoginConfigurationFields.__struct_encode_fields__,), f"belongs inside `{_CONFIGURATION}`"
        ),
        **dict.fromkeys((*TwoFactorFields.__struct_encode_fields__,), f"belongs inside `{_TWO_FACTOR}`"),
        **dict.fromkeys(
            ("id", "organizationId", "createdAt", "updatedAt", "health"),
            "is set by the service; leave it out",
        ),
        **dict.fromkeys(("url", "site", "loginUrl", "signInUrl"), "did you mean `authenticationUrl`?"),
    }

    name: Annotated[str, Meta(min_length=1, max_length=1000)] | None = None
    authentication_url: Url | None = None
    home_url: Url | None = None
    icon_url: Url | None = None
    sign_in_urls: Annotated[list[Url], Meta(max_length=20)] | None = None
    use_proxy: bool | None = None
    login_configuration: LoginConfigurationFields | None = None
    persist_session: bool | None = None
    is_manual_authentication: bool | None = None
    support_concurrent_logins: bool | None = None
    supports_agent_concurrency: bool | None = None
    auto_retry_on_service_down: bool | None = None
    auto_retry_delay_minutes: Annotated[float, Meta(ge=0, le=10_080)] | None = None
    auto_retry_max_attempts: Annotated[int, Meta(ge=0, le=100)] | None = None
    use_llm_login_detection: bool | None = field(default=None, name="useLLMLoginDetection")
    login_detection_prompt: Text | None = None
    login_instructions_prompt: Text | None = None

    @property
    def configuration(self) -> LoginConfigurationFields:
        """`loginConfiguration`, empty when it was not given."""
        return self.login_configuration or LoginConfigurationFields()


class LoginDraft(Struct, frozen=True):
    """Everything about a login that its owner decides."""

    name: str
    username: str
    profile: Profile
    credentials: Credentials


_PLAIN_FIELDS: Final = tuple(
    name
    for name in LoginFields.__struct_fields__
    if name not in ("name", "authentication_url", "home_url", "login_configuration", "sign_in_urls")
)


def new_draft(fields: LoginFields) -> LoginDraft:
    """The login with these fields; `InvalidRequest` names what is missing."""
    if fields.name is None:
        raise InvalidRequest(missing("name"))
    if fields.authentication_url is None:
        raise InvalidRequest(missing("authenticationUrl"))
    profile = Profile(authentication_url=fields.authentication_url, home_url=fields.authentication_url)
    return apply_fields(LoginDraft(fields.name, "", profile, Credentials()), fields)


def apply_fields(draft: LoginDraft, fields: LoginFields) -> LoginDraft:
    """`draft` with the given fields changed."""
    two_factor, seed = _two_factor(draft, fields.configuration.two_factor_auth_configuration)
    names, values = _additional(draft, fields.configuration.additional_credentials)
    plain = {name: value for name in _PLAIN_FIELDS if (value := getattr(fields, name)) is not None}
    profile = msgspec.structs.replace(
        draft.profile,
        authentication_url=_given_or(fields.authentication_url, draft.profile.authentication_url),
        home_url=_given_or(fields.home_url or None, draft.profile.home_url),
        email=_given_or(fields.configuration.email, draft.profile.email),
        phone=_given_or(fields.configuration.phone, draft.profile.phone),
        two_factor=two_factor,
        additional_credentials=names,
        sign_in_urls=tuple(_given_or(fields.sign_in_urls, list(draft.profile.sign_in_urls))),
        **plain,
    )
    password = _new_secret(
        f"{_CONFIGURATION}.password", fields.configuration.password, draft.credentials.password
    )
    username = _given_or(fields.configuration.username, draft.username) or profile.email or profile.phone
    credentials = Credentials(password, seed, values, _mailbox_password(draft, fields))
    changed = LoginDraft(_given_or(fields.name, draft.name), username, profile, credentials)
    _check(changed)
    _check_destination(draft, changed)
    return changed


def _mailbox_password(draft: LoginDraft, fields: LoginFields) -> Secret:
    two_factor = fields.configuration.two_factor_auth_configuration
    given = two_factor.mailbox_password if two_factor else None
    return _new_secret(f"{_TWO_FACTOR}.mailboxPassword", given, draft.credentials.mailbox_password)


def _two_factor(draft: LoginDraft, fields: TwoFactorFields | None) -> tuple[TwoFactor, Secret]:
    before, seed = draft.profile.two_factor, draft.credentials.totp_seed
    if fields is None:
        return before, seed
    if fields.method is not None and fields.method not in METHODS:
        choices = ", ".join(f"`{method}`" for method in METHODS)
        raise InvalidRequest(f"`{_TWO_FACTOR}.method`: expected one of {choices}")
    seed_field = f"{_TWO_FACTOR}.totpSecretKey"
    seed = _new_secret(seed_field, fields.totp_secret_key, seed)
    if seed:
        check_seed(seed_field, seed.reveal())
    after = TwoFactor(
        method=cast("Method", _given_or(fields.method, before.method)),
        always_required=_given_or(fields.always_required, before.always_required),
        two_factor_auth_email=_given_or(fields.two_factor_auth_email, before.two_factor_auth_email),
        code_sender=_given_or(fields.code_sender, before.code_sender),
        mailbox_username=_given_or(fields.mailbox_username, before.mailbox_username),
    )
    return after, seed


def _additional(
    draft: LoginDraft, fields: list[CredentialFields] | None
) -> tuple[tuple[CredentialName, ...], dict[str, Secret]]:
    """The given credentials replace all others; a mask keeps the value of the same id, else key."""
    known = draft.profile.additional_credentials
    if fields is None:
        return known, dict(draft.credentials.additional)
    by_id = {name.id: name for name in known}
    # a credential that is named by its id cannot be matched by its key as well
    by_key = {name.key: name for name in known if name.id not in {item.id for item in fields}}
    names: list[CredentialName] = []
    values: dict[str, Secret] = {}
    for index, item in enumerate(fields):
        where = f"{_CONFIGURATION}.additionalCredentials[{index}]"
        _check_key(f"{where}.key", item.key, [name.key for name in names])
        before = by_key.get(item.key) if item.id is None else by_id.get(item.id)
        if before is not None and before.id in values:
            raise InvalidRequest(f"`{where}.id`: `{before.id}` appears twice; each id may appear once")
        name = CredentialName(id=before.id if before else new_id("cred"), key=item.key)
        names.append(name)
        values[name.id] = _new_secret(f"{where}.value", item.value, draft.credentials.additional.get(name.id))
    return tuple(names), values


def _check_key(field_name: str, key: str, taken: list[str]) -> None:
    if key in _RESERVED_KEYS:
        raise InvalidRequest(f"`{field_name}`: `{key}` is reserved; choose another key")
    if key in taken:
        raise InvalidRequest(f"`{field_name}`: `{key}` appears twice; each key may appear once")


def _new_secret(field_name: str, given: str | None, before: Secret | None) -> Secret:
    if given is None:
        return before or Secret("")
    if given != KEPT:
        return Secret(given)
    if not before:
        raise InvalidRequest(
            f"`{field_name}`: `{KEPT}` keeps a value that is already stored, and none is; send the value"
        )
    return before


def _check(draft: LoginDraft) -> None:
    """Check the rules that concern the whole login."""
    profile = draft.profile
    for name, url in profile.addresses().items():
        _check_url(name, url)
    if profile.icon_url:
        _check_url("iconUrl", profile.icon_url)
    if not draft.username and not profile.is_manual_authentication:
        raise InvalidRequest(
            f"`{_CONFIGURATION}.username` is required unless `isManualAuthentication` is true"
        )
    if profile.two_factor.method == "TOTP" and not draft.credentials.totp_seed:
        raise InvalidRequest(f"`{_TWO_FACTOR}.totpSecretKey` is required when the method is `TOTP`")


def _check_destination(before: LoginDraft, after: LoginDraft) -> None:
    """Refuse to keep a secret for an origin that it was not entered for."""
    known = {origin_of(url) for url in before.profile.addresses().values()}
    added = [name for name, url in after.profile.addresses().items() if origin_of(url) not in known]
    kept = _kept_secrets(before.credentials, after)
    if added and kept:
        raise InvalidRequest(
            f"`{added[0]}` has an address that is new to this login, and a stored secret goes only where it "
            f"was entered for; send it again with the address: {', '.join(f'`{name}`' for name in kept)}. "
            f"`{KEPT}` does not count; an empty text deletes the stored value. Nothing was changed."
        )


def _kept_secrets(before: Credentials, after: LoginDraft) -> list[str]:
    """The fields whose stored secrets were not given again; `_new_secret` passes those on as they are."""
    now = after.credentials
    secrets: list[tuple[str, Secret | None, Secret | None]] = [
        (f"{_CONFIGURATION}.password", before.password, now.password),
        (f"{_TWO_FACTOR}.totpSecretKey", before.totp_seed, now.totp_seed),
        # the codes that it fetches would be typed at the new address
        (f"{_TWO_FACTOR}.mailboxPassword", before.mailbox_password, now.mailbox_password),
    ]
    for index, name in enumerate(after.profile.additional_credentials):
        field_name = f"{_CONFIGURATION}.additionalCredentials[{index}].value"
        secrets.append((field_name, before.additional.get(name.id), now.additional.get(name.id)))
    return [name for name, old, new in secrets if old and new is old]


def _check_url(field_name: str, url: str) -> None:
    expected = f"`{field_name}`: expected an address that begins with `http://` or `https://`"
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        raise InvalidRequest(expected) from None
    if not is_valid or any(character.isspace() for character in url):
        raise InvalidRequest(expected)
    if parts.username is not None or parts.password is not None:
        # addresses are shown in responses and logs
        raise InvalidRequest(
            f"`{field_name}` must not hold a user name or password; they go into `{_CONFIGURATION}`"
        )


def _given_or(given: T | None, otherwise: T) -> T:
    return otherwise if given is None else given

"""A login as a caller writes it: what is given replaces, the mask keeps, and no secret changes its owner."""

from typing import Any

import msgspec
import pytest

from pagehand.errors import InvalidRequest
from pagehand.logins.credentials import facts_of
from pagehand.logins.login_fields import LoginDraft, LoginFields, apply_fields
from pagehand.logins.profile import Profile, as_fields
from pagehand.records import Login
from pagehand.secrets.vault import KEPT
from support.logins import SEED, SITE, VAULT, login_fields, login_of, new_login

PAIR = [{"key": "pin", "value": "first"}, {"key": "card", "value": "second"}]


def values(draft: LoginDraft) -> dict[str, str]:
    """Additional credentials by key, as templates use them."""
    by_id = draft.credentials.additional
    return {name.key: by_id[name.id].reveal() for name in draft.profile.additional_credentials}


def ids(draft: LoginDraft) -> dict[str, str]:
    return {name.key: name.id for name in draft.profile.additional_credentials}


def with_pair() -> LoginDraft:
    return new_login({"additionalCredentials": PAIR})


def changed(draft: LoginDraft, *credentials: dict[str, str]) -> LoginDraft:
    return apply_fields(draft, login_fields({"additionalCredentials": list(credentials)}))


def test_additional_credentials_have_ids_of_their_own() -> None:
    draft = with_pair()
    assert values(draft) == {"pin": "first", "card": "second"}
    assert len(set(ids(draft).values())) == 2


def test_a_key_may_change_and_its_value_goes_along() -> None:
    before = with_pair()
    after = changed(
        before,
        {"id": ids(before)["pin"], "key": "secretNumber", "value": KEPT},
        {"id": ids(before)["card"], "key": "card", "value": KEPT},
    )
    assert values(after) == {"secretNumber": "first", "card": "second"}
    assert ids(after)["secretNumber"] == ids(before)["pin"]


def test_two_keys_may_change_places() -> None:
    before = with_pair()
    after = changed(
        before,
        {"id": ids(before)["pin"], "key": "card", "value": KEPT},
        {"id": ids(before)["card"], "key": "pin", "value": KEPT},
    )
    assert values(after) == {"card": "first", "pin": "second"}


@pytest.mark.parametrize("is_renamed_first", [True, False])
def test_a_new_credential_under_a_key_that_was_renamed_is_another_one(is_renamed_first: bool) -> None:
    before = with_pair()
    renamed = {"id": ids(before)["pin"], "key": "oldPin", "value": KEPT}
    fresh = {"key": "pin", "value": "third"}
    after = changed(before, *([renamed, fresh] if is_renamed_first else [fresh, renamed]))
    assert values(after) == {"oldPin": "first", "pin": "third"}
    assert ids(after)["oldPin"] == ids(before)["pin"]


def test_one_id_stands_for_one_credential() -> None:
    before = with_pair()
    same = ids(before)["pin"]
    with pytest.raises(InvalidRequest, match=r"`loginConfiguration.additionalCredentials\[1\].id`.*twice"):
        changed(before, {"id": same, "key": "a", "value": "1"}, {"id": same, "key": "b", "value": "2"})


@pytest.mark.parametrize(
    "stranger", [{"id": "cred_no", "key": "new", "value": KEPT}, {"key": "new", "value": KEPT}]
)
def test_a_mask_where_nothing_is_stored_is_refused(stranger: dict[str, str]) -> None:
    with pytest.raises(InvalidRequest, match=r"additionalCredentials\[0\].value`: .*send the value"):
        changed(with_pair(), stranger)


@pytest.mark.parametrize("key", ["id", "name", "username", "password", "homeUrl"])
def test_a_key_that_templates_know_already_is_refused(key: str) -> None:
    with pytest.raises(InvalidRequest, match=f"`{key}` is reserved"):
        changed(with_pair(), {"key": key, "value": "x"})


def test_a_key_may_appear_once() -> None:
    with pytest.raises(InvalidRequest, match=r"additionalCredentials\[1\].key`: `pin` appears twice"):
        changed(with_pair(), {"key": "pin", "value": "1"}, {"key": "pin", "value": "2"})


@pytest.mark.parametrize(
    ("configuration", "field"),
    [
        ({"password": KEPT}, "loginConfiguration.password"),
        ({"twoFactorAuthConfiguration": {"totpSecretKey": KEPT}}, "totpSecretKey"),
        ({"twoFactorAuthConfiguration": {"mailboxPassword": KEPT}}, "mailboxPassword"),
    ],
)
def test_a_new_login_has_nothing_that_a_mask_could_keep(configuration: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidRequest, match=f"{field}`: .*send the value"):
        new_login(configuration)


def test_masks_keep_every_kind_of_secret() -> None:
    two_factor = {"method": "TOTP", "totpSecretKey": SEED, "mailboxPassword": "box"}
    before = new_login({"password": "word", "twoFactorAuthConfiguration": two_factor})
    masked = {"totpSecretKey": KEPT, "mailboxPassword": KEPT}
    after = apply_fields(before, login_fields({"password": KEPT, "twoFactorAuthConfiguration": masked}))
    assert [secret.reveal() for secret in after.credentials.all()] == ["word", SEED, "box"]
    assert after.profile.two_factor.method == "TOTP"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "bank.example",
        "ftp://bank.example",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://",
        "https://:443/",
        "https://bank.example:70000/",
        "https://bank .example/",
        "https://bank.example/\n",
        "https://[::1/",
    ],
)
@pytest.mark.parametrize("field", ["authenticationUrl", "signInUrls"])
def test_what_is_not_an_address_is_refused_by_its_field(field: str, url: str) -> None:
    given = [url] if field == "signInUrls" else url
    with pytest.raises(InvalidRequest, match=f"`{field}.*`: expected an address that begins with"):
        new_login(**{field: given})


@pytest.mark.parametrize("field", ["authenticationUrl", "homeUrl", "iconUrl"])
def test_an_address_holds_no_credentials(field: str) -> None:
    with pytest.raises(InvalidRequest, match=f"`{field}` must not hold a user name or password") as refusal:
        new_login(**{field: "https://ann:hunter2@bank.example/"})
    assert "hunter2" not in refusal.value.message


def test_the_home_is_where_the_sign_in_is_unless_given() -> None:
    assert new_login().profile.home_url == SITE
    assert new_login(homeUrl="https://bank.example/home").profile.home_url == "https://bank.example/home"


def test_an_email_or_a_phone_may_stand_for_the_user_name() -> None:
    assert new_login({"username": "", "email": "ann@example.org"}).username == "ann@example.org"
    assert new_login({"username": "", "phone": "+1 555"}).username == "+1 555"
    with pytest.raises(InvalidRequest, match=r"`loginConfiguration\.username` is required"):
        new_login({"username": ""})
    assert new_login({"username": ""}, isManualAuthentication=True).username == ""


@pytest.mark.parametrize("missing", ["name", "authenticationUrl"])
def test_what_a_new_login_needs_is_named(missing: str) -> None:
    with pytest.raises(InvalidRequest, match=f"`{missing}` is missing"):
        new_login(**{missing: None})


def test_totp_needs_a_seed_and_the_method_a_known_word() -> None:
    with pytest.raises(InvalidRequest, match="`TOTP`"):
        new_login({"twoFactorAuthConfiguration": {"method": "TOTP"}})
    with pytest.raises(InvalidRequest, match="expected one of `TOTP`, `Email`, `SMS`, `None`"):
        new_login({"twoFactorAuthConfiguration": {"method": "totp"}})
    with pytest.raises(InvalidRequest, match="totpSecretKey`: expected a base32 seed") as refusal:
        new_login({"twoFactorAuthConfiguration": {"totpSecretKey": "not base 32 !!"}})
    assert "not base" not in refusal.value.message


@pytest.mark.parametrize(
    "body",
    [
        {"autoRetryDelayMinutes": -1},
        {"autoRetryDelayMinutes": 10_081},
        {"autoRetryMaxAttempts": 101},
        {"autoRetryMaxAttempts": 1.5},
        {"signInUrls": ["https://x.example"] * 21},
        {"name": ""},
        {"name": "x" * 1001},
        {"loginConfiguration": {"additionalCredentials": [{"key": "", "value": ""}]}},
        {"loginConfiguration": {"password": "x" * 20_001}},
        {"persistSession": "yes"},
        {"organizationId": "org_2"},
    ],
)
def test_limits_and_types_of_fields_hold(body: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(body, LoginFields)


def login_from(draft: LoginDraft) -> Login:
    login = login_of(draft.profile, draft.credentials)
    login.username = draft.username
    return login


def test_a_run_is_shown_masks_and_hides_the_values() -> None:
    facts = facts_of(VAULT, login_from(new_login({"password": "word", "additionalCredentials": PAIR})))
    assert facts.shown["password"] == facts.shown["pin"] == "***"
    assert facts.shown["username"] == "ann"
    assert facts.secret_values == {"password": "word", "pin": "first", "card": "second"}
    assert set(facts.secrets) == {"word", "first", "second"}
    assert facts.is_own_url("https://bank.example/x")
    assert not facts.is_own_url("https://bank.example.evil.test/x")


@pytest.mark.parametrize(
    ("fields", "retries", "delay_ms"),
    [
        ({}, 0, 300_000),
        ({"autoRetryOnServiceDown": True}, 3, 300_000),
        ({"autoRetryOnServiceDown": True, "autoRetryMaxAttempts": 0}, 0, 300_000),
        ({"autoRetryOnServiceDown": False, "autoRetryMaxAttempts": 9}, 0, 300_000),
        ({"autoRetryOnServiceDown": True, "autoRetryDelayMinutes": 0.5}, 3, 30_000),
        ({"autoRetryOnServiceDown": True, "autoRetryDelayMinutes": 0}, 3, 0),
    ],
)
def test_how_often_and_when_a_run_is_tried_again(fields: dict[str, Any], retries: int, delay_ms: int) -> None:
    facts = facts_of(VAULT, login_from(new_login(**fields)))
    assert (facts.retries, facts.retry_delay_ms) == (retries, delay_ms)


def test_a_login_is_used_by_one_run_at_a_time_unless_it_says_otherwise() -> None:
    assert facts_of(VAULT, login_from(new_login())).is_exclusive
    assert not facts_of(VAULT, login_from(new_login(supportConcurrentLogins=True))).is_exclusive


def test_a_profile_comes_back_from_its_row_as_it_was() -> None:
    profile = new_login({"additionalCredentials": PAIR}, useLLMLoginDetection=True).profile
    assert as_fields(profile)["useLLMLoginDetection"] is True
    assert msgspec.convert(as_fields(profile), Profile) == profile

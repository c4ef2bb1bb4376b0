from typing import Any

import msgspec
import pytest

from pagehand.errors import Conflict, InvalidRequest, NotFound
from pagehand.logins.credentials import unseal
from pagehand.logins.login_fields import LoginFields
from pagehand.logins.profile import profile_of
from pagehand.logins.stored import StoredLogins
from pagehand.records import Login
from pagehand.secrets.master_key import MasterKey
from pagehand.secrets.vault import KEPT, Vault
from pagehand.storage import Stores

pytestmark = pytest.mark.anyio

VAULT = Vault(MasterKey(bytes(32)))
SEED = "GEZDGNBVGY3TQOJQ"


@pytest.fixture
def logins(stores: Stores) -> StoredLogins:
    return StoredLogins(stores.logins, VAULT)


def login_fields(**fields: Any) -> LoginFields:
    return msgspec.convert(fields, LoginFields)


def bank(configuration: dict[str, Any] | None = None, **fields: Any) -> LoginFields:
    full = {"username": "ada", "password": "swordfish", **(configuration or {})}
    return login_fields(
        **{
            "name": "Bank",
            "authenticationUrl": "https://bank.example/in",
            "loginConfiguration": full,
            **fields,
        }
    )


def password_of(login: Login) -> str:
    return unseal(VAULT, login).password.reveal()


def extras_of(login: Login) -> dict[str, str]:
    values = unseal(VAULT, login).additional
    return {name.key: values[name.id].reveal() for name in profile_of(login).additional_credentials}


async def test_a_new_login_has_safe_defaults(logins: StoredLogins) -> None:
    login = await logins.create("org_1", bank())
    profile = profile_of(login)
    assert login.id.startswith("login_")
    assert login.username == "ada"
    assert profile.home_url == "https://bank.example/in"
    assert profile.two_factor.method == "None"
    assert not profile.support_concurrent_logins
    assert not profile.persist_session
    assert not profile.auto_retry_on_service_down


async def test_secrets_are_nowhere_in_the_record_but_encrypted(logins: StoredLogins) -> None:
    extra = [{"key": "pin", "value": "extra-secret"}]
    factor = {"method": "TOTP", "totpSecretKey": SEED}
    login = await logins.create(
        "org_1", bank({"additionalCredentials": extra, "twoFactorAuthConfiguration": factor})
    )
    shown = repr(login)
    assert not [secret for secret in ("swordfish", "extra-secret", SEED) if secret in shown]
    assert password_of(login) == "swordfish"
    assert extras_of(login) == {"pin": "extra-secret"}


async def test_update_changes_what_is_given_and_keeps_the_rest(logins: StoredLogins) -> None:
    before = await logins.create("org_1", bank(iconUrl="https://bank.example/i.png", persistSession=True))
    after = await logins.update("org_1", before.id, login_fields(name="Bank two", autoRetryDelayMinutes=1.5))
    profile = profile_of(await logins.get("org_1", before.id))
    assert (after.name, after.username, after.created_at) == ("Bank two", "ada", before.created_at)
    assert (profile.icon_url, profile.persist_session, profile.auto_retry_delay_minutes) == (
        "https://bank.example/i.png",
        True,
        1.5,
    )
    assert password_of(after) == "swordfish"


async def test_the_mask_keeps_the_old_secret_and_another_value_replaces_it(logins: StoredLogins) -> None:
    extras = [{"key": "pin", "value": "1111"}, {"key": "word", "value": "2222"}]
    login = await logins.create("org_1", bank({"additionalCredentials": extras}))
    ids = {name.key: name.id for name in profile_of(login).additional_credentials}
    sent = [{"key": "renamed", "id": ids["pin"], "value": KEPT}, {"key": "word", "value": "3333"}]
    changes = {"password": KEPT, "additionalCredentials": sent}
    after = await logins.update("org_1", login.id, login_fields(loginConfiguration=changes))
    assert password_of(after) == "swordfish"
    assert extras_of(after) == {"renamed": "1111", "word": "3333"}
    assert {name.key: name.id for name in profile_of(after).additional_credentials} == {
        "renamed": ids["pin"],
        "word": ids["word"],
    }


async def test_a_mask_without_id_finds_its_value_by_key(logins: StoredLogins) -> None:
    login = await logins.create("org_1", bank({"additionalCredentials": [{"key": "pin", "value": "1111"}]}))
    sent = {"additionalCredentials": [{"key": "pin", "value": KEPT}]}
    assert extras_of(await logins.update("org_1", login.id, login_fields(loginConfiguration=sent))) == {
        "pin": "1111"
    }


async def test_credentials_left_out_of_the_list_are_forgotten(logins: StoredLogins) -> None:
    login = await logins.create("org_1", bank({"additionalCredentials": [{"key": "pin", "value": "1111"}]}))
    after = await logins.update(
        "org_1", login.id, login_fields(loginConfiguration={"additionalCredentials": []})
    )
    assert not unseal(VAULT, after).additional


@pytest.mark.parametrize(
    ("configuration", "fields", "named"),
    [
        ({}, {"name": None}, "`name` is missing"),
        ({}, {"authenticationUrl": None}, "`authenticationUrl` is missing"),
        ({}, {"authenticationUrl": "bank.example"}, "`authenticationUrl`: expected an address"),
        ({}, {"authenticationUrl": "javascript:alert(1)"}, "`authenticationUrl`: expected an address"),
        ({}, {"homeUrl": "https://bank.example:port/"}, "`homeUrl`: expected an address"),
        ({}, {"homeUrl": "https://ada:pw@bank.example/"}, "`homeUrl` must not hold a user name"),
        ({"username": ""}, {}, "`loginConfiguration.username` is required"),
        ({"password": KEPT}, {}, "`loginConfiguration.password`"),
        ({"twoFactorAuthConfiguration": {"method": "Pigeon"}}, {}, "method`: expected one of `TOTP`"),
        ({"twoFactorAuthConfiguration": {"method": "TOTP"}}, {}, "totpSecretKey` is required"),
        ({"twoFactorAuthConfiguration": {"totpSecretKey": "1"}}, {}, "totpSecretKey`: expected a base32"),
        (
            {"additionalCredentials": [{"key": "a", "value": "1"}, {"key": "a", "value": "2"}]},
            {},
            r"\[1\].key`: `a` appears twice",
        ),
        (
            {"additionalCredentials": [{"key": "username", "value": "1"}]},
            {},
            r"\[0\].key`: `username` is reserved",
        ),
        ({"additionalCredentials": [{"key": "a", "value": KEPT}]}, {}, r"additionalCredentials\[0\].value`"),
    ],
)
async def test_a_refusal_names_the_field(
    logins: StoredLogins, configuration: dict[str, Any], fields: dict[str, Any], named: str
) -> None:
    with pytest.raises(InvalidRequest, match=named):
        await logins.create("org_1", bank(configuration, **fields))


async def test_a_manual_login_needs_no_user_name(logins: StoredLogins) -> None:
    login = await logins.create("org_1", bank({"username": None}, isManualAuthentication=True))
    assert login.username == ""


async def test_another_organizations_login_is_the_same_as_none(logins: StoredLogins) -> None:
    login = await logins.create("org_1", bank())
    with pytest.raises(NotFound) as foreign:
        await logins.get("org_2", login.id)
    with pytest.raises(NotFound) as absent:
        await logins.get("org_2", "login_none")
    assert str(foreign.value) == str(absent.value)
    with pytest.raises(NotFound):
        await logins.update("org_2", login.id, login_fields(name="mine"))
    with pytest.raises(NotFound):
        await logins.delete("org_2", login.id)
    with pytest.raises(NotFound):
        await logins.code("org_2", login.id)


async def test_delete_forgets_the_login(logins: StoredLogins) -> None:
    login = await logins.create("org_1", bank())
    await logins.delete("org_1", login.id)
    with pytest.raises(NotFound):
        await logins.get("org_1", login.id)


ADDRESSES: list[dict[str, Any]] = [
    {"authenticationUrl": "https://evil.example/in"},
    {"homeUrl": "https://evil.example/"},
    {"signInUrls": ["https://bank.example/sso", "https://evil.example"]},
    {"authenticationUrl": "http://bank.example/in"},
    {"authenticationUrl": "https://bank.example:8443/in"},
    {"authenticationUrl": "https://login.bank.example/in"},
    {"authenticationUrl": "https://www.bank.example/in"},
    {"authenticationUrl": "https://bank.example./in"},
    {"authenticationUrl": "https://bank.example.evil.example/in"},
    {"authenticationUrl": "https://evil.example\\.bank.example/in"},
]
ALL_SECRETS: dict[str, Any] = {
    "password": "new-1",
    "twoFactorAuthConfiguration": {"totpSecretKey": SEED, "mailboxPassword": "new-3"},
    "additionalCredentials": [{"key": "pin", "value": "new-4"}],
}


def guarded_bank() -> LoginFields:
    factor = {"method": "TOTP", "totpSecretKey": SEED, "mailboxPassword": "letters"}
    extras = [{"key": "pin", "value": "1111"}]
    return bank({"twoFactorAuthConfiguration": factor, "additionalCredentials": extras})


@pytest.mark.parametrize("address", ADDRESSES, ids=str)
@pytest.mark.parametrize("way", ["update", "upsert"])
async def test_a_new_origin_asks_for_every_stored_secret_again(
    logins: StoredLogins, address: dict[str, Any], way: str
) -> None:
    created = await logins.create("org_1", guarded_bank())
    login = await logins.get("org_1", created.id)

    async def change(configuration: dict[str, Any]) -> Login:
        fields = login_fields(loginConfiguration={"username": "ada", **configuration}, **address)
        if way == "upsert":
            return await logins.upsert("org_1", fields)
        return await logins.update("org_1", login.id, fields)

    masks = {"password": KEPT, "additionalCredentials": [{"key": "pin", "value": KEPT}]}
    for given in ({}, masks):
        with pytest.raises(InvalidRequest) as refusal:
            await change(given)
        for field in ("password", "totpSecretKey", "mailboxPassword", "additionalCredentials[0].value"):
            assert f"{field}`" in str(refusal.value)
    for left_out in ALL_SECRETS:
        with pytest.raises(InvalidRequest, match="send it again"):
            await change({key: value for key, value in ALL_SECRETS.items() if key != left_out})
    assert await logins.get("org_1", login.id) == login
    assert password_of(await change(ALL_SECRETS)) == "new-1"


@pytest.mark.parametrize(
    "address",
    [
        {"authenticationUrl": "https://BANK.example:443/other?next=https://evil.example"},
        {"homeUrl": "https://bank.example/home", "signInUrls": ["https://bank.example/sso"]},
    ],
)
async def test_another_path_of_the_same_origin_keeps_the_secrets(
    logins: StoredLogins, address: dict[str, Any]
) -> None:
    login = await logins.create("org_1", guarded_bank())
    assert password_of(await logins.update("org_1", login.id, login_fields(**address))) == "swordfish"


async def test_a_login_without_secrets_moves_freely_and_an_empty_secret_is_none(logins: StoredLogins) -> None:
    moved = {"authenticationUrl": "https://other.example/in"}
    by_hand = await logins.create("org_1", bank({"password": ""}, isManualAuthentication=True))
    assert profile_of(await logins.update("org_1", by_hand.id, login_fields(**moved)))
    login = await logins.create("org_1", bank())
    emptied = login_fields(loginConfiguration={"password": ""}, **moved)
    assert password_of(await logins.update("org_1", login.id, emptied)) == ""


async def test_upsert_changes_the_login_of_the_same_person_or_makes_one(logins: StoredLogins) -> None:
    first = await logins.upsert("org_1", bank())
    updated = await logins.upsert("org_1", bank({"password": "changed"}))
    by_email = await logins.upsert("org_1", bank({"username": None, "email": "Eve@example.test"}))
    same_email = await logins.upsert(
        "org_1", bank({"username": None, "email": "eve@EXAMPLE.test"}, name="Eve")
    )
    assert (updated.id, password_of(updated)) == (first.id, "changed")
    assert by_email.id != first.id
    assert (same_email.id, same_email.name) == (by_email.id, "Eve")


async def test_upsert_refuses_to_guess_between_two(logins: StoredLogins) -> None:
    two = [await logins.create("org_1", bank()) for _ in range(2)]
    with pytest.raises(Conflict) as refusal:
        await logins.upsert("org_1", bank())
    assert all(login.id in str(refusal.value) for login in two)


async def test_codes_come_from_totp_logins_alone(logins: StoredLogins) -> None:
    factor = {"method": "TOTP", "totpSecretKey": SEED}
    code = await logins.code(
        "org_1", (await logins.create("org_1", bank({"twoFactorAuthConfiguration": factor}))).id
    )
    assert len(code.code) == 6
    assert 0 < code.seconds_remaining <= 30
    with pytest.raises(Conflict, match="`None`"):
        await logins.code("org_1", (await logins.create("org_1", bank())).id)

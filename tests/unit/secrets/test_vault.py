import base64
import json
import pickle
import stat
from pathlib import Path

import pytest
from pydantic import SecretStr

from pagehand.errors import OurFault, UserMistake
from pagehand.logins.credentials import Credentials, seal, unseal
from pagehand.records import Login
from pagehand.secrets.master_key import MasterKey, load_key_file, load_master_keys
from pagehand.secrets.vault import FieldLocation, Secret, Vault
from pagehand.settings import Settings

HERE = FieldLocation("org_1", "logins", "login_1", "secrets")
KEY = MasterKey(bytes(range(32)))


def test_what_was_sealed_opens_again() -> None:
    vault = Vault(KEY)
    assert vault.open(vault.seal(b"swordfish", HERE), HERE) == b"swordfish"


def test_sealed_bytes_hold_no_plain_text_and_never_repeat() -> None:
    vault = Vault(KEY)
    first, second = vault.seal(b"swordfish", HERE), vault.seal(b"swordfish", HERE)
    assert b"swordfish" not in first
    assert first != second


@pytest.mark.parametrize(
    "elsewhere",
    [
        FieldLocation("org_2", "logins", "login_1", "secrets"),
        FieldLocation("org_1", "sessions", "login_1", "secrets"),
        FieldLocation("org_1", "logins", "login_2", "secrets"),
        FieldLocation("org_1", "logins", "login_1", "session"),
        FieldLocation("org_1l", "ogins", "login_1", "secrets"),
    ],
)
def test_a_sealed_value_opens_in_no_other_place(elsewhere: FieldLocation) -> None:
    vault = Vault(KEY)
    with pytest.raises(OurFault, match="altered, or moved"):
        vault.open(vault.seal(b"swordfish", HERE), elsewhere)


@pytest.mark.parametrize("position", [10, 24, 30, 40, -1])
def test_one_changed_byte_is_noticed(position: int) -> None:
    vault = Vault(KEY)
    sealed = bytearray(vault.seal(b"swordfish", HERE))
    sealed[position] ^= 1
    with pytest.raises(OurFault, match="altered"):
        vault.open(bytes(sealed), HERE)


@pytest.mark.parametrize("length", [0, 1, 20, 30, 40])
def test_a_cut_value_is_our_fault_and_not_a_crash(length: int) -> None:
    vault = Vault(KEY)
    with pytest.raises(OurFault):
        vault.open(vault.seal(b"swordfish", HERE)[:length], HERE)


def test_another_master_key_opens_nothing_and_the_error_says_so() -> None:
    sealed = Vault(KEY).seal(b"swordfish", HERE)
    with pytest.raises(OurFault, match="another master key"):
        Vault(MasterKey(bytes(32))).open(sealed, HERE)


def test_an_earlier_master_key_still_opens_what_it_sealed() -> None:
    old = Vault(KEY).seal(b"swordfish", HERE)
    vault = Vault(MasterKey(bytes(32)), KEY)
    assert vault.open(old, HERE) == b"swordfish"
    assert not vault.is_current(old)
    assert vault.is_current(vault.seal(b"swordfish", HERE))


def test_a_secret_never_prints_itself() -> None:
    secret = Secret("swordfish")
    shown = [
        str(secret),
        repr(secret),
        f"{secret}",
        f"{secret:>20}",
        f"{secret!r}",
        str([secret]),
        f"{secret!s}",
    ]
    assert not [text for text in shown if "swordfish" in text]
    assert str(secret) == "***"
    with pytest.raises(TypeError):
        json.dumps(secret)
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    assert secret.reveal() == "swordfish"


def test_the_master_key_file_is_made_once_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    [first] = load_key_file(tmp_path / "data")
    path = tmp_path / "data" / "master.key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [key.material for key in load_key_file(tmp_path / "data")] == [first.material]
    assert [entry.name for entry in path.parent.iterdir()] == ["master.key"]


def test_a_master_key_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    load_key_file(tmp_path)
    (tmp_path / "master.key").chmod(0o644)
    with pytest.raises(UserMistake, match="chmod 600"):
        load_key_file(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        KEY.material.hex(),
        base64.b64encode(KEY.material).decode(),
        base64.urlsafe_b64encode(KEY.material).decode(),
    ],
)
def test_the_operator_may_give_the_master_key_as_hex_or_base64(text: str, tmp_path: Path) -> None:
    [given] = load_master_keys(Settings(data_dir=tmp_path, master_key=SecretStr(text + "\n")))
    assert given.material == KEY.material
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["", "short", "not a key at all, just words", "00" * 31])
def test_a_master_key_of_the_wrong_form_is_refused_without_being_shown(text: str, tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="openssl rand -base64 32") as refusal:
        load_master_keys(Settings(data_dir=tmp_path, master_key=SecretStr(text)))
    assert not text or text not in str(refusal.value)


def test_subkeys_differ_by_purpose_and_stay_the_same() -> None:
    assert KEY.subkey("file urls") == KEY.subkey("file urls")
    assert KEY.subkey("file urls") != KEY.subkey("api keys")


def test_a_logins_secrets_open_only_in_its_own_row() -> None:
    vault = Vault(KEY)
    given = Credentials(Secret("swordfish"), Secret("JBSWY3DP"), {"cred_1": Secret("4711")})
    sealed = seal(vault, "org_1", "login_1", given)
    assert [secret.reveal() for secret in unseal(vault, _login("login_1", sealed)).all()] == [
        "swordfish",
        "JBSWY3DP",
        "4711",
    ]
    with pytest.raises(OurFault):
        unseal(vault, _login("login_2", sealed))


def _login(login_id: str, sealed: bytes) -> Login:
    return Login(
        id=login_id,
        organization_id="org_1",
        name="Bank",
        username="ada",
        fields={},
        secrets=sealed,
        created_at=0,
        updated_at=0,
    )

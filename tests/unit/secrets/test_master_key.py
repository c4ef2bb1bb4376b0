"""The master key: where it comes from, how it is changed while services run, and what is refused."""

import base64
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from pagehand.errors import OurFault, UserMistake
from pagehand.secrets.master_key import (
    FILE_NAME,
    MasterKey,
    add_master_key,
    load_key_file,
    load_master_keys,
    watch_key_file,
)
from pagehand.secrets.redactor import Redactor
from pagehand.secrets.vault import FieldLocation, SecretParams, Vault
from pagehand.settings import Settings

LOCATION = FieldLocation("org_1", "logins", "login_1", "secrets")


def given(tmp_path: Path, *keys: bytes) -> Settings:
    texts = [base64.b64encode(key).decode() for key in keys]
    return Settings(
        data_dir=tmp_path,
        master_key=SecretStr(texts[0]),
        previous_master_keys=SecretStr(" \n".join(texts[1:])),
    )


def test_a_given_key_comes_before_the_file_and_earlier_ones_follow(tmp_path: Path) -> None:
    keys = load_master_keys(given(tmp_path, b"a" * 32, b"b" * 32, b"c" * 32))
    assert [key.material[:1] for key in keys] == [b"a", b"b", b"c"]
    assert not (tmp_path / FILE_NAME).exists()


def test_without_one_a_file_is_made_that_only_its_owner_reads(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    [key] = load_master_keys(Settings(data_dir=folder))
    assert (folder / FILE_NAME).stat().st_mode & 0o777 == 0o600
    assert load_key_file(folder)[0].material == key.material
    assert [path.name for path in folder.iterdir()] == [FILE_NAME]


def test_a_new_key_is_used_first_and_one_before_it_is_kept(tmp_path: Path) -> None:
    [first] = load_key_file(tmp_path)
    add_master_key(tmp_path)
    second, kept = load_key_file(tmp_path)
    assert kept.id == first.id != second.id
    add_master_key(tmp_path)
    assert [key.id for key in load_key_file(tmp_path)][1:] == [second.id]
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o777 == 0o600


def test_a_running_service_takes_notice_of_a_new_key(tmp_path: Path) -> None:
    vault = Vault(*load_key_file(tmp_path), changed=watch_key_file(tmp_path))
    before = vault.seal(b"secret", LOCATION)
    add_master_key(tmp_path)
    after = vault.seal(b"secret", LOCATION)
    assert not vault.is_current(before)
    assert vault.is_current(after)
    assert vault.open(before, LOCATION) == vault.open(after, LOCATION) == b"secret"


def test_a_value_of_a_key_that_another_process_made_opens(tmp_path: Path) -> None:
    ours = Vault(*load_key_file(tmp_path), changed=watch_key_file(tmp_path))
    add_master_key(tmp_path)
    theirs = Vault(*load_key_file(tmp_path))
    assert ours.open(theirs.seal(b"new", LOCATION), LOCATION) == b"new"


def test_a_key_that_went_long_ago_opens_nothing_and_the_error_names_the_place(tmp_path: Path) -> None:
    vault = Vault(*load_key_file(tmp_path))
    sealed = vault.seal(b"secret", LOCATION)
    add_master_key(tmp_path)
    add_master_key(tmp_path)
    with pytest.raises(
        OurFault, match=r"`logins\.secrets` of `login_1` was encrypted with another master key"
    ):
        Vault(*load_key_file(tmp_path)).open(sealed, LOCATION)


@pytest.mark.parametrize("content", [b"", b"\n \n", b"short\n", b"\xff\xfe\x00", b"A" * 44 + b"\nrubbish\n"])
def test_a_file_without_a_key_is_refused_with_how_to_make_one(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(UserMistake, match="openssl rand -base64 32"):
        load_key_file(tmp_path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_key_has_32_bytes(length: int) -> None:
    with pytest.raises(UserMistake, match=f"it has {length} bytes"):
        MasterKey(bytes(length))


def test_a_key_does_not_print_itself() -> None:
    key = MasterKey(b"k" * 32)
    assert "kkk" not in repr(key)
    assert key.material.hex() not in repr(key)


class Row:
    """Carries secret parameters."""

    def __init__(self, row_id: str, organization_id: str = "org_1", secret_params: str | None = None) -> None:
        self.id = row_id
        self.organization_id = organization_id
        self.secret_params = secret_params


@pytest.mark.parametrize("values", [{}, {"pin": "1234"}, {"ünï": ["a", {"b": None}], "n": 1.5, "big": 2**63}])
def test_secret_parameters_open_in_their_row_alone(values: dict[str, Any]) -> None:
    params = SecretParams(Vault(MasterKey(bytes(32))))
    row = Row("exec_1")
    row.secret_params = params.seal(row, values)
    assert params.open(row) == values
    assert "1234" not in row.secret_params
    for other in (Row("exec_2", "org_1", row.secret_params), Row("exec_1", "org_2", row.secret_params)):
        with pytest.raises(OurFault, match=r"executions\.secret_params"):
            params.open(other)
    with pytest.raises(OurFault):
        SecretParams(Vault(MasterKey(bytes(32))), "schedules").open(row)


def test_a_row_without_secret_parameters_has_none() -> None:
    assert SecretParams(Vault(MasterKey(bytes(32)))).open(Row("exec_1")) == {}


@pytest.mark.parametrize("secret", ["  123", "ab  ", "\t12\n", " x9 "])
@pytest.mark.parametrize("shown", ["the pin is {} today", "{}", "({})"])
def test_blanks_around_a_short_secret_do_not_save_it(secret: str, shown: str) -> None:
    assert secret.strip() not in Redactor([secret]).text(shown.format(secret.strip()))


@pytest.mark.parametrize(
    "value", [2**70, float("inf"), {"a": {1: "hunter2"}}, ("hunter2",), [b"x", "hunter2"]]
)
def test_what_is_not_json_is_searched_all_the_same(value: Any) -> None:
    assert "hunter2" not in repr(Redactor(["hunter2"]).value(value))

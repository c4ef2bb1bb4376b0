"""`pagehand keys` without a service: what is printed, what is kept, and what a slip does."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from typer.testing import CliRunner, Result

from pagehand.api.keys import digest_of, read_key
from pagehand.cli import app
from pagehand.errors import NotFound
from pagehand.logins.credentials import unseal
from pagehand.logins.stored import StoredLogins
from pagehand.records import Login
from pagehand.secrets.master_key import load_key_file
from pagehand.secrets.vault import Vault
from pagehand.storage import Database, Stores
from pagehand.testing.harness import opened_database
from support.logins import SITE, login_fields

T = TypeVar("T")


class Installation:
    """A data folder, its commands and its stores."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"sqlite+aiosqlite:///{folder / 'pagehand.db'}"
        asyncio.run(self._make())

    def keys(self, *words: str) -> Result:
        return CliRunner().invoke(app, ["keys", *words, "--data-dir", str(self.folder)])

    def created(self, *words: str) -> str:
        """A key as it is printed."""
        result = self.keys("create", *words)
        assert result.exit_code == 0, result.output
        return result.stdout.strip()

    def ask(self, work: Callable[[Stores], Awaitable[T]]) -> T:
        async def opened() -> T:
            database = Database(self.url)
            await database.open()
            try:
                return await work(Stores(database))
            finally:
                await database.close()

        return asyncio.run(opened())

    async def _make(self) -> None:
        database = await opened_database(self.folder / "pagehand.db", self.url)
        await database.close()


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    return Installation(tmp_path)


def test_a_key_is_printed_alone_and_only_its_digest_is_kept(installation: Installation) -> None:
    text = installation.created("--organization", "acme", "--name", "CI")
    parts = read_key(text)
    assert parts is not None

    async def kept(stores: Stores) -> tuple[bytes | str, list[str]]:
        owner = await stores.organizations.by_name("acme")
        assert owner is not None
        [key] = (await stores.keys.list(owner.id, 10, 0))[0]
        return key.digest, list(key.scopes)

    digest, scopes = installation.ask(kept)
    assert digest == digest_of(*parts)
    assert scopes == ["*"]  # all there are, and all there will be
    assert parts[1].encode() not in (installation.folder / "pagehand.db").read_bytes()


def test_a_new_organization_is_said_beside_the_key(installation: Installation) -> None:
    assert "`acme` is new" in installation.keys("create", "--organization", "acme").stderr
    assert installation.keys("create", "--organization", "acme").stderr == ""


def test_scopes_are_read_with_blanks_and_wrong_ones_named(installation: Installation) -> None:
    installation.created("--organization", "acme", "--scope", " run , read ")
    assert "run,read" in installation.keys("list", "--organization", "acme").stdout
    for given in ("run,fly", "", " , "):
        refused = installation.keys("create", "--organization", "acme", "--scope", given)
        assert refused.exit_code == 2, given
        assert "--scope" in refused.output


def test_a_list_shows_names_and_states_and_no_secret(installation: Installation) -> None:
    text = installation.created("--organization", "acme", "--name", "CI ü")
    parts = read_key(text)
    assert parts is not None
    listed = installation.keys("list", "--organization", "acme").stdout
    assert "CI ü" in listed
    assert "never used" in listed
    assert parts[1] not in listed
    assert installation.keys("revoke", "--organization", "acme", parts[0]).exit_code == 0
    assert "revoked" in installation.keys("list", "--organization", "acme").stdout


def test_a_list_shows_every_key_however_many_there_are(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagehand.cli.keys._PAGE", 2)
    for number in range(5):
        installation.created("--organization", "acme", "--name", f"number-{number}")
    lines = installation.keys("list", "--organization", "acme").stdout.splitlines()
    assert [line.split()[1] for line in lines] == [f"number-{number}" for number in (4, 3, 2, 1, 0)]


@pytest.mark.parametrize("name", ["", "  "])
def test_a_key_needs_the_name_of_an_organization(installation: Installation, name: str) -> None:
    refused = installation.keys("create", "--organization", name)
    assert refused.exit_code == 2
    assert "--organization" in refused.output
    assert refused.stdout == ""
    assert installation.ask(lambda stores: stores.organizations.by_name(name)) is None


@pytest.mark.parametrize("words", [("list",), ("revoke", "key_1")])
def test_a_slip_of_an_organizations_name_makes_none(
    installation: Installation, words: tuple[str, ...]
) -> None:
    refused = installation.keys(*words, "--organization", "acmee")
    assert isinstance(refused.exception, NotFound)
    assert "there is no organization `acmee`" in refused.exception.message
    assert installation.ask(lambda stores: stores.organizations.by_name("acmee")) is None


def test_a_key_of_another_organization_is_not_revoked(installation: Installation) -> None:
    parts = read_key(installation.created("--organization", "acme"))
    assert parts is not None
    installation.created("--organization", "other")
    refused = installation.keys("revoke", "--organization", "other", parts[0])
    assert isinstance(refused.exception, NotFound)
    assert "revoked" not in installation.keys("list", "--organization", "acme").stdout


def test_a_rotation_encrypts_everything_anew_and_a_second_one_again(installation: Installation) -> None:
    login = installation.ask(lambda stores: add_login(stores, installation.folder))
    for _ in range(2):
        result = installation.keys("rotate")
        assert "A new master key is in use." in result.stdout
        assert "1 secrets were encrypted again" in result.stdout
        after = installation.ask(lambda stores: stores.logins.get(login.organization_id, login.id))
        assert after is not None
        vault = Vault(*load_key_file(installation.folder))
        assert vault.is_current(after.secrets)
        assert unseal(vault, after).password.reveal() == "word"


def test_with_a_key_of_the_operators_no_other_is_made(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGEHAND_MASTER_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
    result = installation.keys("rotate")
    assert "The present master key stays." in result.stdout
    assert not (installation.folder / "master.key").exists()


async def add_login(stores: Stores, folder: Path) -> Login:
    owner = await stores.organizations.ensure("acme")
    vault = Vault(*load_key_file(folder))
    given = login_fields({"password": "word"}, name="Bank", authenticationUrl=SITE)
    return await StoredLogins(stores.logins, vault).create(owner.id, given)

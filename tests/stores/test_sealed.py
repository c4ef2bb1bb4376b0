"""Changing the master key: everything is sealed anew, nothing is lost, and a cut-off run is taken up."""

from dataclasses import replace
from pathlib import Path

import pytest

from pagehand.cli.keys import MasterKeyRotation
from pagehand.ids import new_id
from pagehand.logins.credentials import Credentials, seal, unseal
from pagehand.records import Execution, Login
from pagehand.secrets.master_key import add_master_key, load_key_file, watch_key_file
from pagehand.secrets.vault import Secret, SecretParams, Vault
from pagehand.settings import Settings
from pagehand.storage import Stores

pytestmark = pytest.mark.anyio


async def fill(stores: Stores, vault: Vault) -> tuple[Login, Execution]:
    login = Login(
        id="login_1",
        organization_id="org_a",
        name="Bank",
        username="ada",
        fields={},
        secrets=seal(vault, "org_a", "login_1", Credentials(Secret("pw"))),
        created_at=1,
        updated_at=1,
    )
    execution = Execution(
        id=new_id("exec"),
        organization_id="org_a",
        workflow_id="wf_1",
        workflow_name="w",
        workflow_version=1,
        browser_session_id=new_id("bs"),
        accepted_at=1,
        start_time=1,
        deadline_at=2,
    )
    execution.secret_params = SecretParams(vault).seal(execution, {"pin": "4711"})
    await stores.logins.add(login)
    await stores.executions.add(execution)
    return login, execution


async def current(stores: Stores, login: Login, execution: Execution) -> tuple[Login, Execution]:
    kept, run = (
        await stores.logins.get("org_a", login.id),
        await stores.executions.find_in_any_organization(execution.id),
    )
    assert kept is not None
    assert run is not None
    return kept, run


async def test_a_running_service_goes_on_while_the_key_changes(stores: Stores, tmp_path: Path) -> None:
    running = Vault(*load_key_file(tmp_path), changed=watch_key_file(tmp_path))
    login, execution = await fill(stores, running)
    rotation = MasterKeyRotation(Settings(data_dir=tmp_path), stores.sealed)
    assert await rotation.run() == (True, 2)
    kept, run = await current(stores, login, execution)
    assert kept.secrets != login.secrets
    assert unseal(running, kept).password.reveal() == "pw"
    assert SecretParams(running).open(run) == {"pin": "4711"}
    fresh_alone = Vault(load_key_file(tmp_path)[0])
    assert unseal(fresh_alone, kept).password.reveal() == "pw"
    assert fresh_alone.is_current(seal(running, "org_a", "login_2", Credentials()))


async def test_a_rotation_that_was_cut_off_is_taken_up_without_another_key(
    stores: Stores, tmp_path: Path
) -> None:
    login, execution = await fill(stores, Vault(*load_key_file(tmp_path)))
    add_master_key(tmp_path)
    begun = load_key_file(tmp_path)[0].id
    rotation = MasterKeyRotation(Settings(data_dir=tmp_path), stores.sealed)
    assert await rotation.run() == (False, 2)
    assert load_key_file(tmp_path)[0].id == begun
    kept, _ = await current(stores, login, execution)
    assert Vault(load_key_file(tmp_path)[0]).is_current(kept.secrets)


async def test_a_row_that_changes_meanwhile_keeps_its_change(stores: Stores, tmp_path: Path) -> None:
    vault = Vault(*load_key_file(tmp_path))
    login, _ = await fill(stores, vault)
    sealed = stores.sealed
    [old] = [value async for value in sealed.all() if value.row == login.id]
    await stores.logins.save(
        replace(login, secrets=seal(vault, "org_a", "login_1", Credentials(Secret("new"))))
    )
    assert not await sealed.replace(old, b"late")
    kept = await stores.logins.get("org_a", login.id)
    assert kept is not None
    assert unseal(vault, kept).password.reveal() == "new"

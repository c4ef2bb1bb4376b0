from typing import TYPE_CHECKING, Any

import pytest

from pagehand.clock import now_ms
from pagehand.logins.credentials import unseal
from pagehand.secrets.master_key import MasterKey
from pagehand.secrets.vault import Vault

if TYPE_CHECKING:
    from tests.unit.api.conftest import Api

pytestmark = pytest.mark.anyio

SEED = "GEZDGNBVGY3TQOJQ"


def bank(**fields: Any) -> dict[str, Any]:
    configuration = {
        "username": "Ada@bank.test",
        "password": "pw-secret-1",
        "twoFactorAuthConfiguration": {"method": "TOTP", "totpSecretKey": SEED},
        "additionalCredentials": [{"key": "pin", "value": "pin-secret-2"}],
    }
    return {
        "name": "Bank",
        "authenticationUrl": "https://bank.example/in",
        "loginConfiguration": configuration,
        **fields,
    }


async def create_login(api: "Api", **fields: Any) -> dict[str, Any]:
    answer = await api.post("/logins/create", bank(**fields))
    assert answer.status_code == 200, answer.text
    return answer.json()["login"]


async def test_a_login_comes_back_without_its_secrets(api: "Api") -> None:
    made = await create_login(api, persistSession=True, autoRetryDelayMinutes=5)
    answers = [await api.post("/logins/get", {"id": made["id"]}), await api.post("/logins/list", {})]
    text = "".join(answer.text for answer in answers) + str(made)
    assert not [secret for secret in ("pw-secret-1", "pin-secret-2", SEED, '"password"') if secret in text]
    shown = answers[0].json()["login"]
    assert {name: value for name, value in shown.items() if name != "health"} == made
    assert (shown["health"]["isHeld"], shown["health"]["sessionSavedAt"]) == (False, None)
    assert 0 < shown["health"]["nextCodeSeconds"] <= 30
    assert shown["loginConfiguration"]["additionalCredentials"][0]["value"] == "********"
    assert shown["loginConfiguration"]["twoFactorAuthConfiguration"]["method"] == "TOTP"
    assert (shown["persistSession"], shown["autoRetryDelayMinutes"], shown["homeUrl"]) == (
        True,
        5,
        "https://bank.example/in",
    )


@pytest.mark.parametrize(("sent", "shown"), [(5, "5"), (0.5, "0.5"), (0, "0")])
async def test_minutes_are_shown_as_they_were_sent(api: "Api", sent: float, shown: str) -> None:
    made = await create_login(api, autoRetryDelayMinutes=sent)
    text = (await api.post("/logins/get", {"id": made["id"]})).text
    assert f'"autoRetryDelayMinutes":{shown},' in text


async def test_search_is_literal_and_minds_neither_case_nor_url(api: "Api") -> None:
    await create_login(api)
    for search, count in (("bANK", 1), ("ada@", 1), ("%", 0), ("bank.example", 0), ("pw-secret", 0), ("", 1)):
        found = (await api.post("/logins/list", {"search": search})).json()
        assert (len(found["logins"]), found["total"]) == (count, count), search


async def test_update_keeps_what_is_not_given(api: "Api") -> None:
    made = await create_login(api)
    answer = await api.post("/logins/update", {"id": made["id"], "name": "Second bank", "homeUrl": None})
    assert answer.json()["login"]["name"] == "Second bank"
    code = await api.post("/logins/twoFactorAuth/getCode", {"id": made["id"]})
    assert set(code.json()) == {"code", "secondsRemaining"}
    assert len(code.json()["code"]) == 6


async def test_upsert_finds_the_login_of_the_same_user(api: "Api") -> None:
    made = await create_login(api)
    renamed = await api.post("/logins/upsert", bank(name="Renamed"))
    assert (renamed.json()["login"]["id"], renamed.json()["login"]["name"]) == (made["id"], "Renamed")
    assert (await api.post("/logins/list", {})).json()["total"] == 1


async def test_upsert_that_could_mean_several_logins_changes_none_and_names_them(api: "Api") -> None:
    first, second = await create_login(api), await create_login(api, name="Second")
    answer = await api.post("/logins/upsert", bank(name="Renamed"))
    assert answer.status_code == 409
    assert first["id"] in answer.json()["error"]
    assert second["id"] in answer.json()["error"]
    names = [login["name"] for login in (await api.post("/logins/list")).json()["logins"]]
    assert sorted(names) == ["Bank", "Second"]


async def test_mask_that_comes_back_keeps_the_secret_behind_it(api: "Api") -> None:
    made = await create_login(api)
    before = await api.services.logins.get(await api.organization_id(), made["id"])
    shown = (await api.post("/logins/get", {"id": made["id"]})).json()["login"]["loginConfiguration"]
    credentials = {"username": "ada", "additionalCredentials": shown["additionalCredentials"]}
    changed = await api.post("/logins/update", {"id": made["id"], "loginConfiguration": credentials})
    assert changed.status_code == 200, changed.text
    stored = await api.services.logins.get(await api.organization_id(), made["id"])
    vault = Vault(MasterKey(bytes(32)))
    kept, had = ([secret.reveal() for secret in unseal(vault, login).all()] for login in (stored, before))
    assert kept == had
    assert "pin-secret-2" in kept
    assert (await api.post("/logins/twoFactorAuth/getCode", {"id": made["id"]})).status_code == 200


@pytest.mark.parametrize("method", ["None", "SMS"])
async def test_login_without_an_authenticator_app_has_no_code(api: "Api", method: str) -> None:
    configuration = {"username": "ada", "twoFactorAuthConfiguration": {"method": method}}
    made = await create_login(api, loginConfiguration=configuration)
    answer = await api.post("/logins/twoFactorAuth/getCode", {"id": made["id"]})
    assert (answer.status_code, f"`{method}`" in answer.json()["error"]) == (409, True)


async def test_health_shows_the_last_failure_until_the_login_is_released(api: "Api") -> None:
    made = await create_login(api)
    stored = await api.services.logins.get(await api.organization_id(), made["id"])
    await api.services.stores.login_states.note_failure(stored, now_ms(), "Wrong password.", hold=True)
    health = (await api.post("/logins/get", {"id": made["id"]})).json()["login"]["health"]
    assert (health["isHeld"], health["failures"], health["lastFailure"]) == (True, 1, "Wrong password.")
    assert (await api.post("/logins/release", {"id": made["id"]})).status_code == 200
    released = (await api.post("/logins/get", {"id": made["id"]})).json()["login"]["health"]
    assert (released["isHeld"], released["failures"]) == (False, 0)
    assert (await api.post("/logins/release", {"id": "login_none"})).status_code == 404


async def test_delete_forgets_it(api: "Api") -> None:
    made = await create_login(api)
    gone = await api.post("/logins/delete", {"id": made["id"]})
    assert gone.json() == {"login": {"id": made["id"], "name": "Bank"}}
    assert (await api.post("/logins/get", {"id": made["id"]})).status_code == 404


@pytest.mark.parametrize(
    ("path", "body", "status", "named"),
    [
        ("/logins/create", {}, 400, "name"),
        ("/logins/create", bank(authenticationUrl=None), 400, "authenticationUrl"),
        ("/logins/create", bank(authenticationUrl="ftp://x"), 400, "authenticationUrl"),
        ("/logins/create", bank(persistSession="yes"), 400, "persistSession"),
        ("/logins/create", bank(autoRetryMaxAttempts=-1), 400, "autoRetryMaxAttempts"),
        (
            "/logins/create",
            bank(loginConfiguration={"username": "a", "password": 7}),
            400,
            "loginConfiguration.password",
        ),
        ("/logins/create", bank(loginConfiguration={}), 400, "loginConfiguration.username"),
        ("/logins/update", {"name": "x"}, 400, "id"),
        ("/logins/update", {"id": "login_none", "name": "x"}, 404, "id"),
        ("/logins/delete", {"id": "login_none"}, 404, "id"),
        ("/logins/twoFactorAuth/getCode", {"id": "login_none"}, 404, "id"),
        ("/logins/list", {"search": 5}, 400, "search"),
    ],
)
async def test_a_refusal_names_the_field(
    api: "Api", path: str, body: dict[str, Any], status: int, named: str
) -> None:
    answer = await api.post(path, body)
    assert answer.status_code == status
    assert f"`{named}`" in answer.json()["error"]


async def test_what_the_server_owns_cannot_be_set(api: "Api") -> None:
    for field in ("id", "organizationId", "createdAt", "updatedAt"):
        answer = await api.post("/logins/create", bank(**{field: "mine"}))
        assert answer.status_code == 400
        assert f"`{field}`: is set by the service" in answer.json()["error"]


async def test_a_login_is_tested_with_the_workflow_of_the_service_not_with_one_of_its_name(
    api: "Api",
) -> None:
    login = await create_login(api)
    other = await api.create_workflow("Test of a login")
    first, second = [await workflow_of_test(api, login["id"]) for _ in range(2)]
    assert first != other["id"]
    assert second == first
    change = {"type": "create", "block": {"type": "Wait", "data": {"durationMs": 1}}}
    edited = await api.post("/workflows/blocks/update", {"workflowId": first, "operations": [change]})
    assert edited.status_code == 200, edited.text
    assert await workflow_of_test(api, login["id"]) not in (first, other["id"])


async def workflow_of_test(api: "Api", login_id: str) -> str:
    """The workflow that a test of the login runs."""
    tested = await api.post("/logins/test", {"id": login_id})
    assert tested.status_code == 200, tested.text
    execution = await api.post("/executions/get", {"id": tested.json()["test"]["executionId"]})
    return execution.json()["execution"]["workflow"]["id"]

"""Signing in to applications of other people, unattended: what works, and what is said when it does not."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.apps import App, started_app
from support.service import Api, RunningService, free_port

Json = dict[str, Any]
MAIL_DOMAIN = "codes.test"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("signing-in")


@pytest.fixture(scope="module")
def mail_port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def signing(folder: Path, mail_port: int) -> Iterator[RunningService]:
    """A service that takes mail itself."""
    running = RunningService(
        folder / "data",
        PAGEHAND_MAIL_DOMAIN=MAIL_DOMAIN,
        PAGEHAND_MAIL_PORT=str(mail_port),
        PAGEHAND_MAIL_CODE_SECONDS="20",
    ).start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def api(signing: RunningService) -> Api:
    return signing.api()


@pytest.fixture(scope="module")
def admin(folder: Path) -> Iterator[App]:
    with started_app("admin", folder) as app:
        yield app


@pytest.fixture(scope="module")
def roundup(folder: Path) -> Iterator[App]:
    with started_app("roundup", folder) as app:
        yield app


@pytest.fixture(scope="module")
def identity(folder: Path) -> Iterator[App]:
    with started_app("identity", folder) as app:
        yield app


def login_at(api: Api, url: str, home: str, username: str, password: str, **fields: Any) -> Json:
    two_factor = fields.pop("two_factor", None)
    configuration = {"username": username, "password": password}
    if two_factor:
        configuration["twoFactorAuthConfiguration"] = two_factor
    made = {"name": username, "authenticationUrl": url, "homeUrl": home, "loginConfiguration": configuration}
    return api.call("/logins/create", {**made, **fields})["login"]


def run_with(api: Api, login: Json, *blocks: Json, **more: Any) -> Json:
    title = {"type": "Extract", "data": {"prompt": "t", "fields": {"h": {"locator": {"css": "h1"}}}}}
    return api.run(*(blocks or (title,)), loginId=login["id"], **more)


def typed(api: Api, execution: Json) -> list[str]:
    """What was typed, by the events."""
    return [event["message"] for event in api.events(execution["id"]) if event["type"] == "login.submitted"]


def health(api: Api, login: Json) -> Json:
    return api.call("/logins/get", {"id": login["id"]})["login"]["health"]


def django(api: Api, app: App, username: str, site: str = "admin", **fields: Any) -> Json:
    fields.setdefault("password", app.facts["password"])
    return login_at(api, f"{app.url}/{site}/login/", f"{app.url}/{site}/", username, **fields)


@pytest.mark.slow
def test_a_second_run_is_signed_in_by_the_saved_session(api: Api, admin: App) -> None:
    login = django(api, admin, "plain", persistSession=True)
    first, second = run_with(api, login), run_with(api, login)
    assert (first["status"], second["status"]) == ("Completed", "Completed"), first["errorAnalysis"]
    assert typed(api, first) == ["Typed the username and the password"]
    assert typed(api, second) == []
    assert second["response"]["Extract_1"]["h"] in ("Site administration", "Django administration")
    assert [authentication["status"] for authentication in second["authentications"]] == ["Completed"]
    shown = health(api, login)
    assert shown["lastSuccessAt"]
    assert 0 <= shown["sessionAgeSeconds"] < 120


@pytest.mark.slow
def test_a_saved_session_that_has_ended_falls_back_to_the_form(api: Api, admin: App) -> None:
    login = django(api, admin, "plain", persistSession=True)
    leave = {"type": "Mouse", "locator": {"role": "button", "text": "Log out"}, "data": {}}
    assert run_with(api, login, leave)["status"] == "Completed"
    second = run_with(api, login)
    assert second["status"] == "Completed", second["errorAnalysis"]
    assert typed(api, second) == ["Typed the username and the password"]
    assert "login.expired" in [event["type"] for event in api.events(second["id"])]


@pytest.mark.slow
def test_without_persist_session_every_run_types(api: Api, admin: App) -> None:
    login = django(api, admin, "plain")
    runs = [run_with(api, login), run_with(api, login)]
    assert [typed(api, run) for run in runs] == [["Typed the username and the password"]] * 2
    assert health(api, login)["sessionSavedAt"] is None


@pytest.mark.slow
def test_a_wrong_password_is_reported_and_holds_the_login_back_until_it_is_changed(
    api: Api, admin: App
) -> None:
    login = django(api, admin, "plain", password="nonsense")
    first = run_with(api, login)
    assert first["status"] == "Failed"
    assert "did not accept the user name or the password" in first["errorAnalysis"]
    assert "Please enter the correct username" in first["errorAnalysis"]
    assert first["authentications"][0]["status"] == "Failed"
    held = run_with(api, login)
    assert held["status"] == "Failed"
    assert "is held back since" in held["errorAnalysis"]
    assert typed(api, held) == []
    assert health(api, login)["isHeld"]
    api.call("/logins/release", {"id": login["id"]})
    assert "did not accept" in run_with(api, login)["errorAnalysis"]
    right = {"password": admin.facts["password"]}
    api.call("/logins/update", {"id": login["id"], "loginConfiguration": right})
    assert not health(api, login)["isHeld"]
    assert run_with(api, login)["status"] == "Completed"


@pytest.mark.slow
def test_a_totp_code_is_computed_and_typed_beside_the_password(api: Api, admin: App) -> None:
    factor = {"method": "TOTP", "totpSecretKey": admin.facts["seed"]}
    login = django(api, admin, "totp", site="otp", two_factor=factor)
    done = run_with(api, login)
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert typed(api, done)[-1] == "Typed the username and the password and the code"
    assert 0 < health(api, login)["nextCodeSeconds"] <= 30


@pytest.mark.slow
def test_a_wrong_seed_is_distinguished_from_a_wrong_password(api: Api, admin: App) -> None:
    factor = {"method": "TOTP", "totpSecretKey": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"}
    failed = run_with(api, django(api, admin, "totp", site="otp", two_factor=factor))
    assert failed["status"] == "Failed"
    assert "did not accept the code" in failed["errorAnalysis"]
    assert "Invalid token" in failed["errorAnalysis"]


@pytest.mark.slow
def test_a_locked_account_is_called_locked(api: Api, admin: App) -> None:
    factor = {"method": "TOTP", "totpSecretKey": admin.facts["seed"]}
    failed = run_with(api, django(api, admin, "locked", site="otp", two_factor=factor))
    assert failed["status"] == "Failed"
    assert "has locked the account" in failed["errorAnalysis"]
    assert "temporarily disabled" in failed["errorAnalysis"]


@pytest.mark.slow
def test_roundup_signs_in_and_says_what_is_wrong(api: Api, roundup: App) -> None:
    right = login_at(
        api, roundup.url, f"{roundup.url}/issue", "ada", roundup.facts["password"], persistSession=True
    )
    first, second = run_with(api, right), run_with(api, right)
    assert (first["status"], second["status"]) == ("Completed", "Completed"), first["errorAnalysis"]
    assert (len(typed(api, first)), len(typed(api, second))) == (1, 0)
    wrong = login_at(api, roundup.url, f"{roundup.url}/issue", "ada", "nonsense")
    failed = run_with(api, wrong)
    assert "did not accept the user name or the password" in failed["errorAnalysis"]
    assert "Invalid login" in failed["errorAnalysis"]


@pytest.mark.slow
def test_an_identity_provider_is_passed_with_its_consent_screen(api: Api, identity: App) -> None:
    application = identity.facts["application"]
    login = login_at(
        api,
        f"{application}/start",
        f"{application}/home",
        "ada",
        identity.facts["password"],
        signInUrls=[identity.url],
        persistSession=True,
    )
    who = {"type": "Extract", "data": {"prompt": "w", "fields": {"who": {"locator": {"css": "#who"}}}}}
    first, second = run_with(api, login, who), run_with(api, login, who)
    assert first["status"] == "Completed", first["errorAnalysis"]
    assert first["response"]["Extract_1"]["who"] == "Hello ada"
    assert "login.agreed" in [event["type"] for event in api.events(first["id"])]
    assert (second["status"], typed(api, second)) == ("Completed", [])


@pytest.mark.slow
def test_a_provider_that_is_not_part_of_the_login_gets_nothing(api: Api, identity: App) -> None:
    application = identity.facts["application"]
    login = login_at(api, f"{application}/start", f"{application}/home", "ada", identity.facts["password"])
    failed = run_with(api, login)
    assert "which is not part of" in failed["errorAnalysis"]
    assert "`signInUrls`" in failed["errorAnalysis"]
    assert typed(api, failed) == []

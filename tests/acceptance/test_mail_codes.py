"""Codes by e-mail, unattended: read over IMAP from a real server, and received by the service itself."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.apps import App, started_app
from support.apps.dovecot import PASSWORD, USERNAME, MailServer, mail_server
from support.service import Api, RunningService, free_port

Json = dict[str, Any]
DOMAIN = "codes.test"
ADMIN = {"name": "admin", "loginConfiguration": {"username": "mail"}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mail-codes")


@pytest.fixture(scope="module")
def dovecot() -> Iterator[MailServer]:
    with mail_server() as server:
        yield server


@pytest.fixture(scope="module")
def mail_port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def api(folder: Path, dovecot: MailServer, mail_port: int) -> Iterator[Api]:
    running = RunningService(
        folder / "data",
        PAGEHAND_MAIL_DOMAIN=DOMAIN,
        PAGEHAND_MAIL_PORT=str(mail_port),
        PAGEHAND_MAIL_CODE_SECONDS="8",
        PAGEHAND_IMAP_HOST="127.0.0.1",
        PAGEHAND_IMAP_PORT=str(dovecot.imap_port),
        PAGEHAND_IMAP_SECURITY="none",
    ).start()
    yield running.api()
    running.stop()


def login_with(api: Api, app: App, **two_factor: Any) -> Json:
    factor = {"method": "Email", "alwaysRequired": True, **two_factor}
    configuration = {
        "username": "mail",
        "password": app.facts["password"],
        "twoFactorAuthConfiguration": factor,
    }
    made = {"name": "admin", "authenticationUrl": f"{app.url}/otp/login/", "homeUrl": f"{app.url}/otp/"}
    return api.call("/logins/create", {**made, "loginConfiguration": configuration})["login"]


def run_with(api: Api, login: Json) -> Json:
    done = {"type": "Transform", "data": {"input": "in", "code": "input"}}
    return api.run(done, loginId=login["id"])


def in_mailbox(**more: Any) -> Json:
    return {"twoFactorAuthEmail": USERNAME, "mailboxPassword": PASSWORD, **more}


@pytest.mark.slow
def test_a_code_is_read_from_a_mailbox(api: Api, folder: Path, dovecot: MailServer) -> None:
    with started_app("admin", folder / "imap", smtp=["127.0.0.1", dovecot.smtp_port], mail=USERNAME) as app:
        login = login_with(api, app, **in_mailbox(codeSender="site.test"))
        first, second = run_with(api, login), run_with(api, login)
    assert first["status"] == "Completed", first["errorAnalysis"]
    assert second["status"] == "Completed", second["errorAnalysis"]
    kinds = [event["type"] for event in api.events(first["id"])]
    assert "execution.paused" in kinds
    assert "authentication.waiting" in kinds
    assert "mailboxPassword" not in str(api.call("/logins/get", {"id": login["id"]}))


@pytest.mark.slow
def test_a_code_of_another_sender_is_not_taken(api: Api, folder: Path, dovecot: MailServer) -> None:
    with started_app("admin", folder / "sender", smtp=["127.0.0.1", dovecot.smtp_port], mail=USERNAME) as app:
        failed = run_with(api, login_with(api, app, **in_mailbox(codeSender="bank.test")))
    assert failed["status"] == "Failed"
    assert "No mail with a code" in failed["errorAnalysis"]
    assert "`codes@site.test` within 8 s" in failed["errorAnalysis"]


@pytest.mark.slow
def test_a_mailbox_that_does_not_open_is_reported(api: Api, folder: Path, dovecot: MailServer) -> None:
    with started_app("admin", folder / "closed", smtp=["127.0.0.1", dovecot.smtp_port], mail=USERNAME) as app:
        failed = run_with(api, login_with(api, app, **in_mailbox(mailboxPassword="wrong")))
    assert "does not let `codes@site.test` in" in failed["errorAnalysis"]


@pytest.mark.slow
def test_an_expired_code_is_reported_in_the_words_of_the_site(
    api: Api, folder: Path, dovecot: MailServer
) -> None:
    smtp = ["127.0.0.1", dovecot.smtp_port]
    with started_app("admin", folder / "expired", smtp=smtp, mail=USERNAME, validity=0) as app:
        failed = run_with(api, login_with(api, app, **in_mailbox()))
    assert failed["status"] == "Failed"
    assert "did not accept the code" in failed["errorAnalysis"]
    assert "Invalid token" in failed["errorAnalysis"]


@pytest.mark.slow
def test_a_code_comes_to_the_address_of_the_login_itself(api: Api, folder: Path, mail_port: int) -> None:
    blank = {"authenticationUrl": "http://127.0.0.1/", "homeUrl": "http://127.0.0.1/"}
    login = api.call("/logins/create", {**ADMIN, **blank})["login"]
    address = api.call("/logins/get", {"id": login["id"]})["login"]["health"]["codeAddress"]
    assert address == f"{login['id']}@{DOMAIN}"
    with started_app("admin", folder / "own", smtp=["127.0.0.1", mail_port], mail=address) as app:
        configuration = {
            "password": app.facts["password"],
            "twoFactorAuthConfiguration": {"method": "Email", "alwaysRequired": True},
        }
        pages = {"authenticationUrl": f"{app.url}/otp/login/", "homeUrl": f"{app.url}/otp/"}
        api.call("/logins/update", {"id": login["id"], **pages, "loginConfiguration": configuration})
        done = run_with(api, login)
    assert done["status"] == "Completed", done["errorAnalysis"]


@pytest.fixture(scope="module")
def shared(folder: Path, dovecot: MailServer) -> Iterator[RunningService]:
    """A service whose organizations share the operator's mail account."""
    running = RunningService(
        folder / "shared",
        PAGEHAND_MAIL_CODE_SECONDS="8",
        PAGEHAND_IMAP_HOST="127.0.0.1",
        PAGEHAND_IMAP_PORT=str(dovecot.imap_port),
        PAGEHAND_IMAP_SECURITY="none",
        PAGEHAND_IMAP_USERNAME=USERNAME,
        PAGEHAND_IMAP_PASSWORD=PASSWORD,
        PAGEHAND_IMAP_ADDRESSES=f"acme={USERNAME}",
    ).start()
    yield running
    running.stop()


@pytest.mark.slow
def test_codes_in_a_shared_account_go_to_the_organization_of_the_address(
    shared: RunningService, folder: Path, dovecot: MailServer
) -> None:
    acme, globex = (shared.api(shared.new_key(name)) for name in ("acme", "globex"))
    with started_app(
        "admin", folder / "assigned", smtp=["127.0.0.1", dovecot.smtp_port], mail=USERNAME
    ) as app:
        stolen = run_with(globex, login_with(globex, app, twoFactorAuthEmail=USERNAME))
        time.sleep(1.1)  # the site sends no second code within a second
        own = run_with(acme, login_with(acme, app, twoFactorAuthEmail=USERNAME))
    assert stolen["status"] == "Failed"
    assert f"Codes sent to `{USERNAME}` are not read for this organization" in stolen["errorAnalysis"]
    assert own["status"] == "Completed", own["errorAnalysis"]


@pytest.mark.slow
def test_a_login_has_an_address_of_its_own_in_a_shared_account(
    shared: RunningService, folder: Path, dovecot: MailServer
) -> None:
    globex = shared.api(shared.new_key("globex"))
    blank = {"authenticationUrl": "http://127.0.0.1/", "homeUrl": "http://127.0.0.1/"}
    login = globex.call("/logins/create", {**ADMIN, **blank})["login"]
    address = globex.call("/logins/get", {"id": login["id"]})["login"]["health"]["codeAddress"]
    assert address == f"codes+{login['id']}@site.test"
    with started_app("admin", folder / "tagged", smtp=["127.0.0.1", dovecot.smtp_port], mail=address) as app:
        factor = {"method": "Email", "alwaysRequired": True}
        configuration = {"password": app.facts["password"], "twoFactorAuthConfiguration": factor}
        pages = {"authenticationUrl": f"{app.url}/otp/login/", "homeUrl": f"{app.url}/otp/"}
        globex.call("/logins/update", {"id": login["id"], **pages, "loginConfiguration": configuration})
        done = run_with(globex, login)
        copied = run_with(globex, login_with(globex, app, twoFactorAuthEmail=address))
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert "not read for this organization" in copied["errorAnalysis"]

"""Stand-ins for secrets in block data, and where the secrets themselves may go."""

import pytest

from pagehand.engine.signing_in.login_secrets import LoginSecrets
from pagehand.errors import BlockFailed
from pagehand.logins.profile import LoginSite
from pagehand.records import LoginFacts
from pagehand.secrets.redactor import Redactor


def facts(login_id: str = "login_1", **secrets: str) -> LoginFacts:
    site = LoginSite("https://bank.example/login")
    return LoginFacts(
        id=login_id,
        name="Bank",
        is_manual=False,
        is_exclusive=False,
        uses_proxy=False,
        retries=0,
        retry_delay_ms=0,
        shown={"username": "ada", **dict.fromkeys(secrets, "***")},
        secret_values=secrets,
        secrets=list(secrets.values()),
        site=str(site),
        is_own_url=site.includes,
    )


@pytest.fixture
def redactor() -> Redactor:
    return Redactor()


@pytest.fixture
def secrets(redactor: Redactor) -> LoginSecrets:
    return LoginSecrets(redactor, Redactor())


def test_placeholders_hold_no_secret_and_are_shown_as_stars(
    secrets: LoginSecrets, redactor: Redactor
) -> None:
    made = secrets.placeholders(facts(password="correct-horse"))
    assert made["username"] == "ada"
    assert "correct-horse" not in str(made)
    assert secrets.has_placeholder(f"Bearer {made['password']}")
    assert redactor.text(f"typed {made['password']}, correct-horse") == "typed ***, ***"


def test_a_secret_comes_back_for_the_logins_own_addresses_alone(secrets: LoginSecrets) -> None:
    made = secrets.placeholders(facts(password="correct-horse"))
    text = f"<{made['password']}>"
    assert secrets.reveal(text, ["https://bank.example/any?x=1"]) == "<correct-horse>"
    for url in (
        "https://evil.example/",
        "https://app.bank.example/",
        "http://bank.example/",
        "about:blank",
        "",
        "https://bank.example.evil/",
    ):
        with pytest.raises(BlockFailed, match=r"login\.password") as refusal:
            secrets.reveal(text, [url])
        assert "signInUrls" in refusal.value.diagnosis.advice
        assert "correct-horse" not in f"{refusal.value.message} {refusal.value.diagnosis}"
    assert secrets.reveal("plain", ["https://evil.example/"]) == "plain"


def test_a_refusal_says_which_origin_to_add(secrets: LoginSecrets) -> None:
    made = secrets.placeholders(facts(password="correct-horse"))
    with pytest.raises(BlockFailed) as refusal:
        secrets.reveal(made["password"], ["https://login.bank.example:8443/in?ticket=t0k3n"])
    assert "add it to `signInUrls`" in refusal.value.diagnosis.advice
    assert "`https://login.bank.example:8443`" in refusal.value.diagnosis.advice
    assert "t0k3n" not in f"{refusal.value.message} {refusal.value.diagnosis}"


def test_each_login_and_key_has_its_own_placeholder(secrets: LoginSecrets) -> None:
    first = secrets.placeholders(facts(password="one-secret", pin="another-one"))
    other = secrets.placeholders(facts("login_2", password="third-secret"))
    changed = secrets.placeholders(facts(password="one-secret", pin="another-one"))
    assert first == changed
    assert len({first["password"], first["pin"], other["password"]}) == 3


def test_outputs_have_no_secret_of_a_login(secrets: LoginSecrets) -> None:
    output = {"said": "your password is correct-horse", "rows": [1, None]}
    assert secrets.hide(output) is output
    secrets.placeholders(facts(password="correct-horse"))
    assert secrets.hide(output) == {"said": "your password is ***", "rows": [1, None]}

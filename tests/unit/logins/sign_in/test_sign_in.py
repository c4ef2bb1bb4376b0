"""A whole sign-in without a browser: where it begins, when it begins again, and what it makes of the end."""

from types import SimpleNamespace
from typing import Any

import pytest
from playwright.async_api import Error as PlaywrightError

from pagehand.errors import BlockFailed, NotPresent, PagehandError, SignInRefused, SiteDown, TimedOut
from pagehand.logins import failures
from pagehand.logins.credentials import Credentials
from pagehand.logins.profile import Profile, TwoFactor
from pagehand.logins.saved_sessions import SavedSessions, SessionState, SessionToSave
from pagehand.logins.sign_in import detection, form_sign_in
from pagehand.logins.sign_in import sign_in as sign_in_module
from pagehand.logins.sign_in.detection import SignInTimeouts
from pagehand.logins.sign_in.sign_in import SignIn
from pagehand.records import Login
from pagehand.secrets.redactor import Redactor
from pagehand.secrets.vault import Secret
from support.logins import VAULT, FakeSignInContext, login_of
from support.scripted_site import URL, ScriptedSite

pytestmark = pytest.mark.anyio
HOME = "https://bank.example/home"
AT_ONCE = SignInTimeouts(
    form_seconds=0.02, answer_seconds=0.02, repeat_seconds=0, settle_seconds=0, linger_seconds=0
)


class ScriptedBrowser(ScriptedSite):
    """The scripted site with an address bar: opening a page shows the next one."""

    def __init__(self) -> None:
        super().__init__()
        self.statuses: dict[str, int] = {}
        self.cleared: list[str] = []
        self.has_storage = True
        self.page.context.cookies = self._cookies
        self.page.context.clear_cookies = self._clear
        self.page.evaluate = self._evaluate

    async def goto(self, url: str, **_: object) -> int:
        if self.opened:
            self.go_on()
        self.opened.append(url)
        self.page.url = url
        return self.statuses.get(url, 200)

    async def _cookies(self, urls: list[str]) -> list[dict[str, str]]:
        return [{"name": "session", "domain": "bank.example", "path": "/"}] if URL in urls else []

    async def _clear(self, **cookie: str) -> None:
        self.cleared.append(cookie["name"])

    async def _evaluate(self, script: str) -> str:
        if "localStorage" in script:
            if not self.has_storage:
                raise PlaywrightError("Access is denied for this document")
            self.cleared.append("storage")
        return ""


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> ScriptedBrowser:
    site = ScriptedBrowser()
    for module in (sign_in_module, form_sign_in, detection):
        monkeypatch.setattr(module, "read_form", site.read_form)
    for module in (form_sign_in, detection):
        monkeypatch.setattr(module, "_POLL_SECONDS", 0.001)
    return site


class RecordingHealth:
    """Implements what a sign-in reports to the health of a login."""

    def __init__(self, refusal: PagehandError | None = None) -> None:
        self._refusal = refusal
        self.noted: list[str] = []

    async def check(self, login: Login) -> None:
        del login
        if self._refusal is not None:
            raise self._refusal

    async def record_success(self, login: Login) -> None:
        del login
        self.noted.append("succeeded")

    async def record_failure(self, login: Login, error: PagehandError, secrets: Redactor) -> None:
        del login
        self.noted.append(secrets.text(error.message))


class StubSavedSessions(SavedSessions):
    """A saved session of an earlier run, or none."""

    def __init__(self, *, has_one: bool) -> None:
        self._has_one = has_one

    async def load(self, login: Login) -> tuple[SessionToSave, SessionState] | None:
        state: SessionState = {"browser": {}, "sessionStorage": {}}
        return (SessionToSave(login, "ls_1", is_new=False), state) if self._has_one else None


def bank(*, method: Any = "None", **fields: Any) -> Login:
    profile = Profile(authentication_url=URL, home_url=HOME, two_factor=TwoFactor(method=method), **fields)
    return login_of(profile, Credentials(password=Secret("correct horse")))


async def sign_in(
    site: ScriptedBrowser,
    run: FakeSignInContext,
    login: Login | None = None,
    *,
    force: bool = False,
    **parts: Any,
) -> SessionToSave | None:
    signing = SignIn(VAULT, AT_ONCE, **parts)
    return await signing.sign_in(site.session, login or bank(), force=force, timeout_seconds=5, run=run)


async def test_a_sign_in_begins_at_its_page_and_ends_at_home(site: ScriptedBrowser) -> None:
    run, health = FakeSignInContext(), RecordingHealth()
    site.show("user", "password")
    site.show(url="https://bank.example/welcome", canSignOut=True)
    site.show(url=HOME, canSignOut=True)
    assert await sign_in(site, run, health=health) is None
    assert site.opened == [URL, HOME]
    assert [kind for kind, _ in run.events] == ["login.opened", "login.submitted", "login.accepted"]
    assert health.noted == ["succeeded"]


async def test_a_session_that_is_to_be_kept_is_given_back_to_be_saved(site: ScriptedBrowser) -> None:
    site.show("user", "password")
    site.show(url=HOME, canSignOut=True)
    kept = await sign_in(
        site, FakeSignInContext(), bank(persist_session=True), sessions=StubSavedSessions(has_one=False)
    )
    assert kept is not None
    assert kept.is_new


@pytest.mark.parametrize(
    ("status", "error"), [(500, SiteDown), (503, SiteDown), (404, BlockFailed), (410, BlockFailed)]
)
async def test_a_sign_in_page_that_is_not_there_is_reported_with_its_status(
    site: ScriptedBrowser, status: int, error: type[PagehandError]
) -> None:
    site.statuses[URL] = status
    site.show("user", "password")
    with pytest.raises(error, match=f"status {status}"):
        await sign_in(site, FakeSignInContext())
    assert site.typed == []


async def test_a_form_that_comes_with_a_refusing_status_is_answered(site: ScriptedBrowser) -> None:
    site.statuses[URL] = 401
    site.show("user", "password")
    site.show(url=HOME, canSignOut=True)
    await sign_in(site, FakeSignInContext())
    assert len(site.typed) == 2


async def test_a_login_that_is_held_back_opens_no_page(site: ScriptedBrowser) -> None:
    held = failures.held_back("Bank", 0, "Wrong password.")
    with pytest.raises(SignInRefused, match="held back"):
        await sign_in(site, FakeSignInContext(), health=RecordingHealth(held))
    assert site.opened == []


async def test_a_refusal_is_noted_without_the_password_that_the_page_repeats(site: ScriptedBrowser) -> None:
    health = RecordingHealth()
    site.show("user", "password")
    site.show("user", "password", complaints=["`correct horse` is not your password"])
    with pytest.raises(failures.CredentialsRefused):
        await sign_in(site, FakeSignInContext(), health=health)
    assert len(health.noted) == 1
    assert "correct horse" not in health.noted[0]


async def test_where_the_site_ends_the_sign_in_over_a_code_it_is_begun_again(site: ScriptedBrowser) -> None:
    run = FakeSignInContext()
    for _ in range(2):
        site.show("user", "password")
        site.show("code", url=f"{URL}/code", isSureCode=True)
        site.show(url="https://bank.example/sorry", refusals=["That code has expired"])
    site.pages = site.pages[:5]
    site.show(url=HOME, canSignOut=True)
    site.on_read = lambda: None if run.is_submitted else run.submit("123456")
    await sign_in(site, run, bank(method="SMS"))
    kinds = [kind for kind, _ in run.events]
    assert kinds.count("login.restarted") == 1
    assert "session" in site.cleared
    assert ["That code has expired" in refused for _, refused in run.waits] == [False, True]


async def test_a_wrong_password_is_never_begun_again(site: ScriptedBrowser) -> None:
    run = FakeSignInContext()
    site.show("user", "password")
    site.show("user", "password", complaints=["Wrong password"])
    with pytest.raises(failures.CredentialsRefused):
        await sign_in(site, run)
    assert [kind for kind, _ in run.events] == ["login.opened", "login.submitted"]
    assert len(site.typed) == 2


async def test_forcing_a_sign_in_forgets_the_sites_session_first(site: ScriptedBrowser) -> None:
    site.show("user", "password")
    site.show(url=HOME, canSignOut=True)
    await sign_in(site, FakeSignInContext(), force=True)
    assert site.cleared == ["session", "storage"]


async def test_a_page_without_storage_does_not_keep_the_session_from_being_forgotten(
    site: ScriptedBrowser,
) -> None:
    site.has_storage = False
    site.show("user", "password")
    site.show(url=HOME, canSignOut=True)
    await sign_in(site, FakeSignInContext(), force=True)
    assert site.cleared == ["session"]


async def test_home_that_asks_to_sign_in_again_is_a_refusal(site: ScriptedBrowser) -> None:
    site.show("user", "password")
    site.show(url="https://bank.example/welcome")
    site.show("user", "password", url=HOME, signsIn=True)
    with pytest.raises(SignInRefused, match="asks to sign in again"):
        await sign_in(site, FakeSignInContext())


async def test_home_that_never_loads_is_not_signed_in(
    site: ScriptedBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(_: object) -> None:
        return None

    monkeypatch.setattr(detection, "read_form", never)
    site.show("user", "password")
    site.show(url="https://bank.example/welcome", canSignOut=True)
    with pytest.raises(NotPresent, match="the next step of the sign-in did not appear"):
        await sign_in(site, FakeSignInContext())


async def test_a_sign_in_by_hand_types_nothing_and_waits_for_the_person(site: ScriptedBrowser) -> None:
    run = FakeSignInContext()
    site.show("user", "password")
    site.show(url=HOME, canSignOut=True)
    site.on_read = lambda: site.go_on() if run.waits else None
    await sign_in(site, run, bank(is_manual_authentication=True))
    assert site.typed == []
    assert run.waits == [("Sign in with `Bank` by hand, in the live view", "")]
    assert run.events[-1][1] == "Signed in by hand"


async def test_a_sign_in_that_takes_too_long_ends(site: ScriptedBrowser) -> None:
    site.show("user", "password")
    site.show(url=f"{URL}/next")
    patient = SignIn(
        VAULT,
        SignInTimeouts(
            form_seconds=60, answer_seconds=60, repeat_seconds=60, settle_seconds=60, linger_seconds=60
        ),
    )
    with pytest.raises(TimedOut, match=r"did not finish within 0.05 s"):
        await patient.sign_in(
            site.session, bank(), force=False, timeout_seconds=0.05, run=FakeSignInContext()
        )


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"signedOut": ["Your session has expired"]}, "Your session has expired"),
        ({"signedOut": ["Your session has expired"], "canSignOut": True}, ""),
        ({}, ""),
    ],
)
async def test_a_page_that_says_the_session_is_over_is_quoted(
    site: ScriptedBrowser, facts: dict[str, Any], words: str
) -> None:
    site.show(url=HOME, **facts)
    assert await SignIn(VAULT).signed_out_words(site.session) == words


async def test_a_page_that_is_gone_is_not_quoted(site: ScriptedBrowser) -> None:
    site.pages.append(PlaywrightError("Target page has been closed"))
    assert await SignIn(VAULT).signed_out_words(site.session) == ""


class NoRestoring:
    """Stands in for putting a saved state into the browser."""

    def __init__(self, *_: object) -> None:
        pass

    async def __aenter__(self) -> None:
        return None

    async def __aexit__(self, *_: object) -> None:
        return None


async def test_a_saved_session_that_still_holds_types_nothing(
    site: ScriptedBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sign_in_module, "restored_session", NoRestoring)
    run = FakeSignInContext()
    site.show(url=HOME, canSignOut=True)
    kept = await sign_in(site, run, bank(persist_session=True), sessions=StubSavedSessions(has_one=True))
    assert kept is not None
    assert (kept.generation, kept.is_new) == ("ls_1", False)
    assert (site.opened, site.typed) == ([HOME], [])
    assert run.events == [("login.kept", "Signed in by a saved session")]


async def test_a_saved_session_that_has_ended_is_forgotten_and_followed_by_a_sign_in(
    site: ScriptedBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sign_in_module, "restored_session", NoRestoring)
    run = FakeSignInContext()
    site.show("user", "password", url=HOME, signsIn=True)
    site.show("user", "password")
    site.show(url=HOME, canSignOut=True)
    kept = await sign_in(site, run, bank(persist_session=True), sessions=StubSavedSessions(has_one=True))
    assert kept is not None
    assert kept.is_new
    assert run.events[0] == ("login.expired", "The saved session has ended; signing in again")
    assert site.cleared == ["session", "storage"]


def test_no_failure_of_a_sign_in_names_a_query_with_its_tokens() -> None:
    form = ScriptedSite().show("password", url=f"{URL}?token=t0k3n#frag")
    stranger = failures.foreign_page("Bank", form, form.frame.url, SimpleNamespace())  # pyright: ignore[reportArgumentType] - only printed
    assert "t0k3n" not in f"{stranger.message} {stranger.diagnosis}"

"""What a sign-in answers and what it refuses to: each step once, on the login's own pages only."""

from typing import Any

import pytest
from playwright.async_api import Error as PlaywrightError

from pagehand.errors import BlockFailed, NotPresent, SignInRefused, SiteDown
from pagehand.logins import failures
from pagehand.logins.credentials import Credentials
from pagehand.logins.profile import Method, Profile, TwoFactor
from pagehand.logins.second_factor.codes import Inbox, SecondFactor
from pagehand.logins.second_factor.totp import code_now
from pagehand.logins.sign_in import form_sign_in
from pagehand.logins.sign_in.detection import SignInTimeouts
from pagehand.logins.sign_in.form_sign_in import FormSignIn
from pagehand.secrets.vault import Secret
from support.logins import SEED, FakeSignInContext, login_of
from support.scripted_site import URL, ScriptedSite, closed

pytestmark = pytest.mark.anyio
HOME = "https://bank.example/home"
AT_ONCE = SignInTimeouts(
    form_seconds=0.02, answer_seconds=0.02, repeat_seconds=0, settle_seconds=0, linger_seconds=0
)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> ScriptedSite:
    site = ScriptedSite()
    monkeypatch.setattr(form_sign_in, "read_form", site.read_form)
    monkeypatch.setattr(form_sign_in, "_POLL_SECONDS", 0.001)
    return site


def sign_in(
    site: ScriptedSite,
    run: FakeSignInContext,
    *,
    password: str = "correct",
    method: Method = "None",
    always: bool = False,
    inbox: Inbox | None = None,
    timeouts: SignInTimeouts = AT_ONCE,
    **fields: Any,
) -> FormSignIn:
    profile = Profile(
        authentication_url=URL,
        home_url=HOME,
        two_factor=TwoFactor(method=method, always_required=always),
        **fields,
    )
    credentials = Credentials(password=Secret(password), totp_seed=Secret(SEED if method == "TOTP" else ""))
    login = login_of(profile, credentials)
    factor = SecondFactor(login, profile, credentials, run, inbox)
    return FormSignIn(site.session, login, profile, credentials, factor, run, timeouts)


async def test_name_and_password_are_typed_masked_and_sent_once(site: ScriptedSite) -> None:
    run = FakeSignInContext()
    site.show("user", "password")
    site.show(url=HOME, canSignOut=True)
    await sign_in(site, run).run()
    assert site.typed == [(URL, "user", "ann"), (URL, "password", "correct")]
    assert (site.masked, site.pressed) == (["password"], ["button"])
    assert run.events == [("login.submitted", "Typed the username and the password")]


async def test_each_page_of_a_sign_in_in_steps_is_answered(site: ScriptedSite) -> None:
    site.show("user")
    site.show("password", url=f"{URL}/password")
    site.show("code", url=f"{URL}/code", isSureCode=True)
    site.show(url=HOME, canSignOut=True)
    signing_in = sign_in(site, FakeSignInContext(), method="TOTP")
    await signing_in.run()
    assert [name for _, name, _ in site.typed] == ["user", "password", "code"]
    assert site.masked == ["password", "code"]
    assert signing_in.has_typed_code
    assert signing_in.typed_at == {URL, f"{URL}/password", f"{URL}/code"}


@pytest.mark.parametrize(
    "elsewhere",
    ["https://bank.example.evil.test/sign-in", "http://bank.example/sign-in", "https://bank.example:8443/"],
)
@pytest.mark.parametrize("asks", [("user", "password"), ("code",)])
async def test_nothing_is_typed_on_another_site(
    site: ScriptedSite, elsewhere: str, asks: tuple[str, ...]
) -> None:
    site.show(*asks, url=elsewhere)
    with pytest.raises(BlockFailed, match="nothing was typed there"):
        await sign_in(site, FakeSignInContext(), method="TOTP").run()
    assert (site.typed, site.pressed) == ([], [])


async def test_an_address_of_the_logins_own_list_is_typed_at(site: ScriptedSite) -> None:
    site.show("user", "password", url="https://id.example/login")
    site.show(url=HOME, canSignOut=True)
    await sign_in(site, FakeSignInContext(), sign_in_urls=("https://id.example/",)).run()
    assert site.typed[0][0] == "https://id.example/login"


async def test_a_page_that_hands_over_to_another_site_while_a_code_is_awaited_gets_no_code(
    site: ScriptedSite,
) -> None:
    site.show("code", isSureCode=True)
    site.show("code", url="https://evil.example/sign-in", isSureCode=True)
    run = FakeSignInContext()
    run.submit("123456")
    site.on_read = lambda: site.go_on() if run.waits else None
    with pytest.raises(BlockFailed, match="nothing was typed there"):
        await sign_in(site, run).run()
    assert site.typed == []


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (
            {"complaints": ["Wrong password"]},
            "did not accept the user name or the password.*“Wrong password”",
        ),
        ({}, "the page asks for the same again"),
        ({"notices": ["Please note"]}, "“Please note”"),
        ({"complaints": ["ImapAccount locked"]}, "has locked the account.*“ImapAccount locked”"),
    ],
)
async def test_a_password_that_is_asked_for_again_was_refused_and_is_not_tried_again(
    site: ScriptedSite, facts: dict[str, Any], sentence: str
) -> None:
    site.show("user", "password")
    site.show("user", "password", **facts)
    with pytest.raises(failures.CredentialsRefused, match=sentence) as refusal:
        await sign_in(site, FakeSignInContext()).run()
    assert not refusal.value.is_code
    assert [name for _, name, _ in site.typed] == ["user", "password"]


async def test_a_complaint_from_before_anything_was_sent_is_not_its_answer(site: ScriptedSite) -> None:
    old = ["Maintenance on Sunday"]
    site.show("user", "password", document=1.0, complaints=old)
    site.show("user", "password", document=1.0, complaints=[*old, "Wrong password"])
    with pytest.raises(failures.CredentialsRefused, match="says “Wrong password”"):
        await sign_in(site, FakeSignInContext()).run()


async def test_a_dialog_that_refuses_is_quoted(site: ScriptedSite) -> None:
    site.show("user", "password")
    site.show("user", "password")
    site.dialogs = ["Invalid login"]
    with pytest.raises(failures.CredentialsRefused, match="says “Invalid login”"):
        await sign_in(site, FakeSignInContext()).run()


async def test_a_refused_code_is_followed_by_a_fresh_one_and_the_site_is_quoted_to_who_hands_it_in(
    site: ScriptedSite,
) -> None:
    run = FakeSignInContext()
    site.show("user", "password")
    site.show("code", url=f"{URL}/code", isSureCode=True)
    site.show("code", url=f"{URL}/code", isSureCode=True, complaints=["That code is wrong"])
    site.show(url=HOME, canSignOut=True)
    run.submit("111111")
    site.on_read = lambda: run.submit("222222") if len(run.waits) == 1 and not run.is_submitted else None
    await sign_in(site, run, method="SMS").run()
    assert [text for _, name, text in site.typed if name == "code"] == ["111111", "222222"]
    assert [refused for _, refused in run.waits] == ["", "That code is wrong"]


@pytest.mark.parametrize(
    ("complaint", "is_code"), [("Wrong code", True), ("ImapAccount locked: too many codes", False)]
)
async def test_computed_codes_end_in_a_refusal_and_a_locked_account_at_once(
    site: ScriptedSite, monkeypatch: pytest.MonkeyPatch, complaint: str, is_code: bool
) -> None:
    monkeypatch.setattr("pagehand.logins.second_factor.codes._FRESH_SECONDS", 0)
    monkeypatch.setattr(SecondFactor, "_next_window", _instant_window)
    site.show("user", "password")
    for _ in range(5):
        site.show(
            "code", url=f"{URL}/code", isSureCode=True, complaints=[complaint] if site.pages[1:] else []
        )
    with pytest.raises(failures.CredentialsRefused) as refusal:
        await sign_in(site, FakeSignInContext(), method="TOTP").run()
    assert refusal.value.is_code is is_code
    assert len([1 for _, name, _ in site.typed if name == "code"]) == (2 if is_code else 1)


async def _instant_window(factor: SecondFactor, made: object) -> object:
    del factor, made
    return code_now(SEED)


async def test_a_form_that_grew_is_filled_in_once_more(site: ScriptedSite) -> None:
    site.show("user", "password", controls=2)
    site.show("user", "password", "code", controls=3, isSureCode=True)
    site.show(url=HOME, canSignOut=True)
    await sign_in(site, FakeSignInContext(), method="TOTP").run()
    assert [name for _, name, _ in site.typed] == ["user", "password", "user", "password", "code"]


async def test_a_code_beside_the_password_waits_until_the_site_insists_where_a_person_has_it(
    site: ScriptedSite,
) -> None:
    run = FakeSignInContext()
    run.submit("424242")
    site.show("user", "password", "code")
    site.show(url=HOME, canSignOut=True)
    await sign_in(site, run, method="SMS").run()
    assert [name for _, name, _ in site.typed] == ["user", "password"]
    assert run.waits == []


async def test_a_password_field_without_a_password_in_the_login_names_what_to_set(site: ScriptedSite) -> None:
    site.show("user", "password")
    with pytest.raises(BlockFailed, match=r"set `loginConfiguration.password`"):
        await sign_in(site, FakeSignInContext(), password="").run()


async def test_a_profile_page_with_a_password_field_is_not_answered(site: ScriptedSite) -> None:
    site.show("user", "password")
    site.show("password", url="https://bank.example/profile", canSignOut=True)
    signing_in = sign_in(site, FakeSignInContext())
    await signing_in.run()
    assert [name for _, name, _ in site.typed] == ["user", "password"]


async def test_a_field_for_a_promotion_code_on_the_home_page_is_not_a_second_factor(
    site: ScriptedSite,
) -> None:
    site.show("user", "password")
    site.show("code", url=HOME)
    await sign_in(site, FakeSignInContext(), method="TOTP").run()
    assert [name for _, name, _ in site.typed] == ["user", "password"]


async def test_a_required_code_is_waited_for_although_the_page_offers_to_sign_out(site: ScriptedSite) -> None:
    site.show("user", "password")
    site.show(url=f"{URL}/next", canSignOut=True)
    site.show("code", url=f"{URL}/code", isSureCode=True)
    site.show(url=HOME, canSignOut=True)
    looks = iter(range(1000))
    site.on_read = lambda: site.go_on() if site.url.endswith("/next") and next(looks) == 1 else None
    patient = SignInTimeouts(
        form_seconds=1, answer_seconds=1, repeat_seconds=0, settle_seconds=0, linger_seconds=0.5
    )
    signing_in = sign_in(site, FakeSignInContext(), method="TOTP", always=True, timeouts=patient)
    await signing_in.run()
    assert signing_in.has_typed_code


@pytest.mark.parametrize(("persists", "pressed"), [(True, "agree_button"), (False, "decline_button")])
async def test_staying_signed_in_is_answered_as_the_login_keeps_sessions(
    site: ScriptedSite, persists: bool, pressed: str
) -> None:
    run = FakeSignInContext()
    site.show("user", "password")
    site.show(url=f"{URL}/stay", question="stay", parts=("agree_button", "decline_button"))
    site.show(url=HOME, canSignOut=True)
    await sign_in(site, run, persist_session=persists).run()
    assert site.pressed == ["button", pressed]
    assert run.events[-1] == ("login.agreed", "Answered whether to stay signed in")


async def test_an_application_is_let_in_on_the_logins_own_site_only(site: ScriptedSite) -> None:
    site.show("user", "password")
    site.show(url="https://evil.example/grant", question="grant", parts=("agree_button", "decline_button"))
    with pytest.raises(BlockFailed, match="which is not part of"):
        await sign_in(site, FakeSignInContext()).run()
    assert site.pressed == ["button"]


@pytest.mark.parametrize(("persists", "pressed"), [(True, ["remember_box", "button"]), (False, ["button"])])
async def test_the_site_is_asked_to_remember_only_a_session_that_is_kept(
    site: ScriptedSite, persists: bool, pressed: list[str]
) -> None:
    site.show("user", "password", parts=("remember_box",))
    site.show(url=HOME, canSignOut=True)
    await sign_in(site, FakeSignInContext(), persist_session=persists).run()
    assert site.pressed == pressed


class OneLink:
    """A mailbox into which one link came."""

    def __init__(self, link: str) -> None:
        self._link = link

    async def code(self, *, since: float, used: frozenset[str]) -> str:
        raise NotImplementedError

    async def link(self, *, since: float) -> str:
        del since
        return self._link


async def test_a_link_by_mail_is_opened_where_it_leads_to_the_logins_site(site: ScriptedSite) -> None:
    site.show("user")
    site.show(url=f"{URL}/sent", sentLink=True)
    site.show(url=HOME, canSignOut=True)
    link = "https://bank.example/magic?t=1"
    await sign_in(site, FakeSignInContext(), password="", method="Email", inbox=OneLink(link)).run()
    assert site.opened == [link]


async def test_a_link_by_mail_to_another_site_is_not_opened(site: ScriptedSite) -> None:
    site.show("user")
    site.show(url=f"{URL}/sent", sentLink=True)
    link = "https://bank.example.evil.test/magic?t=1"
    with pytest.raises(
        BlockFailed, match=r"leads to `https://bank\.example\.evil\.test/magic`.*it was not opened"
    ):
        await sign_in(site, FakeSignInContext(), password="", method="Email", inbox=OneLink(link)).run()
    assert site.opened == []


async def test_a_code_is_asked_for_once_where_the_site_sends_it_only_then(site: ScriptedSite) -> None:
    run = FakeSignInContext()
    run.submit("123123")
    site.show("user", "password")
    site.show("code", url=f"{URL}/code", parts=("send_code_button", "channel_select"), isSureCode=True)
    site.show("code", url=f"{URL}/code", parts=("send_code_button",), isSureCode=True)
    site.show(url=HOME, canSignOut=True)
    await sign_in(site, run, method="SMS").run()
    assert site.pressed == ["button", "send_code_button", "button"]
    assert site.chosen == ["sms|text|phone"]
    assert ("login.asked", "Asked the site to send a code") in run.events


async def test_a_computed_code_is_typed_without_asking_the_site_to_send_one(site: ScriptedSite) -> None:
    site.show("user", "password")
    site.show("code", url=f"{URL}/code", parts=("send_code_button",), isSureCode=True)
    site.show(url=HOME, canSignOut=True)
    await sign_in(site, FakeSignInContext(), method="TOTP").run()
    assert site.pressed == ["button", "button"]


async def test_a_button_that_brings_the_form_up_is_pressed_once(site: ScriptedSite) -> None:
    site.show(url=URL, parts=("form_opener",))
    site.show("user", "password")
    site.show(url=HOME, canSignOut=True)
    await sign_in(site, FakeSignInContext()).run()
    assert site.pressed == ["form_opener", "button"]


async def test_a_page_that_never_shows_a_form_fails_with_what_it_shows(site: ScriptedSite) -> None:
    site.show(url=URL, heading="Closed on Sundays")
    with pytest.raises(
        NotPresent, match="a field for the user name or the password did not appear"
    ) as failure:
        await sign_in(site, FakeSignInContext()).run()
    assert "Closed on Sundays" in failure.value.diagnosis.found


async def test_a_page_after_the_form_that_refuses_in_words_is_a_refusal(site: ScriptedSite) -> None:
    site.show("user", "password")
    site.show(url="https://bank.example/denied", refusals=["Your account is disabled"])
    with pytest.raises(SignInRefused, match="Your account is disabled"):
        await sign_in(site, FakeSignInContext()).run()


async def test_an_error_page_after_the_form_is_a_refusal_unless_it_offers_to_sign_out(
    site: ScriptedSite,
) -> None:
    site.show("user", "password")
    site.show(url="https://bank.example/denied", firstLine="Forbidden")
    site.on_read = lambda: site.answer(site.url, 403 if site.pressed else 200)
    with pytest.raises(SignInRefused, match="“Forbidden”"):
        await sign_in(site, FakeSignInContext()).run()


async def test_an_error_page_of_somebody_signed_in_is_doubted_but_passed_on(site: ScriptedSite) -> None:
    site.show("user", "password")
    site.show(url="https://bank.example/missing", firstLine="Not found", canSignOut=True)
    site.on_read = lambda: site.answer(site.url, 404 if site.pressed else 200)
    signing_in = sign_in(site, FakeSignInContext())
    await signing_in.run()
    assert signing_in.doubt == "Not found"


async def test_a_link_back_to_the_sign_in_page_is_doubtful(site: ScriptedSite) -> None:
    site.show("user", "password")
    site.show(url="https://bank.example/bye", firstLine="Something happened", links=[URL])
    signing_in = sign_in(site, FakeSignInContext())
    await signing_in.run()
    assert signing_in.doubt == "Something happened"


async def test_a_server_error_while_signing_in_is_the_sites_trouble(site: ScriptedSite) -> None:
    site.show("user", "password")
    site.on_read = lambda: site.answer(URL, 502)
    with pytest.raises(SiteDown, match="answered with status 502"):
        await sign_in(site, FakeSignInContext()).run()


async def test_somebody_who_is_signed_in_already_types_nothing(site: ScriptedSite) -> None:
    site.show(url=HOME, canSignOut=True)
    signing_in = sign_in(site, FakeSignInContext())
    await signing_in.run()
    assert (signing_in.has_answered, site.typed) == (False, [])


async def test_a_window_of_the_sign_in_that_closes_itself_is_not_a_lost_browser(site: ScriptedSite) -> None:
    site.show("user", "password")
    site.pages.append(closed())
    site.show(url=HOME, canSignOut=True)
    first = site.page

    def change_tabs() -> None:
        if site.page is first and site.pressed:
            site.page = type(first)(url=HOME, context=first.context)
        elif site.page is not first:
            site.go_on()

    site.on_read = change_tabs
    await sign_in(site, FakeSignInContext()).run()
    assert site.pressed == ["button"]


async def test_a_page_that_is_gone_for_good_is_reported(site: ScriptedSite) -> None:
    site.pages.append(closed())
    with pytest.raises(PlaywrightError, match="has been closed"):
        await sign_in(site, FakeSignInContext()).run()

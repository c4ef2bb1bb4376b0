"""Telling from a page whether somebody is signed in, and prompts of the login that a model judges by."""

from types import SimpleNamespace
from typing import Any

import pytest

from pagehand.errors import SignInRefused
from pagehand.logins.profile import Profile
from pagehand.logins.sign_in import detection
from pagehand.logins.sign_in.detection import (
    SignInTimeouts,
    check_signed_in,
    has_own_home,
    is_confirmed,
    is_sign_in_form,
    is_sign_in_page,
    is_signed_in_by_hand,
    leads_back,
    path_of,
    press_instructed_controls,
    require_confirmed,
)
from support.logins import FakeSignInContext, login_of
from support.scripted_site import URL, ScriptedSite

pytestmark = pytest.mark.anyio
HOME = "https://bank.example/home"
PROFILE = Profile(authentication_url=URL, home_url=HOME)
AT_ONCE = SignInTimeouts(
    form_seconds=0, answer_seconds=0, repeat_seconds=0, settle_seconds=0, linger_seconds=0
)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> ScriptedSite:
    site = ScriptedSite()
    monkeypatch.setattr(detection, "read_form", site.read_form)
    monkeypatch.setattr(detection, "_POLL_SECONDS", 0.001)
    site.page.evaluate = site.page_text
    return site


@pytest.mark.parametrize(
    ("facts", "is_signed_in"),
    [
        ({"canSignOut": True}, True),
        ({}, True),
        ({"signedOut": ["Your session has expired"]}, False),
        ({"refusals": ["Your account is disabled"]}, False),
        ({"offersSignIn": True}, False),
    ],
)
async def test_home_without_a_form_is_good_unless_something_speaks_against_it(
    site: ScriptedSite, facts: dict[str, Any], is_signed_in: bool
) -> None:
    site.show(url=HOME, **facts)
    assert (await check_signed_in(site.session, PROFILE, AT_ONCE)).is_signed_in is is_signed_in


@pytest.mark.parametrize("status", [401, 403])
async def test_a_home_page_that_refuses_is_not_signed_in_unless_it_offers_to_sign_out(
    site: ScriptedSite, status: int
) -> None:
    site.show(url=HOME)
    assert not (await check_signed_in(site.session, PROFILE, AT_ONCE, status=status)).is_signed_in
    site.pages.clear()
    site.show(url=HOME, canSignOut=True)
    assert (await check_signed_in(site.session, PROFILE, AT_ONCE, status=status)).is_signed_in


async def test_after_what_looked_like_a_refusal_a_page_without_a_form_is_not_enough(
    site: ScriptedSite,
) -> None:
    site.show(url=HOME)
    assert not (await check_signed_in(site.session, PROFILE, AT_ONCE, is_doubtful=True)).is_signed_in
    site.pages.clear()
    site.show(url=HOME, canSignOut=True)
    assert (await check_signed_in(site.session, PROFILE, AT_ONCE, is_doubtful=True)).is_signed_in


async def test_a_form_at_home_is_not_signed_in_and_its_complaint_is_kept(site: ScriptedSite) -> None:
    site.show("user", "password", url=HOME, signsIn=True, complaints=["Please sign in"])
    seen = await check_signed_in(site.session, PROFILE, AT_ONCE)
    assert (seen.is_signed_in, seen.complaint) == (False, "Please sign in")


async def test_a_page_that_never_finishes_loading_is_not_signed_in(
    site: ScriptedSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(_: object) -> None:
        return None

    monkeypatch.setattr(detection, "read_form", never)
    seen = await check_signed_in(site.session, PROFILE, AT_ONCE)
    assert (seen.is_signed_in, seen.form) == (False, None)


@pytest.mark.parametrize(
    ("text", "is_signed_in"), [("Good  morning,\nANN", True), ("Good evening", False), ("", False)]
)
async def test_the_logins_own_words_show_that_somebody_is_signed_in(
    site: ScriptedSite, text: str, is_signed_in: bool
) -> None:
    site.text = text
    site.show(url=HOME, offersSignIn=True)
    profile = Profile(authentication_url=URL, home_url=HOME, login_detection_prompt="good morning, Ann")
    assert (await check_signed_in(site.session, profile, AT_ONCE)).is_signed_in is is_signed_in


@pytest.mark.parametrize(
    ("asks", "url", "facts", "is_own"),
    [
        ((), URL, {}, False),
        (("user", "password"), URL, {}, True),
        (("user",), URL, {}, True),
        (("user",), URL, {"canSignOut": True}, False),
        (("password",), f"{URL}/step-2", {}, True),
        (("password",), "https://bank.example/profile", {}, False),
        (("password",), "https://bank.example/relogin", {"signsIn": True}, True),
        (("code",), "https://bank.example/checkout", {}, False),
        (("code",), "https://bank.example/2fa", {"isSureCode": True}, True),
        (("user",), HOME, {}, False),
        (("user",), "https://bank.example/other", {}, True),
    ],
)
def test_the_logins_own_form_is_distinguished_from_a_profile_and_a_newsletter(
    asks: tuple[str, ...], url: str, facts: dict[str, Any], is_own: bool
) -> None:
    assert is_sign_in_form(ScriptedSite().show(*asks, url=url, **facts), PROFILE) is is_own


@pytest.mark.parametrize(
    ("start", "url", "is_one"),
    [
        (URL, f"{URL}?next=/home#x", True),
        (URL, f"{URL}/password", True),
        (URL, "https://bank.example/sign-in-help", False),
        ("https://bank.example/", "https://bank.example/shop", False),
        ("https://bank.example", "https://bank.example/", True),
    ],
)
def test_steps_below_the_sign_in_page_belong_to_it_but_not_a_whole_site(
    start: str, url: str, is_one: bool
) -> None:
    profile = Profile(authentication_url=start, home_url=HOME)
    assert is_sign_in_page(ScriptedSite().show("password", url=url), profile) is is_one


def test_a_page_on_which_something_was_typed_belongs_to_the_sign_in() -> None:
    form = ScriptedSite().show("password", url="https://id.example/login")
    assert not is_sign_in_page(form, PROFILE)
    assert is_sign_in_page(form, PROFILE, {"https://id.example/login"})


@pytest.mark.parametrize(
    ("links", "does_lead"),
    [([URL], True), ([f"{URL}/"], True), (["https://bank.example/help"], False), ([], False)],
)
def test_a_link_back_to_the_sign_in_page_is_seen(links: list[str], does_lead: bool) -> None:
    assert leads_back(ScriptedSite().show(url=HOME, links=links), PROFILE) is does_lead


def test_a_link_to_the_front_page_leads_everywhere_and_not_back() -> None:
    profile = Profile(authentication_url="https://bank.example/", home_url=HOME)
    form = ScriptedSite().show(url=HOME, links=["https://bank.example/"])
    assert not leads_back(form, profile)


def test_places_are_compared_without_query_fragment_and_last_slash() -> None:
    assert path_of("https://a.example/x/?q=1#f") == "https://a.example/x"
    assert not has_own_home(Profile(authentication_url=URL, home_url=f"{URL}/?home=1"))


@pytest.mark.parametrize(
    ("asks", "url", "facts", "is_signed_in"),
    [
        ((), URL, {"canSignOut": True}, True),
        ((), HOME, {}, True),
        ((), HOME, {"signedOut": ["Please sign in"]}, False),
        (("password",), HOME, {}, False),
        ((), "https://bank.example/otp", {}, False),
    ],
)
async def test_a_person_is_done_at_home_or_where_they_can_sign_out(
    site: ScriptedSite, asks: tuple[str, ...], url: str, facts: dict[str, Any], is_signed_in: bool
) -> None:
    site.show(*asks, url=url, **facts)
    site.page.url = url
    assert await is_signed_in_by_hand(site.session, PROFILE) is is_signed_in


class ScriptedHelper:
    """A model that judges and points as the test says."""

    def __init__(self, *, holds: bool = True, controls: tuple[str, ...] = ()) -> None:
        self.holds = holds
        self.asked: list[str] = []
        self.pressed: list[str] = []
        self._controls = list(controls)

    async def check_statement(self, statement: str) -> tuple[bool, str]:
        self.asked.append(statement)
        return self.holds, "because"

    async def find_control(self, instructions: str) -> Any:
        self.asked.append(instructions)
        if not self._controls:
            return None
        name = self._controls.pop(0)

        async def inner_text(**_: float) -> str:
            return name

        async def click(**_: float) -> None:
            self.pressed.append(name)

        return SimpleNamespace(inner_text=inner_text, click=click)


def guided(helper: ScriptedHelper | None) -> FakeSignInContext:
    run = FakeSignInContext()
    run.helper = helper
    return run


def prompted(**fields: Any) -> Profile:
    return Profile(authentication_url=URL, home_url=HOME, **fields)


async def test_a_model_judges_by_the_logins_prompt_or_by_the_plain_question() -> None:
    helper = ScriptedHelper(holds=False)
    assert not await is_confirmed(prompted(login_detection_prompt="Ann's name is shown"), guided(helper))
    assert not await is_confirmed(prompted(use_llm_login_detection=True), guided(helper))
    assert helper.asked[0] == "Ann's name is shown"
    assert "Somebody is signed in" in helper.asked[1]


async def test_without_a_prompt_no_model_is_asked() -> None:
    helper = ScriptedHelper(holds=False)
    assert await is_confirmed(PROFILE, guided(helper))
    assert helper.asked == []


async def test_a_prompt_that_no_model_can_judge_is_reported_and_stops_nobody() -> None:
    run = guided(None)
    assert await is_confirmed(prompted(login_detection_prompt="Hello"), run)
    assert run.events[0][0] == "login.unguided"
    assert "`PAGEHAND_MODEL`" in run.events[0][1]


async def test_a_page_that_the_model_does_not_confirm_fails_the_sign_in() -> None:
    profile = prompted(login_detection_prompt="Hello")
    with pytest.raises(SignInRefused, match="does not show what `loginDetectionPrompt` says"):
        await require_confirmed(login_of(profile), profile, guided(ScriptedHelper(holds=False)))


async def test_what_the_instructions_want_pressed_is_pressed_until_nothing_is_left(
    site: ScriptedSite,
) -> None:
    site.show("user")
    helper = ScriptedHelper(controls=("I am a customer", "Use a password"))
    run = guided(helper)
    await press_instructed_controls(
        site.session, prompted(login_instructions_prompt="Choose customer"), run, AT_ONCE
    )
    assert helper.pressed == ["I am a customer", "Use a password"]
    assert [kind for kind, _ in run.events] == ["login.guided", "login.guided"]


async def test_a_control_that_cannot_be_undone_is_not_pressed_for_a_model(site: ScriptedSite) -> None:
    site.show("user")
    helper = ScriptedHelper(controls=("Delete my account", "Next"))
    run = guided(helper)
    await press_instructed_controls(site.session, prompted(login_instructions_prompt="Go on"), run, AT_ONCE)
    assert helper.pressed == []
    assert run.events == [
        ("login.unguided", "“Delete my account” was not pressed: it may do what cannot be undone")
    ]


async def test_a_model_that_never_stops_pointing_is_followed_only_so_often(site: ScriptedSite) -> None:
    site.show("user")
    helper = ScriptedHelper(controls=("Next",) * 50)
    await press_instructed_controls(
        site.session, prompted(login_instructions_prompt="Go on"), guided(helper), AT_ONCE
    )
    assert helper.pressed == ["Next"] * 5


@pytest.mark.parametrize("has_model", [True, False])
async def test_instructions_need_both_words_and_a_model(site: ScriptedSite, has_model: bool) -> None:
    site.show("user")
    helper = ScriptedHelper(controls=("Next",))
    run = guided(helper if has_model else None)
    instructions = "" if has_model else "Go on"
    await press_instructed_controls(
        site.session, prompted(login_instructions_prompt=instructions), run, AT_ONCE
    )
    assert helper.pressed == []
    assert bool(run.events) is not has_model

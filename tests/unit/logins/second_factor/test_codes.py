"""Where a sign-in's codes come from, which are used again, and how often one may be tried."""

import asyncio

import pytest

from pagehand.logins import failures
from pagehand.logins.credentials import Credentials
from pagehand.logins.profile import Method, Profile, TwoFactor
from pagehand.logins.second_factor import codes as codes_module
from pagehand.logins.second_factor.codes import Inbox, SecondFactor
from pagehand.logins.second_factor.totp import TotpCode, code_at
from pagehand.secrets.vault import Secret
from support.logins import SEED, SITE, FakeSignInContext, login_of
from support.scripted_site import ScriptedSite

pytestmark = pytest.mark.anyio
ASKED = ScriptedSite().show("code")
"""What the page asks with; no code is read off it."""


class ScriptedInbox:
    """Gives what the test has put in, or waits for ever."""

    def __init__(self, *messages: str | Exception) -> None:
        self.messages = list(messages)
        self.asked: list[tuple[float, frozenset[str]]] = []
        self.was_given_up = False

    async def code(self, *, since: float, used: frozenset[str]) -> str:
        self.asked.append((since, used))
        return await self._next()

    async def link(self, *, since: float) -> str:
        self.asked.append((since, frozenset()))
        return await self._next()

    async def _next(self) -> str:
        if not self.messages:
            try:
                await asyncio.Event().wait()
            finally:
                self.was_given_up = True
        message = self.messages.pop(0)
        if isinstance(message, Exception):
            raise message
        return message


def factor(
    run: FakeSignInContext, method: Method, *, seed: str = "", inbox: Inbox | None = None
) -> SecondFactor:
    profile = Profile(authentication_url=SITE, home_url=SITE, two_factor=TwoFactor(method=method))
    credentials = Credentials(totp_seed=Secret(seed))
    return SecondFactor(login_of(profile, credentials), profile, credentials, run, inbox)


class Clock:
    """The time of codes, which sleeping moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, now: float) -> None:
        self.now = now
        self.slept: list[float] = []
        monkeypatch.setattr(codes_module, "code_now", self.code)
        monkeypatch.setattr(codes_module.asyncio, "sleep", self.sleep)

    def code(self, seed: str) -> TotpCode:
        return code_at(seed, self.now)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


async def test_a_computed_code_is_typed_at_once_and_kept_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, run = Clock(monkeypatch, 600.0), FakeSignInContext()
    code = await factor(run, "TOTP", seed=SEED).code(ASKED, since=0, refused="")
    assert code == code_at(SEED, 600).code
    assert run.secrets == [code]
    assert not clock.slept
    assert not run.waits


async def test_a_code_that_is_about_to_end_is_not_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, run = Clock(monkeypatch, 628.0), FakeSignInContext()
    assert await factor(run, "TOTP", seed=SEED).code(ASKED, since=0, refused="") == code_at(SEED, 631).code
    assert clock.slept == [2.2]
    assert run.events == [("login.waiting", "Waiting 2 s for a fresh code")]


async def test_a_code_is_typed_once_unless_the_site_has_not_looked_at_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Clock(monkeypatch, 600.0)
    second = factor(FakeSignInContext(), "TOTP", seed=SEED)
    first = await second.code(ASKED, since=0, refused="")
    second.take_back()
    assert await second.code(ASKED, since=0, refused="") == first
    assert await second.code(ASKED, since=0, refused="") != first


async def test_codes_nobody_watches_over_are_tried_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch, 600.0)
    second = factor(FakeSignInContext(), "TOTP", seed=SEED)
    for is_left in (True, False):
        await second.code(ASKED, since=0, refused="")
        assert second.may_try_again is is_left


async def test_taking_back_before_any_code_was_used_changes_nothing() -> None:
    second = factor(FakeSignInContext(), "TOTP", seed=SEED)
    second.take_back()
    assert second.may_try_again


async def test_a_person_may_try_as_often_as_they_like() -> None:
    run = FakeSignInContext()
    second = factor(run, "SMS")
    for number in range(4):
        run.submit(f"12345{number}")
        assert await second.code(ASKED, since=0, refused="wrong") == f"12345{number}"
        assert second.may_try_again
    assert run.waits[0] == ("The site asks for a code to sign in with `Bank`", "wrong")


@pytest.mark.parametrize(
    ("method", "seed", "at_hand"), [("TOTP", SEED, True), ("TOTP", "", False), ("SMS", SEED, False)]
)
async def test_a_code_is_at_hand_only_with_the_method_and_a_seed(
    method: Method, seed: str, at_hand: bool
) -> None:
    assert factor(FakeSignInContext(), method, seed=seed).is_at_hand is at_hand


async def test_a_code_comes_by_mail_and_used_ones_are_named() -> None:
    inbox = ScriptedInbox("111222", "333444")
    second = factor(FakeSignInContext(), "Email", inbox=inbox)
    assert await second.code(ASKED, since=5, refused="") == "111222"
    assert await second.code(ASKED, since=7, refused="wrong") == "333444"
    assert inbox.asked == [(5, frozenset()), (7, frozenset({"111222"}))]
    assert not second.may_try_again


async def test_a_person_may_be_quicker_than_the_mail() -> None:
    run, inbox = FakeSignInContext(), ScriptedInbox()
    run.submit("987654")
    assert await factor(run, "Email", inbox=inbox).code(ASKED, since=0, refused="") == "987654"
    assert run.secrets == ["987654"]


async def test_the_mail_is_given_up_when_a_person_hands_in_a_code() -> None:
    run, inbox = FakeSignInContext(), ScriptedInbox()
    asyncio.get_running_loop().call_later(0.001, run.submit, "987654")
    assert await factor(run, "Email", inbox=inbox).code(ASKED, since=0, refused="") == "987654"
    assert inbox.was_given_up


@pytest.mark.parametrize("_", range(5))
async def test_a_code_that_comes_together_with_the_end_of_the_wait_for_mail_is_used(_: int) -> None:
    """Several times, because which of two finished tasks a set gives first is a matter of chance."""
    run = FakeSignInContext()

    class LateMail(ScriptedInbox):
        async def code(self, *, since: float, used: frozenset[str]) -> str:
            del since, used
            run.submit("987654")
            raise failures.mail_not_received("Bank", "a code", "`a@b.example`", 60)

    assert await factor(run, "Email", inbox=LateMail()).code(ASKED, since=0, refused="") == "987654"


async def test_no_mail_fails_the_first_time() -> None:
    inbox = ScriptedInbox(failures.mail_not_received("Bank", "a code", "`a@b.example`", 60))
    with pytest.raises(failures.MailNotReceived, match=r"came to `a@b.example` within 60 s"):
        await factor(FakeSignInContext(), "Email", inbox=inbox).code(ASKED, since=0, refused="")


async def test_the_inbox_is_only_for_logins_whose_codes_come_by_mail() -> None:
    inbox = ScriptedInbox("111222")
    assert await factor(FakeSignInContext(), "SMS", inbox=inbox).link(since=0) is None
    assert inbox.asked == []


async def test_a_link_by_mail_is_kept_secret() -> None:
    run, inbox = FakeSignInContext(), ScriptedInbox("https://bank.example/magic?t=1")
    assert await factor(run, "Email", inbox=inbox).link(since=3) == "https://bank.example/magic?t=1"
    assert run.secrets == ["https://bank.example/magic?t=1"]
    assert run.waits == [("Waiting for a link by mail for `Bank`", "")]

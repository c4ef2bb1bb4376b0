"""The steps of a sign-in: see what the page asks for, answer it, and judge what comes next."""

import asyncio
import time
from typing import Final

from playwright.async_api import Error as PlaywrightError

from pagehand.browser_session import PageSession
from pagehand.errors import SiteDown
from pagehand.logins.credentials import Credentials
from pagehand.logins.profile import Method, Profile
from pagehand.logins.second_factor.codes import SecondFactor
from pagehand.logins.sign_in import failures
from pagehand.logins.sign_in.form import Asked, Form, read_form
from pagehand.logins.sign_in.pace import Pace
from pagehand.logins.sign_in.run import SignInContext
from pagehand.logins.sign_in.signed_in import is_sign_in_form, is_sign_in_page, leads_back, path_of
from pagehand.logins.sign_in.site import site_of
from pagehand.logins.sign_in.traffic import Traffic
from pagehand.logins.sign_in.typing import choose, press, send, tick, type_code, type_text
from pagehand.records import Login

_POLL_SECONDS: Final = 0.1
_CLIENT_ERROR: Final = 400
_CHANNELS: Final[dict[Method, str]] = {
    "TOTP": "totp|authenticator|app",
    "Email": "mail",
    "SMS": "sms|text|phone",
    "None": "$.",  # nothing: a person may have any of them
}
"""What sites call the ways in which a code comes."""


class Steps:
    """One sign-in in one browser: answers each step once."""

    def __init__(
        self,
        session: PageSession,
        login: Login,
        profile: Profile,
        credentials: Credentials,
        factor: SecondFactor,
        run: SignInContext,
        pace: Pace,
        *,
        refused: str = "",
    ) -> None:
        """`refused` is the site's answer to the code of an earlier sign-in that it ended."""
        self._session = session
        self._login = login
        self._profile = profile
        self._credentials = credentials
        self._factor = factor
        self._run = run
        self._pace = pace
        self._site = site_of(profile)
        self._traffic = Traffic(session.page.context)
        self._answered: set[Asked] = set()
        self._typed_at: set[str] = set()
        self._sent: Form | None = None
        self._dialog_text = ""
        self._sent_at = time.time()
        self._refused = refused
        self.doubt = ""
        """A text of the last page that looks like a refusal, although the page offers to sign out."""
        self._has_opened_form = False
        self._has_opened_link = False
        self._has_asked = False
        self._has_grown_once = False
        self._agreed: set[tuple[str, float]] = set()

    @property
    def typed_at(self) -> frozenset[str]:
        """The pages on which something was typed."""
        return frozenset(self._typed_at)

    @property
    def has_typed_code(self) -> bool:
        """True when a code was sent."""
        return "code" in self._answered

    @property
    def has_answered(self) -> bool:
        """False while nothing had to be typed."""
        return bool(self._answered)

    async def walk(self) -> None:
        """Answer what the site asks for until it asks for nothing more."""
        with self._traffic:
            while form := await self._next():
                await self._answer(form)

    async def _next(self) -> Form | None:
        """The next form to answer; None once the site has let us in."""
        since = time.monotonic()
        quiet_since = since
        while True:
            form = await self._look()
            waited = time.monotonic() - since
            # a page counts as quiet only while it shows no form and waits for no answer
            if form is None or self._is_asking(form) or self._traffic.is_busy:
                quiet_since = time.monotonic()
            if form is not None:
                if self._is_new_question(form) or (
                    self._is_asking(form) and self._wants_fresh_code(form, waited)
                ):
                    return form
                if not self._is_asking(form):
                    if await self._went_on(form):
                        since = quiet_since = time.monotonic()
                        continue
                    if self._is_in(form, time.monotonic() - quiet_since):
                        return None
                    await self._open_form(form, waited)
            self._check_patience(form, waited)
            await asyncio.sleep(_POLL_SECONDS)

    async def _look(self) -> Form | None:
        page = self._session.page
        try:
            form = await read_form(page)
        except PlaywrightError:
            if page is self._session.page:
                raise
            return None  # a window of the sign-in closed itself; go on in the one that opened it
        if self._traffic.server_error:
            raise SiteDown(f"Signing in with `{self._login.name}` failed: {self._traffic.server_error}.")
        return form

    def _is_asking(self, form: Form) -> bool:
        """Whether its fields belong to the sign-in: behind it, they may be a profile's or a newsletter's."""
        # before the password any field is the sign-in's: there is nothing behind it yet
        if "password" not in self._answered:
            return bool(form.asks)
        if not form.asks - {"username"}:
            is_own = is_sign_in_page(form, self._profile, self._typed_at) or bool(form.complaints)
            return bool(form.asks) and not form.can_sign_out and is_own
        return is_sign_in_form(form, self._profile, self._typed_at) or self._may_want_code(form)

    def _may_want_code(self, form: Form) -> bool:
        """Whether a field that might be for a code is for the second factor: not on a page of the account."""
        is_home = path_of(form.frame.url) == path_of(self._profile.home_url)
        return "code" in form.asks - self._answered and not is_home and not form.can_sign_out

    def _is_new_question(self, form: Form) -> bool:
        if not self._is_asking(form) or not form.asks - self._answered:
            return False
        # a code field beside a repeated question for the password is not new if the password was wrong
        is_wrong = "password" in form.asks & self._answered and bool(self._new_complaints(form))
        return not is_wrong

    def _new_complaints(self, form: Form) -> list[str]:
        return self._new(form, form.complaints)

    def _new(self, form: Form, complaints: list[str]) -> list[str]:
        """Without what the same document showed before anything was sent."""
        is_same = self._sent is not None and form.document == self._sent.document
        known = [*self._sent.complaints, *self._sent.refusals] if self._sent and is_same else []
        return [text for text in complaints if text not in known]

    def _wants_fresh_code(self, form: Form, waited: float) -> bool:
        """Judge a page that asks for what it was given: a fresh code may help, all else is a refusal."""
        same_document = self._sent is not None and form.document == self._sent.document
        complaints = self._new_complaints(form) or [self._dialog_text]
        # a script may clear and refill its form: the same fields are a refusal only after a while
        if not complaints[0] and waited < (self._pace.verdict if same_document else self._pace.again):
            return False
        words = complaints[0] or next(iter(form.notices), "")
        # as forms do that show the field for the code only after the first try
        if self._has_grown(form) and not complaints[0]:
            return True
        is_code = "code" in self._answered
        if "code" in form.asks and is_code:
            is_code = "password" not in form.asks or failures.is_about_code(words)
            # one more code for a locked account would only keep it locked
            if is_code and self._factor.may_try_again and not failures.is_lock(words):
                self._refused = words
                return True
        raise failures.refused(self._login.name, form, words, is_code=is_code)

    def _has_grown(self, form: Form) -> bool:
        """Whether the form came back with more to fill in: then it is answered once more."""
        has_grown = (
            self._sent is not None and form.controls > self._sent.controls and not self._has_grown_once
        )
        if has_grown:
            self._has_grown_once = True
            self._factor.take_back()
        return has_grown

    def _is_in(self, form: Form, quiet: float) -> bool:
        """Whether a page without a form may mean that someone is signed in; `see_home` makes sure."""
        if self._sent is None:
            is_home = path_of(form.frame.url) == path_of(self._profile.home_url)
            is_elsewhere = path_of(form.frame.url) != path_of(self._profile.authentication_url)
            return form.can_sign_out or (is_home and is_elsewhere and quiet >= self._pace.again)
        self._check_refusal(form, quiet)
        # a way to sign out proves nothing while the code is still to come
        expects_code = self._profile.two_factor.always_required and "code" not in self._answered
        if form.can_sign_out and not expects_code:
            return True
        if "password" not in self._answered and self._credentials.password:
            return False  # the password step is still to come
        has_moved_on = form.document != self._sent.document and not expects_code
        return quiet >= (self._pace.settle if has_moved_on else self._pace.linger)

    def _check_refusal(self, form: Form, quiet: float) -> None:
        """Judge what a page without a form says to what it was sent; `doubt` is what makes one look twice."""
        is_sign_in_page = path_of(form.frame.url) in self._typed_at
        complaints = self._new(form, [*form.refusals, *(form.complaints if is_sign_in_page else [])])
        is_error = self._traffic.status >= _CLIENT_ERROR and form.document != (self._sent or form).document
        if is_error:
            complaints.append(form.words or f"status {self._traffic.status}")
        self.doubt = next(iter(complaints), "")
        if not self.doubt and leads_back(form, self._profile, self._typed_at) and not form.can_sign_out:
            self.doubt = form.words
            return
        # an error page of somebody signed in is not a refusal, and a page may change its mind at once
        if self.doubt and not form.can_sign_out and quiet >= self._pace.settle:
            raise failures.refused(self._login.name, form, self.doubt, is_code="code" in self._answered)

    async def _went_on(self, form: Form) -> bool:
        """Answer a page without fields that wants a word before it goes on; True when it did."""
        if self._sent is None or form.can_sign_out:
            return False
        # once per document: a page that asks again after yes would be answered for ever
        if form.question and form.document not in self._agreed:
            await self._agree(form)
            return True
        if form.has_sent_link and not self._has_opened_link:
            self._has_opened_link = True
            link = await self._factor.link(since=self._sent_at)
            if link is not None:
                await self._open_link(link)
                return True
        return False

    async def _agree(self, form: Form) -> None:
        """Let the application in that the login is for; stay signed in only if the session is to be kept."""
        self._check_place(form)
        self._agreed.add(form.document)
        agrees = form.question == "grant" or self._profile.persist_session
        button = form.yes if agrees else form.no
        words = {"grant": "Agreed to let the application in", "stay": "Answered whether to stay signed in"}
        self._run.tell("login.agreed", words[form.question], {"url": form.address})
        async with self._session.acting():
            if button is not None:
                await press(button, self._pace.appear * 1000)

    async def _open_link(self, link: str) -> None:
        if not self._site.includes(link):
            raise failures.strange_link(self._login.name, link, self._site)
        self._run.tell("login.link", "Opening the link that came by mail", {})
        self._answered.add("code")
        await self._session.goto(
            link, wait_until="load", referer=None, allow_error_status=True, timeout_seconds=self._pace.verdict
        )

    async def _open_form(self, form: Form, waited: float) -> None:
        # pressed at most once: what opens the form may also close it
        if self._sent or self._has_opened_form or form.opener is None or waited < self._pace.again:
            return
        self._has_opened_form = True
        async with self._session.acting():
            await form.opener.click(timeout=self._pace.appear * 1000)

    def _check_patience(self, form: Form | None, waited: float) -> None:
        patience = self._pace.verdict if self._sent or form is None else self._pace.appear
        if waited >= patience:
            raise failures.nothing_came(
                self._login.name, form, self._session.page.url, waited, has_begun=self._sent is not None
            )

    async def _answer(self, form: Form) -> None:
        """Fill in what the form asks for and send it."""
        self._check_place(form)
        if self._must_ask_for_code(form):
            await self._ask_for_code(form)
            return
        code = ""
        if form.code and ("password" in self._answered or not form.password or self._wants_code_at_once):
            code = await self._factor.code(form, since=self._sent_at, refused=self._refused)
            self._refused = ""
            form = await self._as_it_is_now(form)
        given = await self._fill_in(form, code)
        self._answered.update(given)
        # before it is sent: what comes next is judged by where this was typed
        self._typed_at.add(path_of(form.frame.url))
        self._sent = form
        await self._remember_me(form)
        self._run.tell("login.submitted", f"Typed the {' and the '.join(given)}", {"url": form.address})
        self._sent_at = time.time()
        self._dialog_text = await send(self._session, form)

    def _check_place(self, form: Form) -> None:
        if not self._site.includes(form.frame.url):
            raise failures.strange_place(self._login.name, form, self._site)

    def _wants_password(self, form: Form) -> bool:
        """Whether the password is to be typed: once, and again where a site wants the code beside it."""
        return form.password is not None and ("password" not in self._answered or bool(form.code))

    def _must_ask_for_code(self, form: Form) -> bool:
        """Whether the site sends a code only when a button asks it to."""
        is_due = "password" in self._answered or form.password is None
        return form.asker is not None and is_due and not self._has_asked and not self._factor.is_at_hand

    async def _ask_for_code(self, form: Form) -> None:
        self._has_asked = True
        await self._fill_in(form, "")
        self._sent, self._sent_at = form, time.time()
        self._run.tell("login.asked", "Asked the site to send a code", {"url": form.address})
        async with self._session.acting():
            if form.asker is not None:
                await press(form.asker, self._pace.appear * 1000)

    async def _as_it_is_now(self, form: Form) -> Form:
        """The form after a wait, during which the page may have been loaded anew."""
        now = await self._look()
        if now is None or not now.code:
            return form
        self._check_place(now)
        return now

    async def _fill_in(self, form: Form, code: str) -> list[Asked]:
        given: list[Asked] = []
        if form.user and ("password" not in self._answered or self._wants_password(form)):
            await type_text(form.user, self._login.username, "user name")
            given.append("username")
        if self._wants_password(form):
            await self._type_password(form)
            given.append("password")
        if form.chooser is not None:
            await choose(form.chooser, _CHANNELS[self._profile.two_factor.method])
        if code:
            # masked first: a picture may be taken between typing and sending
            for field in form.code:
                await self._session.mask(field)
            await type_code(form.code, code)
            given.append("code")
        return given

    async def _type_password(self, form: Form) -> None:
        if form.password is None or not self._credentials.password:
            raise failures.no_password(self._login.name, form)
        await self._session.mask(form.password)
        await type_text(form.password, self._credentials.password.reveal(), "password")

    @property
    def _wants_code_at_once(self) -> bool:
        """Whether a code beside the password is filled in with it, or left empty until the site insists."""
        two_factor = self._profile.two_factor
        return self._factor.is_at_hand or (two_factor.always_required and two_factor.method == "None")

    async def _remember_me(self, form: Form) -> None:
        """A session that is to be kept is one the site should keep, too."""
        if form.remember is not None and self._profile.persist_session:
            await tick(form.remember)

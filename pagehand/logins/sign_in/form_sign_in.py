"""Signs in through a site's forms: sees what the page asks for, answers it, and judges what comes next."""

import asyncio
import time
from typing import Final

from playwright.async_api import Error as PlaywrightError

from pagehand.browser import BrowserSession
from pagehand.browser_session import addresses_of
from pagehand.errors import SiteDown
from pagehand.logins import failures
from pagehand.logins.credentials import Credentials
from pagehand.logins.profile import Method, Profile, login_site
from pagehand.logins.second_factor.codes import SecondFactor
from pagehand.logins.sign_in.detection import SignInTimeouts, path_of
from pagehand.logins.sign_in.form_filling import (
    RequestTracker,
    choose,
    press,
    submit,
    tick,
    type_code,
    type_text,
)
from pagehand.logins.sign_in.progress import SignInProgress
from pagehand.logins.sign_in_context import SignInContext
from pagehand.logins.sign_in_form import FieldKind, SignInForm, read_form
from pagehand.records import Login

_POLL_SECONDS: Final = 0.1
_CHANNELS: Final[dict[Method, str]] = {
    "TOTP": "totp|authenticator|app",
    "Email": "mail",
    "SMS": "sms|text|phone",
    "None": "$.",  # matches nothing: a person may use any of them
}
"""What sites call the channels a code comes by, as regular expressions."""


class FormSignIn:
    """One sign-in in one browser; answers each form once."""

    def __init__(
        self,
        session: BrowserSession,
        login: Login,
        profile: Profile,
        credentials: Credentials,
        factor: SecondFactor,
        run: SignInContext,
        timeouts: SignInTimeouts,
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
        self._timeouts = timeouts
        self._progress = SignInProgress(login, profile, credentials, factor, timeouts, refused)
        self._site = login_site(profile)
        self._requests = RequestTracker(session.page.context)
        self._has_opened_form = False
        self._has_opened_link = False
        self._has_requested_code = False
        self._agreed: set[tuple[str, float]] = set()

    @property
    def typed_at(self) -> frozenset[str]:
        """The pages on which something was typed."""
        return frozenset(self._progress.typed_at)

    @property
    def doubt(self) -> str:
        """A text of the last page that looks like a refusal, although the page offers to sign out."""
        return self._progress.doubt

    @property
    def first_refusal(self) -> str:
        """The first text after something was sent that looks like a refusal."""
        return self._progress.first_refusal

    @property
    def has_typed_code(self) -> bool:
        """Whether a code was sent."""
        return "code" in self._progress.answered

    @property
    def has_answered(self) -> bool:
        """False while nothing had to be typed."""
        return bool(self._progress.answered)

    async def run(self) -> None:
        """Answer forms until the site asks for nothing more."""
        with self._requests:
            while form := await self._next_form():
                await self._answer(form)

    async def _next_form(self) -> SignInForm | None:
        """The next form to answer; None once the site has let us in."""
        progress = self._progress
        since = quiet_since = time.monotonic()
        while True:
            form = await self._read_form()
            waited = time.monotonic() - since
            # a page counts as quiet only while it shows no form and waits for no response
            if form is None or progress.is_asking(form) or self._requests.is_busy:
                quiet_since = time.monotonic()
            if form is not None and progress.is_asking(form):
                if progress.is_new_question(form) or progress.wants_fresh_code(form, waited):
                    return form
            elif form is not None:
                if await self._pass_intermediate_page(form):
                    since = quiet_since = time.monotonic()
                    continue
                if progress.is_signed_in(form, time.monotonic() - quiet_since, self._requests.status):
                    return None
                await self._open_form(form, waited)
            self._check_timeout(form, waited)
            await asyncio.sleep(_POLL_SECONDS)

    async def _read_form(self) -> SignInForm | None:
        page = self._session.page
        try:
            form = await read_form(page)
        except PlaywrightError:
            if page is self._session.page:
                raise
            return None  # a window of the sign-in closed itself; continue in the one that opened it
        if self._requests.server_error:
            raise SiteDown(f"Signing in with `{self._login.name}` failed: {self._requests.server_error}.")
        return form

    async def _pass_intermediate_page(self, form: SignInForm) -> bool:
        """Answer a page that asks a question or has mailed a link; False for any other page."""
        if self._progress.sent is None or form.can_sign_out:
            return False
        # once per document: a page that asks again after yes would be answered forever
        if form.question and form.document not in self._agreed:
            await self._agree(form)
            return True
        if form.has_sent_link and not self._has_opened_link:
            self._has_opened_link = True
            link = await self._factor.link(since=self._progress.sent_at)
            if link is not None:
                await self._open_link(link)
                return True
        return False

    async def _agree(self, form: SignInForm) -> None:
        """Grant access to the application the login is for; stay signed in only to keep the session."""
        self._check_site(form)
        self._agreed.add(form.document)
        agrees = form.question == "grant" or self._profile.persist_session
        button = form.agree_button if agrees else form.decline_button
        words = {"grant": "Agreed to let the application in", "stay": "Answered whether to stay signed in"}
        self._run.emit("login.agreed", words[form.question], {"url": form.address})
        async with self._session.acting():
            if button is not None:
                await press(button, self._timeouts.form_seconds * 1000)

    async def _open_link(self, link: str) -> None:
        if not self._site.includes(link):
            raise failures.foreign_link(self._login.name, link, self._site)
        self._run.emit("login.link", "Opening the link that came by mail", {})
        self._progress.answered.add("code")
        await self._session.goto(
            link,
            wait_until="load",
            referer=None,
            allow_error_status=True,
            timeout_seconds=self._timeouts.answer_seconds,
        )

    async def _open_form(self, form: SignInForm, waited: float) -> None:
        # pressed at most once: what opens the form may also close it
        has_begun = self._progress.sent is not None or self._has_opened_form
        if has_begun or form.form_opener is None or waited < self._timeouts.repeat_seconds:
            return
        self._has_opened_form = True
        async with self._session.acting():
            await press(form.form_opener, self._timeouts.form_seconds * 1000)

    def _check_timeout(self, form: SignInForm | None, waited: float) -> None:
        has_begun = self._progress.sent is not None
        awaits_answer = has_begun or form is None
        if waited >= (self._timeouts.answer_seconds if awaits_answer else self._timeouts.form_seconds):
            raise failures.nothing_appeared(
                self._login.name, form, self._session.page.url, waited, has_begun=has_begun
            )

    async def _answer(self, form: SignInForm) -> None:
        """Fill in what the form asks for and send it."""
        self._check_site(form)
        if self._must_request_code(form):
            await self._request_code(form)
            return
        progress = self._progress
        code = ""
        if form.code and ("password" in progress.answered or not form.password or self._sends_code_at_once):
            code = await self._factor.code(form, since=progress.sent_at, refused=progress.refused)
            progress.refused = ""
            form = await self._reread(form)
        given = await self._fill_in(form, code)
        progress.answered.update(given)
        # before it is sent: the next page is judged by where this was typed
        progress.typed_at.add(path_of(form.frame.url))
        progress.sent = form
        await self._tick_remember_me(form)
        self._run.emit("login.submitted", f"Typed the {' and the '.join(given)}", {"url": form.address})
        progress.sent_at = time.time()
        progress.dialog_text = await submit(self._session, form)

    def _check_site(self, form: SignInForm) -> None:
        for url in addresses_of(form.frame):
            if not self._site.includes(url):
                raise failures.foreign_page(self._login.name, form, url, self._site)

    def _must_request_code(self, form: SignInForm) -> bool:
        """Whether the site sends a code only after a button is pressed."""
        is_due = "password" in self._progress.answered or form.password is None
        is_first = not self._has_requested_code and not self._factor.is_at_hand
        return form.send_code_button is not None and is_due and is_first

    async def _request_code(self, form: SignInForm) -> None:
        self._has_requested_code = True
        await self._fill_in(form, "")
        self._progress.sent, self._progress.sent_at = form, time.time()
        self._run.emit("login.asked", "Asked the site to send a code", {"url": form.address})
        async with self._session.acting():
            if form.send_code_button is not None:
                await press(form.send_code_button, self._timeouts.form_seconds * 1000)

    async def _reread(self, form: SignInForm) -> SignInForm:
        """The form after a wait, during which the page may have been loaded again."""
        now = await self._read_form()
        if now is None or not now.code:
            return form
        self._check_site(now)
        return now

    async def _fill_in(self, form: SignInForm, code: str) -> list[FieldKind]:
        given: list[FieldKind] = []
        if form.user and ("password" not in self._progress.answered or self._wants_password(form)):
            await type_text(form.user, self._login.username, "user name")
            given.append("username")
        if self._wants_password(form):
            await self._type_password(form)
            given.append("password")
        if form.channel_select is not None:
            await choose(form.channel_select, _CHANNELS[self._profile.two_factor.method])
        if code:
            # masked first: a picture may be taken between typing and sending
            for field in form.code:
                await self._session.hold_secret(field, code)
            await type_code(form.code, code)
            given.append("code")
        return given

    def _wants_password(self, form: SignInForm) -> bool:
        """Whether to type the password: once, and again where a site wants the code beside it."""
        return form.password is not None and ("password" not in self._progress.answered or bool(form.code))

    async def _type_password(self, form: SignInForm) -> None:
        if form.password is None or not self._credentials.password:
            raise failures.no_password(self._login.name, form)
        password = self._credentials.password.reveal()
        await self._session.hold_secret(form.password, password)
        await type_text(form.password, password, "password")

    @property
    def _sends_code_at_once(self) -> bool:
        """Whether a code beside the password is filled in with it, or left empty until the site insists."""
        two_factor = self._profile.two_factor
        return self._factor.is_at_hand or (two_factor.always_required and two_factor.method == "None")

    async def _tick_remember_me(self, form: SignInForm) -> None:
        if form.remember_box is not None and self._profile.persist_session:
            await tick(form.remember_box)

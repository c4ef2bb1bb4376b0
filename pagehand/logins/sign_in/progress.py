"""How far a sign-in has come: what was typed and sent, and what the next page makes of it."""

import time
from typing import Final

from pagehand.logins import failures
from pagehand.logins.credentials import Credentials
from pagehand.logins.profile import Profile
from pagehand.logins.second_factor.codes import SecondFactor
from pagehand.logins.sign_in.detection import (
    SignInTimeouts,
    is_sign_in_form,
    is_sign_in_page,
    leads_back,
    path_of,
)
from pagehand.logins.sign_in_form import FieldKind, SignInForm
from pagehand.records import Login

_CLIENT_ERROR: Final = 400


class SignInProgress:
    """What one sign-in has answered so far; judges pages by it without touching them."""

    def __init__(
        self,
        login: Login,
        profile: Profile,
        credentials: Credentials,
        factor: SecondFactor,
        timeouts: SignInTimeouts,
        refused: str,
    ) -> None:
        self._login = login
        self._profile = profile
        self._credentials = credentials
        self._factor = factor
        self._timeouts = timeouts
        self.answered: set[FieldKind] = set()
        self.typed_at: set[str] = set()
        """The pages on which something was typed."""
        self.sent: SignInForm | None = None
        """The form that was sent last, as it was then."""
        self.sent_at = time.time()
        self.dialog_text = ""
        """The text of a dialog that opened when the form was sent."""
        self.refused = refused
        """Why the site refused the last code."""
        self.doubt = ""
        """A text of the last page that looks like a refusal, although the page offers to sign out."""
        self.first_refusal = ""
        """The first text after something was sent that looks like a refusal; later ones follow from it."""
        self._has_grown_once = False

    def is_asking(self, form: SignInForm) -> bool:
        """Whether its fields belong to the sign-in: after it, they may be a profile's or a newsletter's."""
        # before the password every field belongs to the sign-in: no other page can be reached yet
        if "password" not in self.answered:
            return bool(form.asks)
        if not form.asks - {"username"}:
            is_own = is_sign_in_page(form, self._profile, self.typed_at) or bool(form.complaints)
            return bool(form.asks) and not form.can_sign_out and is_own
        return is_sign_in_form(form, self._profile, self.typed_at) or self._may_want_code(form)

    def _may_want_code(self, form: SignInForm) -> bool:
        """Whether a possible code field is for the second factor: not on a page of the account."""
        is_home = path_of(form.frame.url) == path_of(self._profile.home_url)
        return "code" in form.asks - self.answered and not is_home and not form.can_sign_out

    def is_new_question(self, form: SignInForm) -> bool:
        """Whether the form asks for something that was not typed yet."""
        if not self.is_asking(form) or not form.asks - self.answered:
            return False
        # a code field beside a repeated question for the password is not new if the password was wrong
        is_wrong = "password" in form.asks & self.answered and bool(self._new_texts(form, form.complaints))
        return not is_wrong

    def _new_texts(self, form: SignInForm, complaints: list[str]) -> list[str]:
        """Without what the same document showed before anything was sent."""
        is_same = self.sent is not None and form.document == self.sent.document
        known = [*self.sent.complaints, *self.sent.refusals] if self.sent and is_same else []
        return [text for text in complaints if text not in known]

    def wants_fresh_code(self, form: SignInForm, waited: float) -> bool:
        """Judge a page that asks again for what it was given: raises a refusal unless a new code may help."""
        same_document = self.sent is not None and form.document == self.sent.document
        complaint = next(iter(self._new_texts(form, form.complaints)), self.dialog_text)
        # a script may clear and refill its form: the same fields are a refusal only after a while
        patience = self._timeouts.answer_seconds if same_document else self._timeouts.repeat_seconds
        if not complaint and waited < patience:
            return False
        # some forms show the field for the code only after the first try
        if self._has_grown(form) and not complaint:
            return True
        words = complaint or next(iter(form.notices), "")
        is_code = "code" in self.answered
        if "code" in form.asks and is_code:
            is_code = "password" not in form.asks or failures.is_about_code(words)
            # another code for a locked account would only keep it locked
            if is_code and self._factor.may_try_again and not failures.is_lock(words):
                self.refused = words
                return True
        raise failures.refused(self._login.name, form, words, is_code=is_code)

    def _has_grown(self, form: SignInForm) -> bool:
        """Whether the form came back with more to fill in: then it is answered once more."""
        has_grown = self.sent is not None and form.controls > self.sent.controls and not self._has_grown_once
        if has_grown:
            self._has_grown_once = True
            self._factor.take_back()
        return has_grown

    def is_signed_in(self, form: SignInForm, quiet: float, status: int) -> bool:
        """Whether a page without a form may mean that someone is signed in; `check_signed_in` makes sure.

        `quiet` is for how many seconds the page has been without a form, `status` its HTTP status. Raises
        the refusal if the page is one.
        """
        if self.sent is None:
            is_home = path_of(form.frame.url) == path_of(self._profile.home_url)
            is_elsewhere = path_of(form.frame.url) != path_of(self._profile.authentication_url)
            is_quiet = quiet >= self._timeouts.repeat_seconds
            return form.can_sign_out or (is_home and is_elsewhere and is_quiet)
        self._check_refusal(form, self.sent, quiet, status)
        # a way to sign out proves nothing while the code is still to come
        expects_code = self._profile.two_factor.always_required and "code" not in self.answered
        if form.can_sign_out and not expects_code:
            return True
        if "password" not in self.answered and self._credentials.password:
            return False  # the password step is still to come
        is_new_page = form.document != self.sent.document and not expects_code
        return quiet >= (self._timeouts.settle_seconds if is_new_page else self._timeouts.linger_seconds)

    def _check_refusal(self, form: SignInForm, sent: SignInForm, quiet: float, status: int) -> None:
        """Raise a refusal if a page without a form is one; sets `doubt` if it may be."""
        is_sign_in_page = path_of(form.frame.url) in self.typed_at
        texts = [*form.refusals, *(form.complaints if is_sign_in_page else [])]
        complaints = self._new_texts(form, texts)
        if status >= _CLIENT_ERROR and form.document != sent.document:
            complaints.append(form.first_line or f"status {status}")
        self.doubt = next(iter(complaints), "")
        self.first_refusal = self.first_refusal or self.doubt
        if not self.doubt and leads_back(form, self._profile, self.typed_at) and not form.can_sign_out:
            self.doubt = form.first_line
            return
        # an error page of someone signed in is not a refusal, and a page may change right after loading
        if self.doubt and not form.can_sign_out and quiet >= self._timeouts.settle_seconds:
            raise failures.refused(self._login.name, form, self.doubt, is_code="code" in self.answered)

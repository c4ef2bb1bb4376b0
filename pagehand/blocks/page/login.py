"""Sign in to a site with a stored login.

Reach for it where the workflow needs an account: `loginId` names one of the organization's logins, or
`isParameter` takes the one the execution was started with. The block opens the login's sign-in page, types
the user name, the password and, where the site asks for it, a one-time code, and goes on at the login's
home page. Nothing is typed on pages that are not the login's own. A browser that is signed in already is
left as it is unless `forceLoginEveryTime` is set.

A login without `supportConcurrentLogins` serves one execution at a time. An execution stays in the queue
until every login that its blocks name, by id or through params, is free; where the login is known only during
the run, the block waits.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pydantic import model_validator

from pagehand.blocks.base import Block
from pagehand.blocks.outcome import Outcome
from pagehand.blocks.run_context import RunContext
from pagehand.errors import BlockFailed
from pagehand.records import Json
from pagehand.workflow import templates
from pagehand.workflow.wire import Text


class Login(Block):
    """Sign in with a stored login."""

    type: ClassVar[str] = "Login"
    title: ClassVar[str] = "Login"
    label: ClassVar[str] = "Sign in"
    menu_position: ClassVar[int] = 9
    sentences: ClassVar[str] = "pagehand.instructions.grammar.signing_in:STORED_LOGIN"
    also_called: ClassVar[tuple[str, ...]] = ("signIn", "authenticate", "logIn", "auth", "credentials")
    needs_page: ClassVar[bool] = True
    changes_page: ClassVar[bool] = True
    names_logins: ClassVar[bool] = True
    default_timeout_seconds: ClassVar[float | None] = None
    fresh_sign_in: ClassVar[Mapping[str, Any] | None] = {
        "loginId": "",
        "isParameter": True,
        "forceLoginEveryTime": True,
    }

    login_id: Text | None = None
    """The stored login; may be left empty with isParameter."""
    is_parameter: bool = False
    """Use the login the execution was started with; loginId then does not matter."""
    force_login_every_time: bool = False
    """Sign in again even if the browser is signed in already."""

    @model_validator(mode="after")
    def _names_a_login(self) -> Self:
        if not self.login_id and not self.is_parameter:
            raise ValueError("give a loginId, or set isParameter to take the execution's")
        return self

    @classmethod
    def takes_login(cls, data: Mapping[str, Any]) -> bool:
        """True when it signs in with the execution's own login."""
        return data.get("isParameter") is True

    @classmethod
    def named_logins(cls, data: Mapping[str, Any], params: Mapping[str, Any]) -> list[str]:
        """The login it names itself; none where that depends on outputs of other blocks."""
        if cls.takes_login(data):
            return []
        try:
            login_id = templates.resolve(data.get("loginId"), {"params": params})
        except BlockFailed:
            return []
        return [login_id] if isinstance(login_id, str) and login_id else []

    async def run(self, ctx: RunContext) -> Outcome:
        """Sign in and end at the login's home page."""
        wanted = None if self.is_parameter else self.login_id
        await ctx.sign_in(wanted, force=self.force_login_every_time)
        return Outcome(message=f"Signed in; now at `{ctx.page.page.url}`", details={"url": ctx.page.page.url})


EXAMPLES: list[Json] = [
    {"type": "Login", "data": {"loginId": "login_01k3v8c2m4e6g8j0n2q4s6t8w0", "forceLoginEveryTime": True}},
    {"type": "Login", "data": {"loginId": "", "isParameter": True}},
]

"""Two-factor codes for authentications that wait for one."""

import re
from typing import Annotated, Any, ClassVar, Final

from msgspec import Meta

from pagehand.api.fields import OpenRequest, View
from pagehand.api.operation import Call, Result, operation
from pagehand.engine.signing_in.codes import CodeTarget
from pagehand.errors import InvalidRequest
from pagehand.records import Json

_SEPARATORS: Final = re.compile(r"[\s-]")
_LENGTHS: Final = range(4, 9)


class SubmitCode(OpenRequest):
    """The code, and where several wait, whose it is."""

    FIELD_HINTS: ClassVar[dict[str, str]] = {
        "id": "did you mean `executionId`, `browserSessionId` or `loginId`?",
        "sessionId": "did you mean `browserSessionId`?",
        "twoFactorAuthCode": "did you mean `code`?",
    }

    code: Annotated[
        str, Meta(max_length=200, description="4 to 8 characters; white space and dashes do not count.")
    ]
    browser_session_id: str | None = None
    execution_id: str | None = None
    login_id: str | None = None


class SubmitCodeAnswer(View):
    """Whether the site took the code."""

    success: bool
    message: str
    data: Any


@operation(
    "/authentication/submitTwoFactorAuthCode",
    scope="run",
    response=SubmitCodeAnswer,
    status=201,
    errors=(404, 409),
    example={"code": "123 456", "executionId": "exec_01k3v8c2m4e6g8j0n2q4s6t8w0"},
)
async def submit_code(call: Call[SubmitCode]) -> Result:
    """Submit the code that an authentication waits for; answers once the site has accepted or refused it."""
    request = call.request
    code = clean_code(request.code)
    verdict = await call.services.engine.submit_code(
        call.organization_id,
        CodeTarget(request.execution_id, request.browser_session_id, request.login_id),
        code,
    )
    data: Json = {
        "executionId": verdict.execution_id,
        "browserSessionId": verdict.browser_session_id,
        "status": verdict.status,
    }
    return SubmitCodeAnswer(success=verdict.success, message=verdict.message, data=data)


def clean_code(text: str) -> str:
    """The code without white space and dashes."""
    # people paste codes as mails and apps show them: `123 456`, `123-456`
    code = _SEPARATORS.sub("", text)
    if len(code) not in _LENGTHS:
        raise InvalidRequest("`code`: expected 4 to 8 characters, white space and dashes not counted")
    return code

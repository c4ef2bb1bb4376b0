"""What each thing of the API looks like, field by field: exact names, exact types, nothing beside them."""

import re
from typing import Any, cast

Json = dict[str, Any]

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
"""ISO 8601, UTC, milliseconds."""


class ListOf:
    """An array whose items all have one shape."""

    def __init__(self, item: Any) -> None:
        self.item = item


class Maybe:
    """A field that may be absent."""

    def __init__(self, shape: Any) -> None:
        self.shape = shape


def misfits(value: Any, shape: Any, at: str = "") -> list[str]:
    """Every place where `value` does not have the shape; a tuple lists alternatives, `None` among them."""
    match shape:
        case dict():
            return _object_misfits(value, cast("Json", shape), at)
        case ListOf():
            if not isinstance(value, list):
                return [f"{at}: no array but {value!r}"]
            items = cast("list[Any]", value)
            return [
                found for n, item in enumerate(items) for found in misfits(item, shape.item, f"{at}[{n}]")
            ]
        case tuple():
            tries = [misfits(value, item, at) for item in cast("tuple[Any, ...]", shape)]
            return min(tries, key=len)
        case _:
            return [] if _is(value, shape) else [f"{at}: {value!r} is no {shape}"]


def _object_misfits(value: Any, shape: Json, at: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{at}: no object but {value!r}"]
    given = cast("Json", value)
    found = [f"{at}.{name}: not announced" for name in given if name not in shape]
    for name, inner in shape.items():
        if name not in given:
            found += [] if isinstance(inner, Maybe) else [f"{at}.{name}: missing"]
        else:
            wanted = inner.shape if isinstance(inner, Maybe) else inner
            found += misfits(given[name], wanted, f"{at}.{name}")
    return found


def _is(value: Any, shape: Any) -> bool:
    if shape is None or shape is Any:
        return shape is Any or value is None
    if isinstance(shape, re.Pattern):
        return isinstance(value, str) and cast("re.Pattern[str]", shape).fullmatch(value) is not None
    if shape in (int, float):
        return isinstance(value, (int,) if shape is int else (int, float)) and not isinstance(value, bool)
    return isinstance(value, shape)


def an_id(prefix: str) -> re.Pattern[str]:
    return re.compile(rf"{prefix}_[0-9a-z]{{26}}")


NAMED: Json = {"id": str, "name": str}
FILE: Json = {
    "id": an_id("file"),
    "name": str,
    "mimeType": str,
    "sizeBytes": int,
    "downloadUrl": re.compile(r"http://\S+"),
    "key": str,
}
BLOCK: Json = {
    "id": str,
    "name": str,
    "blockReferenceId": re.compile(r"[A-Za-z0-9_-]+"),
    "type": str,
    "locator": Maybe((dict, None)),
    "isCacheable": bool,
    "skipIfNotPresent": bool,
    "useWorkflowRecoveryAgent": bool,
    "data": dict,
    "parentRelationship": {
        "blockDepth": int,
        "positionInSequence": int,
        "parentBlockId": (str, None),
        "parentSequenceId": (re.compile("sequence|trueSequence|falseSequence"), None),
    },
}
BLOCK["sequenceData"] = Maybe(
    {
        "sequence": Maybe(ListOf(BLOCK)),
        "trueSequence": Maybe(ListOf(BLOCK)),
        "falseSequence": Maybe(ListOf(BLOCK)),
    }
)
BLOCK["transformerFn"] = Maybe(str)

_AUTHENTICATION: Json = {"browserSessionId": an_id("bs"), "status": str, "liveViewUrl": str}
_CONTEXT_AUTHENTICATION: Json = {
    "contextAuthenticationId": str,
    "loginSummary": {"loginId": str, "name": str, "isManual": bool},
    "authenticationStatus": str,
}
_SHARED: Json = {
    "id": an_id("exec"),
    "workflow": NAMED,
    "batch": (NAMED, None),
    "logins": ListOf(NAMED),
    "authentications": ListOf(_AUTHENTICATION),
    "contextAuthentications": ListOf(_CONTEXT_AUTHENTICATION),
    "startTime": MOMENT,
    "status": re.compile("Enqueued|InProgress|Paused|Completed|Failed"),
    "params": dict,
    "metadata": dict,
    "name": (str, None),
    "attempts": int,
    "totalAttempts": int,
    "isLastAttempt": bool,
    "isTest": bool,
    "parentExecutionId": (str, None),
}
FAILURE: Json = {
    "code": str,
    "message": str,
    "blockId": (str, None),
    "blockReferenceId": (str, None),
    "locator": (dict, None),
    "cancelled": ({"by": str, "at": MOMENT}, None),
}
WAITING: Json = {"kind": str, "reason": str, "since": MOMENT}
LISTED: Json = {
    **_SHARED,
    "truncatedParams": str,
    "endTime": Maybe(MOMENT),
    "durationMs": Maybe(int),
    "failure": Maybe((FAILURE, None)),
    "waiting": Maybe(WAITING),
}
ACTIVE: Json = {
    **_SHARED,
    "waiting": Maybe(WAITING),
    "startBlock": (BLOCK, None),
    "downloads": (
        {
            "status": re.compile("pending|in_progress|success|failed"),
            "files": ListOf(FILE),
            "message": Maybe(str),
        },
        None,
    ),
    "sessionId": (str, None),
    "agentConversationThreadId": (str, None),
    "liveViewUrl": (str, None),
    "browserSessionId": an_id("bs"),
    "browserSessionVendorId": (str, None),
}
FINISHED: Json = {
    **ACTIVE,
    "status": re.compile("Completed|Failed"),
    "durationMs": int,
    "endTime": MOMENT,
    "response": dict,
    "truncatedResponse": str,
    "responseFile": FILE,
    "errorAnalysis": str,
    "failure": (FAILURE, None),
    "summary": str,
    "context": dict,
}
EVENT: Json = {
    "seq": int,
    "at": MOMENT,
    "blockId": (str, None),
    "blockReferenceId": (str, None),
    "type": re.compile(r"[a-z]+\.[a-zA-Z]+"),
    "message": str,
    "data": dict,
    "screenshotUrl": (re.compile(r"http://\S+"), None),
}
WORKFLOW: Json = {
    "id": an_id("wf"),
    "name": str,
    "version": int,
    "blocks": ListOf(BLOCK),
    "output": Any,
    "parameters": ListOf(dict),
    "tags": ListOf(NAMED),
    "retrySafe": bool,
    "pictures": re.compile("all|acts|failures|none"),
    "inputSchema": Maybe(Any),
    "outputSchema": Maybe(Any),
    "createdAt": MOMENT,
    "updatedAt": MOMENT,
}
BATCH: Json = {
    "id": an_id("batch"),
    "name": str,
    "workflow": NAMED,
    "total": int,
    "skipped": int,
    "concurrency": (int, None),
    "createdAt": MOMENT,
    "pausedAt": (MOMENT, None),
    "cancelledAt": (MOMENT, None),
    "progress": {"enqueued": int, "inProgress": int, "paused": int, "completed": int, "failed": int},
    "status": re.compile("running|paused|finished|cancelled"),
}
KEY: Json = {
    "id": an_id("key"),
    "name": (str, None),
    "createdAt": MOMENT,
    "lastUsedAt": (MOMENT, None),
    "revokedAt": (MOMENT, None),
    "scopes": ListOf(str),
}
LOGIN: Json = {
    "id": an_id("login"),
    "organizationId": str,
    "name": str,
    "authenticationUrl": str,
    "homeUrl": str,
    "iconUrl": str,
    "loginConfiguration": {
        "username": str,
        "twoFactorAuthConfiguration": {
            "method": str,
            "alwaysRequired": bool,
            "twoFactorAuthEmail": str,
            "codeSender": str,
            "mailboxUsername": str,
        },
        "additionalCredentials": ListOf({"id": str, "key": str, "value": str}),
    },
    "createdAt": MOMENT,
    "updatedAt": MOMENT,
    "persistSession": bool,
    "isManualAuthentication": bool,
    "supportConcurrentLogins": bool,
    "supportsAgentConcurrency": bool,
    "autoRetryOnServiceDown": bool,
    "autoRetryDelayMinutes": float,
    "autoRetryMaxAttempts": int,
    "useLLMLoginDetection": bool,
    "loginDetectionPrompt": str,
    "loginInstructionsPrompt": str,
    "signInUrls": ListOf(str),
    "useProxy": bool,
}
MESSAGE: Json = {
    "role": re.compile("user|assistant|tool"),
    "parts": ListOf({"type": re.compile("text"), "text": str}),
}

"""Decisions that once stood in several places, and differed: each stands in one file."""

import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "pagehand"


@pytest.mark.parametrize(
    ("decision", "place"),
    [
        (r'"true", "yes"|"yes", "true"|"yes": True|\btrue yes\b', "workflow/words.py"),
        (r"\bjan(?:uary)? (?:january|feb)|\"January\"", "workflow/dates.py"),
        (
            r'"(?:an? (?:whole number|integer|number|string|array|object)|true or false)"',
            "workflow/refusals.py",
        ),
        (r"unknown (?:key|field); known are", "workflow/refusals.py"),
        (r'"ref": \{"type": \["string", "null"\]', "browser/element_finder.py"),
        (r"--unshare|--ro-bind", "bubblewrap.py"),
        (r"def _?retry_while_unavailable|give_up_at, pause", "loop.py"),
        (r'"wait_for_stillness"', "browser/navigation.py"),
        (r"\belementFromPoint\(", "page/dom_core.js"),
        (r"\.fontWeight\) >= ", "page/dom.js"),
        (
            r"(?i)(?:lost|silent|alive|dead)\w*(?:seconds|_ms|_after)\w*(?:: \w+)? = 3\d[\d_]*",
            "records/organization.py",
        ),
        (r"model_dump\(by_alias=True, exclude_none=True\)", "workflow/wire.py"),
        (r'"holds": \{"type": "boolean"', "engine/run/conditions.py"),
        (r"Only a (?:running|paused) execution can be \w+; this one is \{", "engine/base.py"),
        (r'"No authentication of this|"Several authentications', "engine/signing_in/codes.py"),
        (r'"an execution could not be recovered"', "engine/reconciler.py"),
        (r"expected base64 \(", "api/fields.py"),
        (r'"cross-origin-opener-policy"', "api/console/pages.py"),
        (r"\(Status\.IN_PROGRESS, Status\.PAUSED\)", "storage/run_claim.py"),
        (r'"_pagehand_"', "sandbox/syntax.py"),
    ],
    ids=[
        "words for yes and no",
        "names of months",
        "words for what a field should be",
        "refusing an unknown key",
        "how a model names an element",
        "the command of bubblewrap",
        "calling until the store is reachable",
        "when a page is quiet",
        "which element is at a point",
        "what is bold",
        "when a silent process is lost",
        "a locator or condition as it was given",
        "what a model answers about a statement",
        "what can be paused and resumed",
        "which sign-in a code is for",
        "an execution that cannot be recovered",
        "base64 in a request",
        "the headers of pages",
        "statuses of an execution that has begun",
        "names that user code cannot use",
    ],
)
def test_a_decision_has_one_place(decision: str, place: str) -> None:
    found = [
        file.relative_to(PACKAGE).as_posix()
        for file in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.js")]
        if "bundle" not in file.parts and re.search(decision, file.read_text("utf-8"))
    ]
    assert found == [place]


def test_the_live_view_has_one_client() -> None:
    root = PACKAGE.parent
    sources = [*root.glob("console/src/**/*.ts*"), *PACKAGE.glob("**/*.js"), *PACKAGE.glob("**/*.html")]
    found = [
        file.relative_to(root).as_posix()
        for file in sources
        if "bundle" not in file.parts and "new WebSocket(" in file.read_text("utf-8")
    ]
    assert found == ["console/src/live/connection.ts"]

"""The workflow that shows what Pagehand does: it signs in to the portal, reads it and fetches letters."""

from typing import Any

from pagehand.records import Json

_ROWS = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["claim", "policyHolder", "type", "filed", "amount", "status"],
        "properties": {
            "claim": {"type": "string"},
            "policyHolder": {"type": "string"},
            "type": {"type": "string"},
            "filed": {"type": "string"},
            "amount": {"type": "number"},
            "status": {"type": "string"},
        },
    },
}
_DETAILS = {
    "type": "object",
    "required": ["policy", "adjuster"],
    "properties": {"policy": {"type": "string"}, "adjuster": {"type": "string"}},
}
_ITEMS = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "total"],
        "properties": {"description": {"type": "string"}, "total": {"type": "number"}},
    },
}
_OPEN_CLAIMS = 'lambda pages: [row for page in pages for row in page["rows"] if row["status"] == "Open"]'
_SPREADSHEET = """
def main(rounds, context):
    rows = []
    for claim, round in zip(context["blocks"]["open_claims_only"], rounds):
        rows.append({
            "Claim": claim["claim"],
            "Policy holder": claim["policyHolder"],
            "Policy": round["details"]["policy"],
            "Type": claim["type"],
            "Filed": claim["filed"],
            "Amount": claim["amount"],
            "Adjuster": round["details"]["adjuster"],
            "Items": "; ".join(item["description"] for item in round["items"]),
            "Letter": round["letter"]["name"],
        })
    return rows
"""


def demo_workflow(portal_url: str, login_id: str) -> Json:
    """The body of a `workflows/create` request; the workflow takes no parameters."""
    return {
        "name": "Demo: collect claims",
        "tags": ["demo"],
        "blocks": [*_sign_in(login_id), *_collect(), *_visit(portal_url), *_write()],
    }


def _sign_in(login_id: str) -> list[Json]:
    return [
        _block("Login", "sign_in", "Sign in with a one-time code", {"loginId": login_id}),
        _block("Mouse", "open_claims", "Go to the claims", {}, locator={"css": "#nav-claims"}),
    ]


def _collect() -> list[Json]:
    rows = _block("Extract", "rows", "Read the table", {"schema": _ROWS}, locator={"css": "#claims"})
    return [
        _loop("pages", "Every page of claims", {"pages": {"css": "a[rel=next]"}}, [rows]),
        _block(
            "Transform",
            "open_claims_only",
            "Keep the open claims",
            {"input": "{{blocks.pages}}", "code": _OPEN_CLAIMS},
        ),
    ]


def _visit(portal_url: str) -> list[Json]:
    body = [
        _block(
            "Navigate", "open_claim", "Open the claim", {"url": f"{portal_url}/claims/{{{{claim.claim}}}}"}
        ),
        _block("Extract", "details", "Read the details", {"schema": _DETAILS}),
        _block("Extract", "items", "Read its items", {"schema": _ITEMS}, locator={"css": "#line-items"}),
        _block("DownloadFile", "letter", "Download the letter", {}, locator={"css": "#letter"}),
    ]
    over = {"items": "{{blocks.open_claims_only}}"}
    return [_loop("visits", "Every open claim", over, body, itemName="claim")]


def _write() -> list[Json]:
    return [
        _block(
            "Transform", "table", "One row per claim", {"input": "{{blocks.visits}}", "code": _SPREADSHEET}
        ),
        _block(
            "ParseToCsv",
            "csv",
            "Write the spreadsheet",
            {"input": "{{blocks.table}}", "fileName": "open-claims.csv"},
        ),
    ]


def _loop(reference: str, name: str, over: Json, body: list[Json], **more: Any) -> Json:
    return _block("LoopV2", reference, name, {"over": over, **more}) | {"sequenceData": {"sequence": body}}


def _block(
    kind: str, reference: str, name: str, data: Json, *, locator: dict[str, str] | None = None
) -> Json:
    block = {"type": kind, "blockReferenceId": reference, "name": name, "data": data}
    return block if locator is None else block | {"locator": locator}

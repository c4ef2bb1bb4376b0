"""The workflow that shows what Pagehand does: it signs in to the portal, reads it and fetches letters."""

from typing import Any

_ROW = {
    "number": {"locator": {"css": "th a"}},
    "link": {"locator": {"css": "th a"}, "attribute": "href"},
    "holder": {"locator": {"css": "td:nth-of-type(1)"}},
    "kind": {"locator": {"css": "td:nth-of-type(2)"}},
    "filed": {"locator": {"css": "time"}, "attribute": "datetime"},
    "amount": {"locator": {"css": "td.amount"}},
    "status": {"locator": {"css": ".status"}},
}
_ROW_SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": list(_ROW),
        "properties": {name: {"type": "number" if name == "amount" else "string"} for name in _ROW},
    },
}
_DETAILS = {
    "policy": {"locator": {"xpath": "//dt[.='Policy']/following-sibling::dd"}},
    "adjuster": {"locator": {"xpath": "//dt[.='Adjuster']/following-sibling::dd"}},
    "items": {"locator": {"css": "#line-items tbody td:first-child"}, "many": True},
}
_DETAILS_SCHEMA = {
    "type": "object",
    "required": list(_DETAILS),
    "properties": {
        "policy": {"type": "string"},
        "adjuster": {"type": "string"},
        "items": {"type": "array", "items": {"type": "string"}},
    },
}
_OPEN_CLAIMS = 'lambda pages: [row for page in pages for row in page["rows"] if row["status"] == "Open"]'
_SPREADSHEET = """
def main(rounds, context):
    rows = []
    for claim, round in zip(context["blocks"]["open_claims"], rounds):
        rows.append({
            "Claim": claim["number"],
            "Policy holder": claim["holder"],
            "Policy": round["details"]["policy"],
            "Type": claim["kind"],
            "Filed": claim["filed"],
            "Amount": claim["amount"],
            "Adjuster": round["details"]["adjuster"],
            "Items": "; ".join(round["details"]["items"]),
            "Letter": round["letter"]["name"],
        })
    return rows
"""


def demo_workflow(portal_url: str) -> dict[str, Any]:
    """The body of a `workflows/create` request; the workflow takes no parameters."""
    return {
        "name": "Demo: collect claims",
        "tags": ["demo"],
        "blocks": [*_sign_in(portal_url), *_collect(), *_visit(), *_write()],
    }


def _sign_in(portal_url: str) -> list[dict[str, Any]]:
    return [
        _block("Navigate", "open_portal", "Open the portal", {"url": portal_url}),
        _block(
            "Input", "user_name", "User name", {"key": "User name", "inputType": "TextInput", "value": "demo"}
        ),
        _block(
            "Input",
            "password",
            "Password",
            {"key": "Password", "inputType": "SensitiveTextInput", "value": "demo"},
        ),
        _block("Mouse", "sign_in", "Sign in", {}, locator={"role": "button", "text": "Sign in"}),
    ]


def _collect() -> list[dict[str, Any]]:
    rows = _block(
        "Extract",
        "rows",
        "Read the table",
        {"many": True, "fields": _ROW, "schema": _ROW_SCHEMA},
        locator={"css": "#claims tbody tr"},
    )
    return [
        _loop("pages", "Every page of claims", {"pages": {"role": "link", "text": "Next"}}, [rows]),
        _block(
            "Transform",
            "open_claims",
            "Keep the open claims",
            {"input": "{{blocks.pages}}", "code": _OPEN_CLAIMS},
        ),
    ]


def _visit() -> list[dict[str, Any]]:
    body = [
        _block("Navigate", "open_claim", "Open the claim", {"url": "{{claim.link}}"}),
        _block("Extract", "details", "Read the details", {"fields": _DETAILS, "schema": _DETAILS_SCHEMA}),
        _block(
            "DownloadFile",
            "letter",
            "Download the letter",
            {},
            locator={"role": "link", "text": "Download letter"},
        ),
    ]
    return [_loop("visits", "Every open claim", {"items": "{{blocks.open_claims}}"}, body, itemName="claim")]


def _write() -> list[dict[str, Any]]:
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


def _loop(
    reference: str, name: str, over: dict[str, Any], body: list[dict[str, Any]], **more: Any
) -> dict[str, Any]:
    return _block("LoopV2", reference, name, {"over": over, **more}) | {"sequenceData": {"sequence": body}}


def _block(
    kind: str, reference: str, name: str, data: dict[str, Any], *, locator: dict[str, str] | None = None
) -> dict[str, Any]:
    block = {"type": kind, "blockReferenceId": reference, "name": name, "data": data}
    return block if locator is None else block | {"locator": locator}

"""`trace: true`: a trace among the files, which Playwright's own viewer opens and which lets nobody in."""

import io
import zipfile
from pathlib import Path

import playwright
import pytest

from support.blocks import navigate
from support.service import Api, Json
from support.site import Site

VIEWER = Path(playwright.__file__).parent / "driver/package/lib/vite/traceViewer"
MIME = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
PAGE = """<form onsubmit="fetch('/session', {method: 'POST', body: pin.value}); return false">
  <label>PIN <input id=pin></label><button>Continue</button></form>"""
PIN, SESSION, TOKEN = "canary-4711-pin", "canary-0815-session", "canary-2342-token"


def traced(api: Api, site: Site, **fields: bool) -> Json:
    site.page("/", PAGE, headers={"Set-Cookie": f"sid={SESSION}"})
    site.file("/session", f'{{"token": "{TOKEN}"}}'.encode(), "application/json")
    workflow = api.create(
        "traced",
        navigate(f"{site.url}/"),
        {
            "type": "Input",
            "locator": {"label": "PIN"},
            "data": {"inputType": "TextInput", "value": "{{params.pin}}"},
        },
        {"type": "Mouse", "locator": {"text": "Continue"}, "data": {"action": "click"}},
        parameters=[{"name": "pin", "isSecret": True}],
    )
    order = {"workflowId": workflow["id"], "params": {"pin": PIN}, **fields}
    return api.call("/workflows/executeSync", order)["execution"]


def trace_of(api: Api, execution: Json) -> bytes | None:
    files = api.call("/files/list", {"executionId": execution["id"]})["files"]
    [found] = [file for file in files if file["name"] == "trace.zip"] or [None]
    return api.http.get(found["downloadUrl"]).content if found else None


@pytest.mark.slow
def test_trace_opens_in_playwrights_viewer_and_lets_nobody_in(api: Api, site: Site) -> None:
    done = traced(api, site, trace=True)
    assert done["status"] == "Completed", done["errorAnalysis"]
    trace = trace_of(api, done)
    assert trace is not None
    with zipfile.ZipFile(io.BytesIO(trace)) as opened:
        content = {name: opened.read(name) for name in opened.namelist()}
    for secret in (PIN, SESSION, TOKEN):
        assert [name for name, held in content.items() if secret.encode() in held] == []
    for path in VIEWER.rglob("*.*"):
        site.file(f"/viewer/{path.relative_to(VIEWER)}", path.read_bytes(), MIME.get(path.suffix, "font/ttf"))
    site.file("/trace.zip", trace, "application/zip")
    shown = api.run(
        navigate(f"{site.url}/viewer/index.html?trace={site.url}/trace.zip"),
        {
            "type": "WaitForCondition",
            "data": {"condition": {"element": {"text": "Click"}, "state": "visible"}},
        },
    )
    assert shown["status"] == "Completed", shown["errorAnalysis"]


def test_without_the_field_there_is_no_trace(api: Api, site: Site) -> None:
    assert trace_of(api, traced(api, site)) is None

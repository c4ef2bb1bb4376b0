"""Draws docs/pictures/finished-run.png from the newest finished execution of a running service.

python scripts/picture_of_a_run.py http://127.0.0.1:8700
"""

import asyncio
import base64
import html
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx2

from pagehand.browser import LaunchOptions, LocalProvider
from pagehand.settings import Settings

_TARGET = Path(__file__).parent.parent / "docs" / "pictures" / "finished-run.png"
_SHOWN_PICTURES = 6
_SHOWN_ROWS = 4
_STYLE = """
body { font: 15px/1.45 system-ui, 'Liberation Sans', sans-serif; margin: 0; background: #f4f5f7;
  color: #1d2433 }
main { width: 1160px; padding: 32px 40px }
h1 { font-size: 24px; margin: 0 }
h2 { font-size: 15px; margin: 26px 0 10px; color: #5b6475; font-weight: 600 }
.status { background: #d9f2e3; color: #12663a; border-radius: 99px; padding: 3px 12px; font-size: 14px;
  margin-left: 12px; vertical-align: 3px }
p { margin: 10px 0 0; max-width: 900px }
.strip { display: grid; grid-template-columns: repeat(3, 1fr); gap: 16px }
figure { margin: 0; background: #fff; border: 1px solid #d9dde5; border-radius: 8px; overflow: hidden }
figure img { width: 100%; display: block; border-bottom: 1px solid #e6e9ef }
figcaption { padding: 8px 12px; display: flex; justify-content: space-between; gap: 12px }
figcaption span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
small { color: #6b7485; white-space: nowrap }
pre { background: #fff; border: 1px solid #d9dde5; border-radius: 8px; padding: 14px 16px; margin: 0;
  font: 13px/1.5 'Liberation Mono', monospace; white-space: pre-wrap }
"""


def _page(execution: dict[str, Any], shots: list[tuple[dict[str, Any], bytes]]) -> str:
    figures = "".join(
        f"<figure><img src='data:image/jpeg;base64,{base64.b64encode(content).decode()}'><figcaption>"
        f"<span>{_plain(event['message'])}</span><small>{event['data'].get('durationMs', 0)} ms</small>"
        "</figcaption></figure>"
        for event, content in shots
    )
    rows = execution["response"]["table"][:_SHOWN_ROWS]
    table = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return (
        f"<!doctype html><meta charset=utf-8><style>{_STYLE}</style><main>"
        f"<h1>{_plain(execution['workflow']['name'])}<span class=status>{execution['status']}</span></h1>"
        f"<p>{_plain(execution['summary'])}</p>"
        f"<h2>What it did</h2><div class=strip>{figures}</div>"
        f"<h2>What came out: response.table</h2><pre>{html.escape(table)}</pre></main>"
    )


def _plain(text: str) -> str:
    return html.escape(text.replace("`", ""))


def _newest(service: httpx2.Client) -> tuple[dict[str, Any], list[tuple[dict[str, Any], bytes]]]:
    found = service.post("/executions/list", json={"status": "Completed", "limit": 1}).json()["executions"]
    execution = service.post("/executions/get", json={"id": found[0]["id"]}).json()["execution"]
    events = service.post("/executions/events", json={"id": execution["id"]}).json()["events"]
    pictured = [event for event in events if event["screenshotUrl"]]
    step = max(1, len(pictured) // _SHOWN_PICTURES)
    chosen = pictured[::step][:_SHOWN_PICTURES]
    return execution, [(event, service.get(event["screenshotUrl"]).content) for event in chosen]


async def _draw(text: str) -> None:
    provider = LocalProvider(Settings())
    browser = (await provider.launch(LaunchOptions())).browser
    page = await browser.new_page(viewport={"width": 1240, "height": 800})
    with tempfile.NamedTemporaryFile("w", suffix=".html") as file:
        file.write(text)
        file.flush()
        await page.goto(f"file://{file.name}")
        await page.screenshot(path=_TARGET, full_page=True)
    await provider.close()


def main() -> None:
    """Fetch, lay out, draw."""
    with httpx2.Client(base_url=sys.argv[1]) as service:
        execution, shots = _newest(service)
    _TARGET.parent.mkdir(parents=True, exist_ok=True)
    asyncio.run(_draw(_page(execution, shots)))


if __name__ == "__main__":
    main()

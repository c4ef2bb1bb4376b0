"""Every column of every list stays readable, however long the list and however narrow the window."""

import json
import re
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

import pytest
from playwright.async_api import Page, Route, expect

from support.blocks import value
from support.console import ROOT, Console
from support.service import FINAL, Api, Json

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
WIDTHS: Final = {1920: 1080, 1440: 900, 1024: 768, 390: 844}
LENGTHS: Final = (10, 40, 200, 10_000)
NARROWEST: Final = 66
"""Pixels of the narrowest column, which holds a button or a short number."""

WHOLE: Final = ("Duration", "Started", "Changed", "Added", "Attempts", "Success rate", "Median duration")
"""Columns whose values are never cut: half a number or a time says something else."""


class List(NamedTuple):
    """Where a list is shown, and the answer it is drawn from."""

    address: str
    path: str
    rows: str
    opened_by: str = ""


LISTS: Final = {
    "Executions": List("/executions", "/executions/list", "executions"),
    "Workflows": List("/workflows", "/workflows/list", "workflows"),
    "Files": List("/files", "/files/list", "files"),
    "Documents": List("/knowledge", "/knowledge/list", "documents"),
    "Batches": List("/batches", "/batches/list", "batches"),
    "Rows": List("/batches/{batch}", "/executions/list", "executions"),
    "Workflow statistics": List("/", "/statistics/get", "statistics.workflows"),
    "History": List("/schedules", "/schedules/history", "runs", opened_by="History"),
    "Deliveries": List("/webhooks", "/webhooks/deliveries", "deliveries", opened_by="Deliveries"),
    "Events": List("/executions/{execution}?tab=Events", "/executions/events", "events"),
}

_BOXES = """(label) => {
  const table = document.querySelector(`table[aria-label="${label}"]`);
  const hasHeader = !table.classList.contains("wrapped");
  const columns = [...table.querySelectorAll("thead th:not(.table-check)")];
  const rows = [...table.querySelectorAll("tbody tr:not(.table-spacer)")].slice(0, 20);
  const narrow = [], cut = [];
  for (const row of rows) {
    const frame = row.getBoundingClientRect();
    [...row.querySelectorAll("td:not(.table-check)")].forEach((cell, at) => {
      const box = cell.getBoundingClientRect();
      if (cell.firstElementChild.matches(":empty")) return; // nothing to read
      if (box.width < NARROWEST) narrow.push([columns[at].textContent, Math.round(box.width)]);
      const [right, bottom] = [box.right - frame.right, box.bottom - frame.bottom];
      const status = cell.querySelector(".clip > .status:first-child");
      if (status && status.offsetWidth > cell.firstElementChild.clientWidth + 1) cut.push(["status", at]);
      const [name, clip] = [columns[at].textContent, cell.firstElementChild];
      if (WHOLE.includes(name) && clip.scrollWidth > clip.clientWidth + 1) cut.push([name, clip.textContent]);
      if (right > 1 || bottom > 1 || box.top < frame.top - 1) cut.push([columns[at].textContent, bottom]);
    });
  }
  const isCut = (one) => hasHeader && one.scrollWidth > one.clientWidth + 1;
  for (const one of columns.filter(isCut)) cut.push(["header", one.textContent, one.clientWidth]);
  const heights = new Set(rows.map((row) => Math.round(row.getBoundingClientRect().height)));
  return {narrow: narrow.slice(0, 5), cut: cut.slice(0, 5), heights: [...heights]};
}""".replace("NARROWEST", str(NARROWEST)).replace("WHOLE", json.dumps(WHOLE))


@pytest.fixture(scope="module")
def ids(api: Api) -> Json:
    """Something to see in every list, with long names and a long reason."""
    long = "A rather long name, as people give it to what they care about"
    done = api.create(long, value("x"), tags=["billing", "nightly"])
    broken = {"type": "Transform", "name": "Divide", "data": {"input": 1, "code": "lambda x: x / 0"}}
    failing = api.create("Fails", broken)
    api.call("/webhooks/create", {"url": "http://127.0.0.1:9/in", "events": ["execution.failed"]})
    rows = [{"customer": "ACME", "order": "4711-0815", "note": "call back on Monday"}]
    batch = api.call("/batches/create", {"name": long, "workflowId": failing["id"], "rows": rows})["batch"]
    api.wait_for(api.start(done["id"])["id"], *FINAL)
    execution = api.wait_for(api.start(failing["id"])["id"], *FINAL)
    schedule = api.call("/schedules/create", {"workflowId": failing["id"], "cron": "0 3 * * *"})["schedule"]
    api.call("/schedules/run", {"id": schedule["id"]})
    api.call("/files/upload", {"name": f"{long}.pdf", "contentBase64": "eA=="})
    api.call("/knowledge/create", {"name": long, "text": "Claims are paid within ten days."})
    return {"batch": batch["id"], "execution": execution["id"]}


def test_every_list_of_the_console_is_measured() -> None:
    sources = (ROOT / "console" / "src" / "views").rglob("*.tsx")
    labels = {
        label
        for source in sources
        for label in re.findall(r"<Table\s[^>]*?label=\"([^\"]+)\"", source.read_text("utf-8"))
    }
    assert labels == LISTS.keys()


@pytest.mark.parametrize("label", LISTS)
async def test_no_column_is_squeezed_or_cut(console: Console, ids: Json, label: str) -> None:
    shown = LISTS[label]
    page = await console.open("/settings", width=1440)
    found: dict[str, Any] = {}
    for length in LENGTHS:
        await page.unroute_all()
        await _lengthen(page, shown, length)
        await page.goto(console.url + shown.address.format(**ids))
        await console.settle(page)
        if shown.opened_by:
            await page.get_by_role("button", name=shown.opened_by).first.click()
        for width, height in WIDTHS.items():
            await page.set_viewport_size({"width": width, "height": height})
            table = page.get_by_role("table", name=label, exact=True)
            await table.evaluate("(table) => table.scrollIntoView({block: 'start'})")
            await expect(table.locator("tbody tr:not(.table-spacer)").first).to_be_visible()
            await console.assert_fits(page)
            boxes = await page.evaluate(_BOXES, label)
            if boxes["narrow"] or boxes["cut"] or len(boxes["heights"]) != 1:
                found[f"{length} rows at {width}"] = boxes
        if length in (10, 40):
            await console.picture(page, f"columns-{label.lower().replace(' ', '-')}-{length}-390")
            await page.set_viewport_size({"width": 1024, "height": 768})
            await console.picture(page, f"columns-{label.lower().replace(' ', '-')}-{length}-1024")
    assert not found, json.dumps(found, indent=1)


async def _lengthen(page: Page, shown: List, length: int) -> None:
    """Answer the list's request with so many rows, each like one of those that there are."""

    async def answer(route: Route) -> None:
        response = await route.fetch()
        body: Json = await response.json()
        holder: Any = body
        *parents, name = shown.rows.split(".")
        for parent in parents:
            holder = holder[parent]
        holder[name] = [_renumbered(holder[name][at % len(holder[name])], at) for at in range(length)]
        body.update({key: length for key in ("total",) if key in body})
        body.update({key: None for key in ("nextCursor",) if key in body})
        await route.fulfill(response=response, json=body)

    await page.route(f"**{shown.path}", answer)


def _renumbered(row: Json, at: int) -> Json:
    """A row with a key of its own."""
    copy = deepcopy(row)
    for holder in (copy, copy.get("workflow") or {}):
        if "id" in holder:
            holder["id"] = f"{holder['id']}{at}"
    for name in ("durationMs", "medianDurationMs"):
        copy.update({name: 754_321} if name in copy else {})
    for name in ("startTime", "updatedAt", "createdAt"):
        copy.update({name: (datetime.now(UTC) - timedelta(minutes=43)).isoformat()} if name in copy else {})
    if "seq" in copy:
        copy["seq"] = at
    if "at" in copy:
        copy["scheduledFor"] = copy.get("scheduledFor") or copy["at"]
        copy["executionId"] = f"{copy.get('executionId')}{at}"
    return copy

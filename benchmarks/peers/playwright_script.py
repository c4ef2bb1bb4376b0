"""The script that one would write with Playwright alone: python playwright_script.py ORDER (as JSON)."""

import json
import sys
import time

from playwright.sync_api import Page, sync_playwright

order = json.loads(sys.argv[1])
site: str = order["site"]


def visit(page: Page) -> None:
    """Visit a page."""
    page.goto(f"{site}/")
    page.title()


def form(page: Page) -> None:
    """Fill in twelve fields and send them."""
    page.goto(f"{site}/fields")
    for label, value in order["fields"].items():
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_role("button", name="Send", exact=True).click()
    if page.locator("#sent").inner_text() != " ".join(order["fields"].values()):
        raise RuntimeError("the form came back otherwise")


def table(page: Page) -> None:
    """Read the rows of a table."""
    page.goto(f"{site}/table")
    rows = page.locator("tbody tr").evaluate_all(
        "rows => rows.map(row => ({number: row.cells[0].innerText, amount: row.cells[1].innerText}))"
    )
    if rows != order["rows"]:
        raise RuntimeError("the table was read otherwise")


flow = {"visit": visit, "form": form, "table": table}[order["flow"]]
took: list[float] = []
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=order["browser"])
    for _ in range(order["times"]):
        began = time.perf_counter()
        context = browser.new_context()
        flow(context.new_page())
        context.close()
        took.append((time.perf_counter() - began) * 1000)
    browser.close()
print("TOOK", json.dumps(took))

"""Recordings of the demo portal, in every format, run as workflows; exported scripts do what workflows do.

The recording of Playwright is made here by Playwright's own recorder.
"""

import asyncio
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, async_playwright

from pagehand.blocks import kinds
from pagehand.browser.installation import find_browser, require_browser
from pagehand.cli.checking import check_file
from pagehand.cli.embedded import embedded_service
from pagehand.cli.exporting import export_script
from pagehand.client import AsyncExecution, AsyncPagehand
from pagehand.demo.portal import CODE_SEED, OFFICE_PASSWORD
from pagehand.settings import Settings
from support.importing import Json, imported

pytestmark = [pytest.mark.anyio, pytest.mark.slow]
EXAMPLES = Path(__file__).parents[2] / "examples"
LOGIN = {
    "NORTHWIND_CLAIMS_DEMO_PASSWORD": OFFICE_PASSWORD,
    "NORTHWIND_CLAIMS_DEMO_TOTP": CODE_SEED,
}


@pytest.fixture(scope="module")
async def client(anyio_backend: str) -> AsyncIterator[AsyncPagehand]:
    assert anyio_backend == "asyncio"
    async with embedded_service(Settings(demo_port=0)) as url, AsyncPagehand(url) as client:
        yield client


@pytest.fixture(scope="module")
async def login(client: AsyncPagehand) -> Json:
    return (await client.call("/logins/list"))["logins"][0]


@pytest.fixture
def portal(login: Json) -> str:
    return "/".join(login["homeUrl"].split("/")[:3])


async def run(client: AsyncPagehand, text: str, login_id: str | None = None, **params: Any) -> AsyncExecution:
    applied = await client.call("/workflows/apply", check_file(text, kinds()).definition)
    return await client.run(applied["workflow"]["id"], params, login_id=login_id)


def in_devtools(portal: str) -> Json:
    def at(name: str, label: str = "") -> list[list[str]]:
        return [[f"aria/{label or name}"], [f"#{name}"], [f'xpath///*[@id="{name}"]']]

    button = [["aria/Sign in"], ["main form button"]]
    return {
        "title": "Sign in and search (DevTools)",
        "steps": [
            {"type": "setViewport", "width": 1280, "height": 800},
            {"type": "navigate", "url": portal, "assertedEvents": [{"type": "navigation", "url": portal}]},
            {
                "type": "click",
                "target": "main",
                "selectors": at("username", "User name"),
                "offsetX": 5,
                "offsetY": 5,
            },
            {"type": "change", "value": "demo", "selectors": at("username", "User name"), "target": "main"},
            {"type": "keyDown", "key": "Tab", "target": "main"},
            {"type": "keyUp", "key": "Tab", "target": "main"},
            {"type": "change", "value": "demo", "selectors": at("password", "Password"), "target": "main"},
            {"type": "click", "target": "main", "selectors": button, "offsetX": 5, "offsetY": 5},
            {"type": "change", "value": "Open", "selectors": at("status", "Status"), "target": "main"},
            {"type": "keyDown", "key": "Tab", "target": "main"},
            {"type": "keyUp", "key": "Tab", "target": "main"},
            {"type": "click", "selectors": [['aria/Apply[role="button"]']], "offsetX": 5, "offsetY": 5},
            {"type": "waitForElement", "selectors": ["#claims tbody tr"], "operator": ">=", "count": 2},
            {"type": "waitForExpression", "expression": "location.search.includes('status=Open')"},
            {"type": "scroll", "x": 0, "y": 200, "target": "main"},
        ],
    }


def in_selenium(portal: str) -> Json:
    commands = [
        ("open", "/", ""),
        ("setWindowSize", "1280x800", ""),
        ("type", "id=username", "demo"),
        ("type", "name=password", "demo"),
        ("click", "css=main form button", ""),
        ("storeText", "css=#claims tbody tr:first-child th", "first"),
        ("if", "${first} != ''", ""),
        ("type", "id=q", "${first}"),
        ("sendKeys", "id=q", "${KEY_ENTER}"),
        ("end", "", ""),
        ("assertText", "css=#claims tbody", "${first}"),
        ("select", "id=status", "label=All statuses"),
        ("click", "id=nav-new", ""),
        ("check", "id=police", ""),
        ("verifyChecked", "id=police", ""),
    ]
    listed = [dict(zip(("command", "target", "value"), command, strict=True)) for command in commands]
    return {"name": "p", "url": portal, "tests": [{"name": "Search and tick (Selenium)", "commands": listed}]}


def in_skyvern(portal: str) -> str:
    return f"""
title: Claims (Skyvern)
workflow_definition:
  parameters:
    - {{parameter_type: workflow, key: account, workflow_parameter_type: credential_id}}
    - {{parameter_type: workflow, key: words, workflow_parameter_type: string, default_value: Open}}
  blocks:
    - {{label: sign_in, block_type: login, parameter_keys: [account], next_block_label: list}}
    - label: list
      block_type: goto_url
      url: "{portal}/claims?status={{{{ words }}}}"
      next_block_label: rows
    - label: rows
      block_type: extraction
      data_extraction_goal: The claims
      data_schema:
        type: array
        items: {{type: object, required: [claim], properties: {{claim: {{type: string}}}}}}
      next_block_label: count
    - label: count
      block_type: code
      code: |
        number = len(rows)
      parameter_keys: [rows]
      next_block_label: each
    - label: each
      block_type: for_loop
      next_block_label: store
      loop_variable_reference: rows_output.extracted_information
      loop_blocks:
        - {{label: open, block_type: goto_url, url: "{portal}/claims/{{{{ current_value.claim }}}}"}}
    - {{label: store, block_type: file_upload, storage_type: s3}}
"""


async def by_hand(page: Page, portal: str) -> None:
    """What a person does while Playwright's recorder looks on."""
    await page.goto(portal)
    await page.get_by_label("User name").click()
    await page.keyboard.type("demo")
    await page.keyboard.press("Tab")
    await page.keyboard.type("demo")
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_label("Status").select_option("Open")
    await page.get_by_role("button", name="Apply").click()
    await page.locator("#claims tbody a").first.click()
    await page.get_by_role("link", name="Download letter").click()
    await page.locator("#nav-new").click()
    await page.locator("#police").click()
    await page.get_by_role("checkbox").and_(page.locator(":checked")).wait_for()


class Recorded:
    """Takes the code of each act from Playwright's recorder, as it grows."""

    def __init__(self) -> None:
        self.codes: list[str] = []

    def action_added(self, page: Any, data: Any, code: str) -> None:
        del page, data
        self.codes.append(code)

    def action_updated(self, page: Any, data: Any, code: str) -> None:
        del page, data
        self.codes[-1] = code

    signal_added = action_updated

    def program(self) -> str:
        lines = [textwrap.indent(textwrap.dedent(code), "    ") for code in self.codes]
        return "\n".join(["def test_recorded(page):", *lines, ""])


async def recorded_by_playwright(portal: str) -> str:
    recorded, browser_path = Recorded(), (await require_browser(Settings())).path
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=str(browser_path), args=["--no-sandbox"])
        context = await browser.new_context()
        # what `playwright codegen` does itself; it has no public name
        internals: Any = context
        await internals._impl_obj._start_recording({"language": "python-pytest"}, recorded)
        await by_hand(await context.new_page(), portal)
        await internals._impl_obj._stop_recording()
        await browser.close()
    return recorded.program()


async def test_a_recording_of_devtools_runs(client: AsyncPagehand, portal: str) -> None:
    done = imported(in_devtools(portal))
    assert (done.mapped, [one.where for one in done.unmapped]) == (12, ["step 1"])
    assert (await run(client, done.text, password="demo")).status == "Completed"


async def test_a_project_of_selenium_runs(client: AsyncPagehand, portal: str) -> None:
    done = imported(in_selenium(portal), "x.side")
    assert (done.mapped, [one.where for one in done.unmapped]) == (13, ["command 2"])
    assert (await run(client, done.text, password="demo")).status == "Completed"


async def test_a_workflow_of_skyvern_runs(client: AsyncPagehand, portal: str, login: Json) -> None:
    done = imported(in_skyvern(portal), "x.yaml")
    assert [one.reason for one in done.unmapped] == ["there is no block for it"]
    ended = await run(client, done.text, login["id"])
    assert ended.response["count"]["number"] == len(ended.response["each"]) > 1


async def test_what_codegen_has_recorded_runs(client: AsyncPagehand, portal: str) -> None:
    program = await recorded_by_playwright(portal)
    done = imported(program, "recorded.py")
    assert done.unmapped == [], program
    assert done.mapped >= 9, program
    assert (await run(client, done.text, password="demo")).status == "Completed", done.text


def run_script(script: Path, *arguments: str) -> Any:
    browser = find_browser(Settings())
    assert browser is not None
    done = subprocess.run(  # noqa: S603 - the script of this test
        [sys.executable, str(script), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=script.parent,
        env={**os.environ, **LOGIN, "BROWSER": str(browser.path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


async def exported(client: AsyncPagehand, name: str, login: Json, folder: Path) -> Path:
    """The script of an example."""
    text = (EXAMPLES / f"{name}.workflow.yaml").read_text()
    definition = check_file(text, kinds(), {login["name"]: login["id"]}.__getitem__).definition
    await client.call("/workflows/apply", definition)
    script = folder / f"{name.replace('-', '_')}.py"
    # the command waits for the service, which runs in this very loop
    await asyncio.to_thread(
        export_script, [definition["name"]], script, as_json=True, url=client.url, key=None
    )
    return script


async def test_an_exported_script_does_the_same(client: AsyncPagehand, login: Json, tmp_path: Path) -> None:
    submit = await exported(client, "new-claim", login, tmp_path)
    number = await asyncio.to_thread(run_script, submit, "holder=Lady Lovelace", "amount=77")
    search = await exported(client, "check-claim", login, tmp_path)
    found = await asyncio.to_thread(run_script, search, "words=Lady Lovelace")
    assert found == {"claim": number}
    sheet = await exported(client, "claims-spreadsheet", login, tmp_path)
    rows = (await asyncio.to_thread(run_script, sheet))["rows"]
    assert rows[0] == {"claim": number, "holder": "Lady Lovelace", "amount": "$77.00"}
    assert (tmp_path / "claims.csv").read_text().splitlines()[0] == "claim,holder,amount"

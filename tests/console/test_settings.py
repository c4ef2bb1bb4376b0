"""Settings: keys are made with scopes and shown once, rotated and revoked; the model's usage is told."""

from collections.abc import Iterator

import httpx2
import pytest
from playwright.async_api import expect

from support.console import Console
from support.model import ScriptedModel, scripted_model, structured_reply
from support.service import Api, RunningService

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with scripted_model() as running:
        yield running


@pytest.fixture(scope="module")
def service(
    bundle: None, model: ScriptedModel, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    """A service whose language model answers by a script."""
    del bundle
    running = RunningService(tmp_path_factory.mktemp("settings") / "data", **model.env).start()
    yield running
    running.stop()


def status_with(service: RunningService, key: str) -> int:
    headers = {"Authorization": f"Bearer {key}"}
    return httpx2.post(f"{service.url}/workflows/list", json={}, headers=headers).status_code


@pytest.mark.slow
async def test_a_key_is_made_shown_once_rotated_and_revoked(
    console: Console, service: RunningService, api: Api
) -> None:
    page = await console.open("/settings")
    await page.get_by_role("button", name="New key").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name").fill("nightly")
    await dialog.get_by_label("run").check()
    await dialog.get_by_role("button", name="Create key").click()
    shown = dialog.get_by_label("Key", exact=True)
    await expect(shown).to_contain_text("ph_")
    first = await shown.inner_text()
    await console.check(page)
    await dialog.get_by_role("button", name="Done").click()
    assert status_with(service, first) == 200
    [kept] = [key for key in api.call("/keys/list")["keys"] if key["name"] == "nightly"]
    assert kept["scopes"] == ["read", "run"]

    await page.get_by_role("button", name="Rotate nightly").click()
    await expect(shown).to_contain_text("ph_")
    second = await shown.inner_text()
    await dialog.get_by_role("button", name="Revoke the old key").click()
    await expect(dialog).to_have_count(0)
    await expect(page.get_by_role("list", name="API keys").get_by_text("Revoked")).to_have_count(1)
    assert second != first
    assert status_with(service, second) == 200
    assert api.call("/keys/list")["keys"][1]["revokedAt"] is not None

    await page.get_by_role("button", name="Revoke nightly").click()
    await dialog.get_by_role("button", name="Revoke key").click()
    await expect(page.get_by_role("list", name="API keys").get_by_text("Revoked")).to_have_count(2)


@pytest.mark.slow
async def test_usage_of_the_model_is_counted_as_it_is_used(
    console: Console, api: Api, model: ScriptedModel
) -> None:
    page = await console.open("/settings")
    usage = page.get_by_role("region", name="Model usage")
    await expect(usage).to_contain_text("No execution has used a language model.")
    model.reply_with(structured_reply({"no": "A-17"}))
    schema = {"type": "object", "properties": {"no": {"type": "string"}}, "required": ["no"]}
    data = {"inputText": "We got your order, it is A-17.", "prompt": "the order", "schema": schema}
    run = api.run({"type": "ExtractFromInput", "blockReferenceId": "made", "data": data})
    assert run["status"] == "Completed", run["errorAnalysis"]
    used = api.call("/statistics/modelUsage")["modelUsage"]
    assert used["calls"] > 0
    await expect(usage).to_contain_text(f"{used['calls']} in 1 execution")
    await expect(usage).to_contain_text(f"{used['inputTokens']:,} in, {used['outputTokens']:,} out")
    await console.check(page)
    await usage.scroll_into_view_if_needed()
    await console.picture(page, "settings-usage")

"""Close Popup with a model: asked only where something covers the page and nothing known closes it."""

import pytest

from support.blocks import navigate
from support.model import ModelReply, ModelRequest, Script, ScriptedModel, is_report, ref, structured_reply
from support.service import Api, Json
from support.site import Site

CLOSE: Json = {"type": "ClosePopup", "data": {}}
COVER = """<!doctype html><title>News</title><h1>The news</h1><p>Behind it.
<section id=veil style="position:fixed; inset:0; background:#333; color:#fff"><p>Have you met our fund?
<span tabindex=0 role=button onclick="veil.remove()">{words}</span>
<span tabindex=0 role=button onclick="document.title='Bought'">Read on</span></section>"""


def press(words: str) -> Script:
    def script(asked: ModelRequest) -> ModelReply:
        return ModelReply("Seen.") if is_report(asked) else structured_reply({"ref": ref(asked, words)})

    return script


def closed(api: Api, execution: Json) -> list[str]:
    [event] = [
        event
        for event in api.events(execution["id"])
        if event["type"] == "block.finished" and event["blockReferenceId"].startswith("ClosePopup")
    ]
    return event["data"]["closed"]


@pytest.mark.slow
def test_a_cover_that_nothing_known_closes_is_closed_by_the_models_word(
    smart: Api, model: ScriptedModel, site: Site
) -> None:
    url = site.page("/cover", COVER.format(words="Onwards to the articles"))
    model.script = press("Onwards to the articles")
    execution = smart.run(navigate(url), CLOSE)
    assert closed(smart, execution) == ["overlay"]
    [asked] = model.block_requests
    assert "closes or puts away" in asked.instructions
    assert "Have you met our fund?" in asked.last


@pytest.mark.slow
def test_a_page_that_nothing_covers_is_not_asked_about(smart: Api, model: ScriptedModel, site: Site) -> None:
    url = site.page("/plain", "<!doctype html><title>News</title><h1>The news</h1>")
    execution = smart.run(navigate(url), CLOSE)
    assert closed(smart, execution) == []
    assert model.requests == []


@pytest.mark.slow
def test_an_application_in_one_layer_is_no_cover(smart: Api, model: ScriptedModel, site: Site) -> None:
    url = site.page(
        "/app",
        "<!doctype html><main style='position:absolute; inset:0'><h1>Mail</h1><button>Read</button></main>",
    )
    execution = smart.run(navigate(url), CLOSE)
    assert closed(smart, execution) == []
    assert model.requests == []


@pytest.mark.slow
def test_a_word_that_may_do_harm_is_not_pressed(smart: Api, model: ScriptedModel, site: Site) -> None:
    url = site.page("/harm", COVER.format(words="Pay and go on"))
    model.script = press("Pay and go on")
    execution = smart.run(navigate(url), CLOSE)
    assert execution["status"] == "Completed", execution["errorAnalysis"]
    assert closed(smart, execution) == []


@pytest.mark.slow
def test_a_model_that_knows_no_way_out_closes_nothing(smart: Api, model: ScriptedModel, site: Site) -> None:
    url = site.page("/none", COVER.format(words="Onwards"))
    model.reply_with(structured_reply({"ref": None}))
    execution = smart.run(navigate(url), CLOSE)
    assert execution["status"] == "Completed", execution["errorAnalysis"]
    assert closed(smart, execution) == []

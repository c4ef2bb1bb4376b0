"""Questions a page asks, and forms that the browser holds back: nothing passes that did not happen."""

from typing import Any

import pytest

from pagehand.errors import BlockFailed
from support.block_runner import BlockRunner
from support.site import Site

ASKS = """<form method=post action=/sent onsubmit="return confirm('Send it to the board?')">
<label>Name <input name=name></label><button>Go</button></form>"""


async def failure(runner: BlockRunner, kind: str, data: dict[str, Any], **locator: Any) -> str:
    with pytest.raises(BlockFailed) as failed:
        await runner.run(kind, data, **locator)
    return failed.value.message


async def test_a_question_that_nothing_answers_fails_the_block_and_quotes_it(
    runner: BlockRunner, site: Site
) -> None:
    await runner.session.goto(site.page("/", ASKS))
    fields = [{"key": "Name", "value": "Ada"}]
    message = await failure(runner, "Form", {"fields": fields, "submit": True})
    assert "“Send it to the board?” (confirm)" in message
    assert "`data.dialog`" in message
    message = await failure(runner, "Mouse", {}, text="Go")
    assert "Send it to the board?" in message
    message = await failure(
        runner, "Input", {"key": "Name", "inputType": "TextInput", "value": "B", "pressEnter": True}
    )
    assert "Send it to the board?" in message
    assert "/sent" not in site.hits


async def test_an_answer_counts_only_for_the_message_it_names(runner: BlockRunner, site: Site) -> None:
    site.page("/sent", "sent")
    await runner.session.goto(site.page("/", ASKS))
    other = {"action": "accept", "messageContains": "delete"}
    message = await failure(runner, "Mouse", {"dialog": other}, text="Go")
    assert "contains “delete”" in message
    assert "/sent" not in site.hits
    meant = {"action": "accept", "messageContains": "the  BOARD"}
    outcome = await runner.run("Mouse", {"dialog": meant}, text="Go")
    assert outcome.output == {"dialog": {"type": "confirm", "message": "Send it to the board?"}}
    assert "/sent" in site.hits


async def test_a_dismissed_question_is_fine_where_the_block_says_dismiss(runner: BlockRunner) -> None:
    await runner.open("""<button onclick="document.title = confirm('Leave?')">Ask</button>""")
    await runner.run("Mouse", {"dialog": {"action": "dismiss"}}, text="Ask")
    assert await runner.value("document.title") == "false"


async def test_alerts_are_accepted_and_fail_nothing(runner: BlockRunner) -> None:
    await runner.open("""<button onclick="alert('Saved'); alert('Really')">Save it</button>""")
    assert (await runner.run("Mouse", {}, text="Save it")).message.startswith("Clicked")


async def test_every_question_in_a_row_must_be_answered(runner: BlockRunner) -> None:
    await runner.open(
        """<button onclick="document.title = confirm('First?') && confirm('Second?')">Ask</button>"""
    )
    await runner.run("Mouse", {"dialog": {"action": "accept"}}, text="Ask")
    assert await runner.value("document.title") == "true"
    first = {"action": "accept", "messageContains": "First"}
    assert "“Second?”" in await failure(runner, "Mouse", {"dialog": first}, text="Ask")


async def test_a_form_stops_at_the_field_whose_change_asks(runner: BlockRunner, site: Site) -> None:
    await runner.session.goto(
        site.page(
            "/",
            """<form method=post action=/sent><label>Plan <select onchange="confirm('Change the plan?')">
            <option>A<option>B</select></label><button>Go</button></form>""",
        )
    )
    fields = [{"key": "Plan", "inputType": "Dropdown", "value": "B"}]
    assert "Change the plan?" in await failure(runner, "Form", {"fields": fields, "submit": True})
    assert "/sent" not in site.hits
    assert "Change the plan?" in await failure(runner, "Dropdown", {"value": "A"}, label="Plan")


async def test_a_question_that_comes_after_a_request_belongs_to_the_block(
    runner: BlockRunner, site: Site
) -> None:
    site.page("/check", "fine", delay=0.4)
    await runner.session.goto(
        site.page(
            "/",
            """<script>const ask = () => { document.title = confirm('Now?') }</script>
            <button onclick="fetch('/check').then(ask)">Go</button>""",
        )
    )
    outcome = await runner.run("Mouse", {"dialog": {"action": "accept"}}, text="Go")
    assert outcome.output == {"dialog": {"type": "confirm", "message": "Now?"}}
    assert await runner.value("document.title") == "true"


async def test_a_late_question_fails_the_block_that_runs_next(runner: BlockRunner) -> None:
    await runner.open("""<button onclick="window.ask = () => confirm('Late?')">Go</button>""")
    await runner.run("Mouse", {}, text="Go")
    assert await runner.value("ask()") is False
    assert "“Late?”" in await failure(runner, "Mouse", {}, text="Go")
    await runner.run("Mouse", {}, text="Go")  # named once


async def test_a_question_of_a_window_that_the_act_opened_counts(runner: BlockRunner, site: Site) -> None:
    site.page("/window", "<script>document.title = confirm('Allow?')</script><p>hello")
    opener = site.page("/", "<button onclick=\"window.open('/window')\">Open</button>")
    await runner.session.goto(opener)
    assert "“Allow?”" in await failure(runner, "Mouse", {}, text="Open")


async def test_navigate_answers_what_a_page_asks_as_it_loads(runner: BlockRunner, site: Site) -> None:
    url = site.page("/", "<script>document.title = confirm('Enter?')</script>")
    await runner.run("Navigate", {"url": url, "dialog": {"action": "accept"}})
    assert await runner.value("document.title") == "true"
    assert "“Enter?”" in await failure(runner, "Navigate", {"url": url})


REQUIRED = "<form method=post action=/sent><label>Amount <input name=amount required></label>{}</form>"


@pytest.mark.parametrize(
    "html",
    [
        REQUIRED.format("<button>Send</button>"),
        REQUIRED.format("<input type=submit value=Send>"),
        REQUIRED.format("<button type=button onclick='this.form.requestSubmit()'>Send</button>"),
        REQUIRED.format("").replace(
            "</form>", "</form><div onclick='document.forms[0].requestSubmit()'>Send</div>"
        ),
        REQUIRED.format("<button>Send</button>").replace(
            "<form", "<form onsubmit='event.preventDefault(); this.reportValidity()' novalidate"
        ),
    ],
)
async def test_a_form_that_the_browser_holds_back_fails_the_click(
    runner: BlockRunner, site: Site, html: str
) -> None:
    await runner.session.goto(site.page("/", html))
    message = (
        await failure(runner, "Mouse", {}, text="Send")
        if "value=Send" not in html
        else await failure(runner, "Mouse", {}, role="button", text="Send")
    )
    assert message == "The form was not sent. The browser says: `Amount`: Please fill out this field."
    assert "/sent" not in site.hits


@pytest.mark.slow
async def test_enter_in_a_form_that_is_held_back_fails_the_input(runner: BlockRunner, site: Site) -> None:
    field = "<label>Zip <input name=zip pattern='[0-9]{5}'></label>"
    form = f"<form method=post action=/sent>{field}<button>Go</button>"
    await runner.session.goto(site.page("/", form))
    data = {"key": "Zip", "inputType": "TextInput", "value": "12", "pressEnter": True}
    assert "`Zip`: Please match the requested format." in await failure(runner, "Input", data)
    fields = [{"key": "Zip", "value": "12", "pressEnter": True}]
    assert "match the requested format" in await failure(runner, "Form", {"fields": fields})
    assert "match the requested format" in await failure(
        runner, "Form", {"fields": [{"key": "Zip", "value": "1"}], "submit": True}
    )
    site.page("/sent", "sent")
    await runner.run("Form", {"fields": [{"key": "Zip", "value": "12345"}], "submit": True})
    assert "/sent" in site.hits


async def test_a_page_that_sets_its_own_words_is_quoted_with_them(runner: BlockRunner) -> None:
    await runner.open("""<form onsubmit="document.title = 'sent'; return false">
      <label>Code <input id=c></label>
      <button onclick="c.setCustomValidity(c.value === 'x' ? '' : 'Ask your clerk for a code.')">Go</button>
      </form>""")
    message = await failure(runner, "Form", {"fields": [{"key": "Code", "value": "y"}], "submit": True})
    assert message.endswith("`Code`: Ask your clerk for a code.")
    await runner.run("Form", {"fields": [{"key": "Code", "value": "x"}], "submit": True})
    assert await runner.value("document.title") == "sent"


async def test_forms_in_shadow_roots_and_frames_are_held_back_too(runner: BlockRunner, site: Site) -> None:
    inner = (
        "<form method=post action=/sent><label>Amount <input required></label><button>Send</button></form>"
    )
    await runner.open(
        f"<x-form></x-form><script>document.querySelector('x-form').attachShadow({{mode: 'open'}})"
        f".innerHTML = `{inner}`</script>"
    )
    assert "Please fill out this field." in await failure(runner, "Mouse", {}, css="button")
    site.page("/inner", inner)
    await runner.session.goto(site.page("/", "<iframe src=/inner></iframe>"))
    assert "Please fill out this field." in await failure(runner, "Mouse", {}, role="button", text="Send")


async def test_enter_that_sends_nothing_is_not_called_sent(runner: BlockRunner) -> None:
    await runner.open("<form><label>A <input></label><label>B <input></label></form>")
    fields = [{"key": "A", "value": "1"}, {"key": "B", "value": "2"}]
    assert "no submit button" in await failure(runner, "Form", {"fields": fields, "submit": True})


async def test_a_page_that_checks_for_itself_and_sends_by_script_is_left_alone(
    runner: BlockRunner, site: Site
) -> None:
    site.page("/api", "ok")
    await runner.session.goto(
        site.page(
            "/",
            """<form novalidate
              onsubmit="this.checkValidity(); fetch('/api', {method: 'POST'}); return false">
            <label>Note <input required></label><button>Keep</button></form>""",
        )
    )
    await runner.run("Mouse", {}, text="Keep")
    assert "/api" in site.hits

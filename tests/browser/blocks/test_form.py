"""Form fills in several fields and sends them."""

import pytest

from pagehand.errors import BlockFailed, InvalidRequest
from support.block_runner import BlockRunner, examples_of

pytestmark = pytest.mark.anyio

FORM = """<form id=f onsubmit="document.title = 'sent ' + (event.submitter?.id ?? 'by enter'); return false">
<label for=first>First name</label><input id=first name=first>
<label for=colour>Colour</label><select id=colour><option>Pick<option value=b>Blue</select>
<label><input type=checkbox id=terms> I agree</label>{}</form>"""


async def test_examples_run_as_shown(runner: BlockRunner) -> None:
    await runner.open(FORM.format("<button id=send>Send</button>"))
    for example in examples_of("Form"):
        await runner.run_block(example, params={"firstName": "Ada"})
    assert await runner.value("[first.value, colour.value, terms.checked]") == ["Ada", "b", True]
    assert await runner.value("document.title") == "sent send"


async def test_without_submit_nothing_is_sent(runner: BlockRunner) -> None:
    await runner.open(FORM.format("<button id=send>Send</button>"))
    await runner.run("Form", {"fields": [{"key": "First name", "value": "Ada"}]})
    assert await runner.value("[first.value, document.title]") == ["Ada", ""]


async def test_the_submit_locator_is_clicked(runner: BlockRunner) -> None:
    await runner.open(FORM.format("<button id=a>Draft</button><button id=b>Send</button>"))
    await runner.run("Form", {"fields": [], "submitLocator": {"text": "Send"}})
    assert await runner.value("document.title") == "sent b"


async def test_a_form_without_a_button_is_sent_with_enter(runner: BlockRunner) -> None:
    await runner.open(FORM.format("").replace("<select", "<!--").replace("</select>", "-->"))
    await runner.run("Form", {"fields": [{"key": "first", "value": "Ada"}], "submit": True})
    assert (await runner.value("document.title")).startswith("sent")


async def test_a_form_named_by_its_locator_is_sent(runner: BlockRunner) -> None:
    await runner.open(FORM.format("<button id=send>Send</button>"))
    await runner.run("Form", {"fields": [], "submit": True}, css="#f")
    assert await runner.value("document.title") == "sent send"


async def test_a_field_needs_a_locator_or_a_key(runner: BlockRunner) -> None:
    with pytest.raises(InvalidRequest, match="key"):
        await runner.run("Form", {"fields": [{"value": "x"}]})


async def test_a_dialog_on_sending_is_answered_and_in_the_output(runner: BlockRunner) -> None:
    await runner.open(
        """<form onsubmit="document.title = confirm('Sure?'); return false">
        <input id=i><button>Go</button></form>"""
    )
    fields = [{"locator": {"css": "#i"}, "value": "x"}]
    outcome = await runner.run("Form", {"fields": fields, "submit": True, "dialog": {"action": "accept"}})
    assert outcome.output == {"dialog": {"type": "confirm", "message": "Sure?"}}
    assert await runner.value("document.title") == "true"


async def test_a_failing_field_names_itself(runner: BlockRunner) -> None:
    await runner.open(FORM.format(""))
    fields = [{"key": "Colour", "inputType": "NativeDropdown", "value": "Green"}]
    with pytest.raises(BlockFailed, match="Green"):
        await runner.run("Form", {"fields": fields, "timeoutMs": 500})

"""Form fills in several fields and sends them."""

import pytest

from pagehand.errors import BlockFailed, InvalidRequest

from .conftest import Desk, examples_of

pytestmark = pytest.mark.anyio

FORM = """<form id=f onsubmit="document.title = 'sent ' + (event.submitter?.id ?? 'by enter'); return false">
<label for=first>First name</label><input id=first name=first>
<label for=colour>Colour</label><select id=colour><option>Pick<option value=b>Blue</select>
<label><input type=checkbox id=terms> I agree</label>{}</form>"""


async def test_examples_run_as_shown(desk: Desk) -> None:
    await desk.open(FORM.format("<button id=send>Send</button>"))
    for example in examples_of("Form"):
        await desk.run_block(example, params={"firstName": "Ada"})
    assert await desk.value("[first.value, colour.value, terms.checked]") == ["Ada", "b", True]
    assert await desk.value("document.title") == "sent send"


async def test_without_submit_nothing_is_sent(desk: Desk) -> None:
    await desk.open(FORM.format("<button id=send>Send</button>"))
    await desk.run("Form", {"fields": [{"key": "First name", "value": "Ada"}]})
    assert await desk.value("[first.value, document.title]") == ["Ada", ""]


async def test_the_submit_locator_is_clicked(desk: Desk) -> None:
    await desk.open(FORM.format("<button id=a>Draft</button><button id=b>Send</button>"))
    await desk.run("Form", {"fields": [], "submitLocator": {"text": "Send"}})
    assert await desk.value("document.title") == "sent b"


async def test_a_form_without_a_button_is_sent_with_enter(desk: Desk) -> None:
    await desk.open(FORM.format("").replace("<select", "<!--").replace("</select>", "-->"))
    await desk.run("Form", {"fields": [{"key": "first", "value": "Ada"}], "submit": True})
    assert (await desk.value("document.title")).startswith("sent")


async def test_a_form_named_by_its_locator_is_sent(desk: Desk) -> None:
    await desk.open(FORM.format("<button id=send>Send</button>"))
    await desk.run("Form", {"fields": [], "submit": True}, css="#f")
    assert await desk.value("document.title") == "sent send"


async def test_a_field_needs_a_locator_or_a_key(desk: Desk) -> None:
    with pytest.raises(InvalidRequest, match="key"):
        await desk.run("Form", {"fields": [{"value": "x"}]})


async def test_a_dialog_on_sending_is_answered_and_put_out(desk: Desk) -> None:
    await desk.open(
        """<form onsubmit="document.title = confirm('Sure?'); return false">
        <input id=i><button>Go</button></form>"""
    )
    fields = [{"locator": {"css": "#i"}, "value": "x"}]
    outcome = await desk.run("Form", {"fields": fields, "submit": True, "dialog": {"action": "accept"}})
    assert outcome.output == {"dialog": {"type": "confirm", "message": "Sure?"}}
    assert await desk.value("document.title") == "true"


async def test_a_failing_field_names_itself(desk: Desk) -> None:
    await desk.open(FORM.format(""))
    fields = [{"key": "Colour", "inputType": "NativeDropdown", "value": "Green"}]
    with pytest.raises(BlockFailed, match="Green"):
        await desk.run("Form", {"fields": fields, "timeoutMs": 500})

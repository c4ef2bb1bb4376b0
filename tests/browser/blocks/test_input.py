"""Input fills in every kind of field."""

from typing import Any

import pytest

from pagehand.errors import BlockFailed, InvalidRequest
from support.block_runner import BlockRunner, examples_of, has_no_output
from support.site import Site

pytestmark = pytest.mark.anyio

FORM = """
<label for=first>First name</label><input id=first value=old>
<label for=pw>Password</label><input id=pw type=password>
<label><input type=checkbox id=terms> I agree</label>
<label for=colour>Colour</label><select id=colour><option value=r>Red<option value=b>Blue</select>
<fieldset><legend>Size</legend><label><input type=radio name=size value=s> Small</label>
<label><input type=radio name=size value=l> Large</label></fieldset>
<label for=born>Birthday</label><input id=born type=date>
"""


async def test_examples_run_as_shown(runner: BlockRunner, site: Site) -> None:
    await runner.session.goto(site.page("/", FORM))
    login = await runner.harness.add_login(site.url, password="s3cret-words")
    for example in examples_of("Input"):
        outcome = await runner.run_block(example, params={"firstName": "Ada"}, login=login)
        assert has_no_output(outcome)
    assert await runner.value("[first.value, pw.value, terms.checked]") == ["Ada", "s3cret-words", True]


async def test_text_replaces_what_stood_there_unless_it_is_to_be_appended(runner: BlockRunner) -> None:
    await runner.open(FORM)
    await runner.run(
        "Input", {"key": "k", "inputType": "TextInput", "value": "er", "clearFirst": False}, css="#first"
    )
    assert await runner.value("first.value") == "older"
    await runner.run("Input", {"key": "k", "inputType": "TextInput", "value": "new"}, css="#first")
    assert await runner.value("first.value") == "new"


@pytest.mark.parametrize("value", ["b", "Blue"])
async def test_text_for_a_list_chooses_its_option(runner: BlockRunner, value: str) -> None:
    await runner.open(FORM)
    await runner.run("Input", {"key": "k", "inputType": "TextInput", "value": value}, css="#colour")
    assert await runner.value("colour.value") == "b"


async def test_a_field_that_takes_keys_only_is_typed_key_by_key(runner: BlockRunner) -> None:
    await runner.open("""<input id=f><script>let kept = '';
      f.onkeydown = e => { if (e.key.length === 1) kept += e.key; else if (e.key === 'Backspace') kept = '' };
      f.oninput = () => { f.value = kept }</script>""")
    await runner.run("Input", {"key": "k", "inputType": "TextInput", "value": "abc"}, css="#f")
    assert await runner.value("f.value") == "abc"


async def test_a_value_the_page_writes_in_its_own_style_counts_as_kept(runner: BlockRunner) -> None:
    await runner.open("""<input id=phone
        oninput="this.value = this.value.replace(/^(\\d{3})(\\d{4})$/, '$1-$2')">
      <input id=sum onblur="this.value = '1,200.50'" oninput="this.value = '1,200.50'">""")
    await runner.run("Input", {"key": "k", "inputType": "TextInput", "value": "5550199"}, css="#phone")
    assert await runner.value("phone.value") == "555-0199"
    await runner.run("Input", {"key": "k", "inputType": "TextInput", "value": "1200.5"}, css="#sum")


async def test_a_value_the_page_cuts_is_a_failure_that_shows_it(runner: BlockRunner) -> None:
    await runner.open("<input id=f maxlength=3>")
    with pytest.raises(BlockFailed, match="shows `abc`"):
        await runner.run("Input", {"key": "k", "inputType": "TextInput", "value": "abcdef"}, css="#f")


async def test_a_field_that_sends_itself_when_full_counts_as_filled(runner: BlockRunner, site: Site) -> None:
    site.page("/in", "<title>In</title>")
    await runner.session.goto(
        site.page("/", "<input id=f oninput=\"if (this.value.length > 5) location = '/in'\">")
    )
    await runner.run("Input", {"key": "k", "inputType": "TextInput", "value": "123456"}, css="#f")
    assert await runner.value("document.title") == "In"


async def test_a_secret_is_kept_masked_and_never_quoted_in_a_failure(runner: BlockRunner) -> None:
    await runner.open("<input id=f maxlength=3>")
    with pytest.raises(BlockFailed) as failure:
        await runner.run(
            "Input", {"key": "k", "inputType": "SensitiveTextInput", "value": "topsecret"}, css="#f"
        )
    assert "top" not in failure.value.message + str(failure.value.diagnosis)
    assert "topsecret" not in runner.result.redactor.text("topsecret")


@pytest.mark.slow
async def test_a_read_only_field_fails_long_before_the_blocks_time_is_over(runner: BlockRunner) -> None:
    await runner.open("<input id=f readonly value=fixed>")
    data = {"key": "k", "inputType": "TextInput", "value": "x", "timeoutMs": 600_000}
    with pytest.raises(BlockFailed, match="read-only"):
        await runner.run("Input", data, css="#f")
    assert await runner.value("f.value") == "fixed"


@pytest.mark.slow
async def test_a_field_that_opens_when_clicked_is_not_a_read_only_field(runner: BlockRunner) -> None:
    await runner.open("<input id=f readonly onfocus=\"this.removeAttribute('readonly')\">")
    await runner.run("Input", {"key": "k", "inputType": "TextInput", "value": "x"}, css="#f")
    assert await runner.value("f.value") == "x"


async def test_typing_keys_makes_the_page_see_each_key(runner: BlockRunner) -> None:
    await runner.open("<input id=f onkeydown=\"document.title += '.'\">")
    await runner.run(
        "Input", {"key": "k", "inputType": "TextInput", "value": "abc", "typing": "keys"}, css="#f"
    )
    assert await runner.value("[document.title, f.value]") == ["...", "abc"]


async def test_keys_are_pressed_after_typing(runner: BlockRunner) -> None:
    await runner.open("<form onsubmit=\"document.title += 'sent'; return false\"><input id=f></form>")
    data = {
        "key": "k",
        "inputType": "TextInput",
        "value": "abc",
        "pressKeys": ["Backspace"],
        "pressEnter": True,
    }
    await runner.run("Input", data, css="#f")
    assert await runner.value("[document.title, f.value]") == ["sent", "ab"]


async def test_editable_text_and_textareas_take_text(runner: BlockRunner) -> None:
    await runner.open("<div id=d contenteditable>old</div><textarea id=t></textarea>")
    await runner.run("Input", {"key": "k", "inputType": "TextInput", "value": "new"}, css="#d")
    await runner.run("Input", {"key": "k", "inputType": "TextInput", "value": "a\nb"}, css="#t")
    assert await runner.value("[d.innerText, t.value]") == ["new", "a\nb"]


async def test_a_checkbox_already_right_is_left_alone(runner: BlockRunner) -> None:
    await runner.open("<input type=checkbox id=c checked onclick=\"document.title = 'clicked'\">")
    await runner.run("Input", {"key": "k", "inputType": "Checkbox", "value": "true"}, css="#c")
    assert await runner.value("[c.checked, document.title]") == [True, ""]
    await runner.run("Input", {"key": "k", "inputType": "Checkbox", "value": "false"}, css="#c")
    assert await runner.value("c.checked") is False


@pytest.mark.parametrize(
    "style", ["display:none", "position:absolute;width:1px;height:1px;clip-path:inset(50%)"]
)
async def test_the_label_of_a_hidden_checkbox_is_clicked(runner: BlockRunner, style: str) -> None:
    await runner.open(f"<input type=checkbox id=c style='{style}'><label for=c>Agree</label>")
    await runner.run("Input", {"key": "k", "inputType": "Checkbox", "value": "true"}, css="#c")
    assert await runner.value("c.checked") is True


async def test_a_checkbox_drawn_over_by_its_label_is_ticked(runner: BlockRunner) -> None:
    await runner.open("""<label style='position:relative;display:block;width:99px;height:30px'>
      <input type=checkbox id=c>
      <span style='position:absolute;inset:0;background:#eee'>Agree</span></label>""")
    await runner.run("Input", {"key": "Agree", "inputType": "Checkbox", "value": "true"})
    assert await runner.value("c.checked") is True


@pytest.mark.slow
async def test_a_checkbox_that_takes_the_click_back_is_a_failure(runner: BlockRunner) -> None:
    await runner.open("<input type=checkbox id=c onclick='return false'>")
    with pytest.raises(BlockFailed, match="did not become checked"):
        await runner.run("Input", {"key": "k", "inputType": "Checkbox", "value": "true"}, css="#c")


async def test_a_drawn_switch_is_a_checkbox_too(runner: BlockRunner) -> None:
    await runner.open("""<div id=c role=switch aria-checked=false
      onclick="this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')">Dark</div>""")
    await runner.run("Input", {"key": "k", "inputType": "Checkbox", "value": "true"}, css="#c")
    assert await runner.value("c.getAttribute('aria-checked')") == "true"


@pytest.mark.parametrize(("value", "chosen"), [("l", "l"), ("Small", "s"), ("large", "l")])
async def test_a_radio_button_is_chosen_by_value_or_label_within_its_group(
    runner: BlockRunner, value: str, chosen: str
) -> None:
    await runner.open(FORM)
    await runner.run("Input", {"key": "Size", "inputType": "Radio", "value": value})
    assert await runner.value("document.querySelector('input[name=size]:checked').value") == chosen
    await runner.run("Input", {"key": "size", "inputType": "Radio", "value": value})


async def test_an_unknown_radio_value_lists_what_there_is(runner: BlockRunner) -> None:
    await runner.open(FORM)
    with pytest.raises(BlockFailed, match="`Small`, `Large`"):
        await runner.run("Input", {"key": "k", "inputType": "Radio", "value": "Huge"}, css="input[name=size]")


async def test_dropdowns_are_chosen_by_text_then_value(runner: BlockRunner) -> None:
    await runner.open(FORM)
    for value, chosen in (("Blue", "b"), ("r", "r")):
        await runner.run("Input", {"key": "Colour", "inputType": "NativeDropdown", "value": value})
        assert await runner.value("colour.value") == chosen


async def test_dates_go_into_native_fields_as_iso_and_into_text_as_given(runner: BlockRunner) -> None:
    await runner.open(FORM)
    await runner.run("Input", {"key": "Birthday", "inputType": "Date", "value": "2026-01-31"})
    await runner.run("Input", {"key": "First name", "inputType": "Date", "value": "31/01/2026"})
    assert await runner.value("[born.value, first.value]") == ["2026-01-31", "31/01/2026"]
    with pytest.raises(BlockFailed, match="2026-01-31"):
        await runner.run("Input", {"key": "Birthday", "inputType": "Date", "value": "nxt friday"})


async def test_files_are_attached_from_file_info_ids_and_arrays(runner: BlockRunner) -> None:
    await runner.open("<input type=file id=f multiple style='display:none'>")
    first = await runner.harness.add_file("a.txt", b"aa")
    second = await runner.harness.add_file("b.txt", b"bbb")
    block = {
        "type": "Input",
        "locator": {"css": "#f"},
        "data": {"key": "k", "inputType": "File", "value": "{{params.f}}"},
    }
    await runner.run_block(block, params={"f": [first, second["id"]]})
    assert await runner.value("[...f.files].map(x => x.name + x.size)") == ["a.txt2", "b.txt3"]
    await runner.run_block(block, params={"f": first})
    assert await runner.value("Promise.all([...f.files].map(x => x.text()))") == ["aa"]


async def test_a_button_that_opens_a_file_chooser_takes_files(runner: BlockRunner) -> None:
    await runner.open("<button id=b onclick='f.click()'>Upload</button><input type=file id=f hidden>")
    info = await runner.harness.add_file("a.txt", b"aa")
    await runner.run("Input", {"key": "k", "inputType": "File", "value": info["id"]}, css="#b")
    assert await runner.value("f.files[0].name") == "a.txt"


WORDED = """<fieldset><legend>Billing address</legend><label>Street <input id=bill></label>
<label>Country <select id=land><option>Peru<option>Norway</select></label></fieldset>
<fieldset><legend>Shipping address</legend><label>Street <input id=ship></label></fieldset>
<table><tr><td>ACME-1</td><td><input type=checkbox id=one></td></tr>
<tr><td>ACME-17</td><td><input type=checkbox id=two></td></tr></table>
<fieldset><legend>Size</legend><label><input type=radio name=s value=s>Small</label>
<label><input type=radio name=s value=l>Large</label></fieldset>
<label>Birthday <input type=date id=born></label>"""


def worded(prompt: str, value: str, input_type: str = "TextInput") -> dict[str, Any]:
    return {"key": "x", "prompt": prompt, "mode": "aiInference", "inputType": input_type, "value": value}


@pytest.mark.slow
async def test_inference_finds_the_field_its_prompt_describes_without_a_model(runner: BlockRunner) -> None:
    await runner.open(WORDED)
    outcome = await runner.run("Input", worded("Street in the shipping address section", "Elm 1"))
    assert outcome.details["how"] == "words"
    await runner.run("Input", worded("the billing street", "Oak 2"))
    await runner.run("Input", worded("the Country dropdown", "Norway", "Dropdown"))
    await runner.run("Input", worded("the checkbox in the row of ACME-17", "true", "Checkbox"))
    await runner.run("Input", worded("Size", "Large", "Radio"))
    await runner.run("Input", worded("date of birth", "2001-02-03", "Date"))
    values = "[ship.value, bill.value, land.value, one.checked, two.checked, born.value]"
    assert await runner.value(values) == ["Elm 1", "Oak 2", "Norway", False, True, "2001-02-03"]
    assert await runner.value("document.querySelector('[name=s]:checked').value") == "l"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("prompt", "why"),
    [
        ("the Street field", "could mean 2 elements"),
        ("the office street", "nothing on the page explains `office`"),
        ("Street, but not the billing one", "says what is not meant"),
    ],
)
async def test_a_prompt_that_does_not_lead_to_one_field_types_nothing(
    runner: BlockRunner, prompt: str, why: str
) -> None:
    await runner.open(WORDED)
    with pytest.raises(BlockFailed, match=why) as failure:
        await runner.run("Input", worded(prompt, "Elm 1") | {"timeoutMs": 1500})
    assert "PAGEHAND_MODEL" in failure.value.diagnosis.advice
    assert await runner.value("ship.value + bill.value") == ""


@pytest.mark.slow
async def test_inference_without_a_prompt_goes_by_the_key(runner: BlockRunner) -> None:
    await runner.open(FORM)
    data = {"key": "First name", "mode": "aiInference", "inputType": "TextInput", "value": "Ada"}
    await runner.run("Input", data)
    assert await runner.value("first.value") == "Ada"
    with pytest.raises(BlockFailed) as failure:
        await runner.run("Input", {**data, "key": "first na", "timeoutMs": 800})
    assert "PAGEHAND_MODEL" in failure.value.diagnosis.advice


async def test_key_type_and_value_are_demanded(runner: BlockRunner) -> None:
    for data in (
        {"inputType": "TextInput", "value": "v"},
        {"key": "k", "value": "v"},
        {"key": "k", "inputType": "TextInput"},
        {"key": "k", "inputType": "Telepathy", "value": "v"},
        {"key": "k", "inputType": "TextInput", "value": 5},
    ):
        with pytest.raises(InvalidRequest):
            await runner.run("Input", data)


async def test_a_button_that_asks_for_no_file_fails_and_says_so(runner: BlockRunner) -> None:
    await runner.open("<button id=b>Choose</button>")
    kept = await runner.harness.add_file("a.txt", b"a")
    with pytest.raises(BlockFailed, match="no file chooser"):
        await runner.run(
            "Input", {"key": "b", "inputType": "File", "value": kept["id"], "timeoutMs": 600}, css="#b"
        )


async def test_a_page_that_waits_for_a_key_to_go_up_is_notified_of_an_insert(runner: BlockRunner) -> None:
    await runner.open("<input id=f onkeyup='slug.value = f.value.toLowerCase()'><input id=slug>")
    await runner.run("Input", {"key": "k", "inputType": "TextInput", "value": "Ada"}, css="#f")
    assert await runner.value("slug.value") == "ada"


EDITOR = """<div class=CodeMirror id=e><textarea id=keys style="width:9px"></textarea>
<div class=CodeMirror-lines id=lines tabindex=0>old</div></div><script>
e.CodeMirror = {getValue: () => lines.textContent};
lines.onmousedown = event => { event.preventDefault(); keys.focus() };
keys.onkeydown = event => { if (event.key === 'Delete') lines.textContent = '' };
keys.oninput = () => { lines.textContent += keys.value; keys.value = '' };
</script>"""


@pytest.mark.parametrize("css", ["#e", "#keys", "body"])
async def test_a_code_editor_is_emptied_and_written_into(runner: BlockRunner, css: str) -> None:
    await runner.open(EDITOR)
    await runner.run("Input", {"key": "k", "inputType": "TextInput", "value": "select 1"}, css=css)
    assert await runner.value("lines.textContent") == "select 1"


async def test_a_rich_editor_has_handed_its_text_to_the_form_when_the_block_ends(runner: BlockRunner) -> None:
    await runner.open(
        """<form><div><div contenteditable id=editor></div></div><input type=hidden id=copy value='{}'></form>
        <script>editor.oninput = () => setTimeout(() => {
          copy.value = JSON.stringify({blocks: editor.innerText.split('\\n').map((text) => ({text}))});
        }, 250)</script>"""
    )
    note = {"key": "note", "inputType": "TextInput", "value": "Closed today.\nOpen: 9 o'clock"}
    await runner.run("Input", note, css="#editor")
    assert "Open: 9 o'clock" in await runner.value("copy.value")
    more = {**note, "value": " sharp", "clearFirst": False}
    await runner.run("Input", more, css="#editor")
    assert "9 o'clock sharp" in await runner.value("copy.value")

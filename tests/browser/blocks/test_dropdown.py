"""Dropdown chooses options in every kind of list."""

from typing import Any

import pytest

from pagehand.errors import BlockFailed, InvalidRequest
from support.block_runner import BlockRunner, examples_of

pytestmark = pytest.mark.anyio

NATIVE = """<label for=colour>Colour</label><select id=colour onchange="document.title += this.value">
<option value=''>Pick<option value=r>Red<option value=b>Dark  Blue<option value=x disabled>Grey</select>"""
LISTBOX = """<button id=open role=combobox aria-controls=list onclick="list.hidden = false">Pick</button>
<ul id=list role=listbox hidden><li role=option>One<li role=option>Two
<li role=option aria-disabled=true>Three</ul>
<script>list.onclick = e => { open.textContent = e.target.innerText; list.hidden = true }</script>"""


async def test_examples_run_as_shown(runner: BlockRunner) -> None:
    await runner.open("""<label for=colour>Colour</label><select id=colour><option>Red<option>Blue</select>
      <label for=sizes>Sizes</label><select id=sizes multiple><option value=s>Small<option value=m>Medium
      <option value=l>Large</select>""")
    for example in examples_of("Dropdown"):
        await runner.run_block(example)
    assert await runner.value("[colour.value, [...sizes.selectedOptions].map(o => o.value)]") == [
        "Blue",
        ["s", "l"],
    ]


@pytest.mark.parametrize(
    ("data", "chosen"),
    [
        ({"value": "Dark Blue"}, "b"),
        ({"value": "red"}, "r"),
        ({"value": "b", "matchBy": "value"}, "b"),
        ({"value": "2", "matchBy": "index"}, "b"),
        ({"value": "drk blue", "matchBy": "closest"}, "b"),
        ({"value": 2, "matchBy": "index"}, "b"),
    ],
)
async def test_an_option_is_chosen_as_asked(runner: BlockRunner, data: dict[str, Any], chosen: str) -> None:
    await runner.open(NATIVE)
    await runner.run("Dropdown", data, css="#colour")
    assert await runner.value("[colour.value, document.title]") == [chosen, chosen]


async def test_a_missing_option_lists_the_options(runner: BlockRunner) -> None:
    await runner.open(NATIVE)
    with pytest.raises(BlockFailed, match="`Pick`, `Red`, `Dark Blue`, `Grey`"):
        await runner.run("Dropdown", {"value": "Green", "timeoutMs": 500}, css="#colour")


@pytest.mark.parametrize(
    "redraw",
    [
        "list.prepend(option('Zero'))",
        "list.replaceChildren(); setTimeout(() => list.append(option('One')), 300)",
    ],
    ids=["with another before it", "from nothing"],
)
async def test_a_list_that_is_drawn_anew_after_it_was_read_gets_the_right_click(
    runner: BlockRunner, redraw: str
) -> None:
    await runner.open(f"""{LISTBOX}<script>
      const option = text =>
        Object.assign(document.createElement('li'), {{textContent: text, role: 'option'}})
      let isRead = false
      Object.defineProperty(list.children[0], 'innerText', {{get() {{
        if (!isRead) {{ isRead = true; setTimeout(() => {{ {redraw} }}) }}
        return 'One' }}}})</script>""")
    outcome = await runner.run("Dropdown", {"value": "One"}, css="#open")
    assert outcome.details["chosen"] == ["One"]
    assert await runner.value("open.textContent") == "One"


async def test_late_options_are_waited_for(runner: BlockRunner) -> None:
    await runner.open(
        NATIVE + "<script>setTimeout(() => colour.add(new Option('Late', 'late')), 600)</script>"
    )
    await runner.run("Dropdown", {"value": "Late"}, css="#colour")
    assert await runner.value("colour.value") == "late"


async def test_a_disabled_option_is_a_failure(runner: BlockRunner) -> None:
    await runner.open(NATIVE)
    with pytest.raises(BlockFailed, match="`Grey` is disabled"):
        await runner.run("Dropdown", {"value": "Grey"}, css="#colour")


async def test_a_drawn_list_is_opened_and_clicked(runner: BlockRunner) -> None:
    await runner.open(LISTBOX)
    await runner.run("Dropdown", {"value": "Two"}, css="#open")
    assert await runner.value("[open.textContent, list.hidden]") == ["Two", True]


@pytest.mark.slow
async def test_a_drawn_list_without_the_option_lists_its_options(runner: BlockRunner) -> None:
    await runner.open(LISTBOX)
    with pytest.raises(BlockFailed, match="`One`, `Two`, `Three`"):
        await runner.run("Dropdown", {"value": "Four"}, css="#open")


async def test_a_combobox_that_filters_is_typed_into(runner: BlockRunner) -> None:
    await runner.open("""<input id=i role=combobox aria-controls=l><ul id=l role=listbox></ul><script>
      i.oninput = () => { l.innerHTML = ['Oslo', 'Osaka'].filter(c => i.value && c.startsWith(i.value))
        .map(c => `<li role=option>${c}</li>`).join('') };
      l.onclick = e => { i.value = e.target.innerText; document.title = 'chose ' + i.value; l.innerHTML = '' }
      </script>""")
    await runner.run("Dropdown", {"value": "Osaka"}, css="#i")
    assert await runner.value("document.title") == "chose Osaka"


@pytest.mark.slow
async def test_a_list_that_draws_only_what_is_in_view_is_scrolled(runner: BlockRunner) -> None:
    await runner.open("""<button id=b aria-controls=l>Pick</button>
      <div id=l role=listbox style='height:100px;overflow:auto;position:relative'>
      <div id=tall style='height:4000px'></div></div><script>
      const draw = () => { const from = Math.floor(l.scrollTop / 20);
        tall.innerHTML = Array.from({length: 6}, (_, i) => from + i).map(n => `<div role=option
          style='position:absolute;top:${n * 20}px;height:20px'>Item ${n}</div>`).join('') };
      l.onscroll = draw; draw(); l.onclick = e => document.title = e.target.innerText;</script>""")
    await runner.run("Dropdown", {"value": "Item 150"}, css="#b")
    assert await runner.value("document.title") == "Item 150"


@pytest.mark.slow
async def test_a_list_built_of_plain_divs_is_chosen_by_text(runner: BlockRunner) -> None:
    await runner.open("""<div id=d onclick='m.hidden = false'>Pick</div><div id=m hidden>
      <div onclick="document.title = 'a'">Apple</div><div onclick="document.title = 'p'">Pear</div></div>""")
    await runner.run("Dropdown", {"value": "Pear"}, css="#d")
    assert await runner.value("document.title") == "p"


async def test_several_values_for_a_single_choice_are_a_failure(runner: BlockRunner) -> None:
    await runner.open(NATIVE)
    with pytest.raises(BlockFailed, match="takes one option"):
        await runner.run("Dropdown", {"values": ["Red", "Pick"]}, css="#colour")


async def test_value_or_values_is_demanded(runner: BlockRunner) -> None:
    for data in ({}, {"value": "a", "values": ["b"]}):
        with pytest.raises(InvalidRequest, match="value"):
            await runner.run("Dropdown", data, css="#colour")


async def test_numbers_are_options_too(runner: BlockRunner) -> None:
    await runner.open("<select id=s multiple><option>1<option>2.5<option>30</select>")
    await runner.run("Dropdown", {"values": [2.5, 30]}, css="#s")
    assert await runner.value("[...s.selectedOptions].map(o => o.text)") == ["2.5", "30"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ("<input id=x>", "text field"),
        ("<textarea id=x></textarea>", "text area"),
    ],
)
async def test_what_is_not_a_dropdown_is_called_what_it_is(runner: BlockRunner, html: str, kind: str) -> None:
    await runner.open(html)
    with pytest.raises(BlockFailed, match=f"This is a {kind}, not a dropdown"):
        await runner.run("Dropdown", {"value": "Blue"}, css="#x")

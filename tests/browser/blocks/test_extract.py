"""Extract reads fields off the page in the shape of a schema."""

import time
from typing import Any

import pytest

from pagehand.errors import BlockFailed
from support.block_runner import BlockRunner, examples_of
from support.site import Site

pytestmark = pytest.mark.anyio

ORDERS = """<table><tr><th>Order #<th>Date<th>Total</tr>
<tr><td>A-1<td>31.01.2026<td>€ 1.200,50</tr></table>"""

TABLE = """<h1> Invoices </h1><p id=total>$1,200.50</p><table><tbody>
<tr><td>Ada</td><td><a href="/1">one</a></td></tr><tr><td>Bob</td><td></td></tr></tbody></table>"""


async def test_examples_run_as_shown(runner: BlockRunner, site: Site) -> None:
    by_name, *by_place = examples_of("Extract")
    await runner.session.goto(site.page("/orders", "<h1>Orders</h1>" + ORDERS))
    orders = await runner.run_block(by_name)
    assert orders.output == [{"orderNumber": "A-1", "orderDate": "2026-01-31", "total": 1200.5}]
    await runner.session.goto(site.page("/", TABLE))
    single, many = [await runner.run_block(example) for example in by_place]
    assert single.output == {"title": "Invoices", "total": 1200.5}
    assert many.output == [{"name": "Ada", "link": f"{site.url}/1"}, {"name": "Bob", "link": None}]


async def test_attributes_are_live_and_addresses_absolute(runner: BlockRunner, site: Site) -> None:
    await runner.session.goto(
        site.page(
            "/dir/",
            """<input id=i value=old><input type=checkbox id=c><a id=a href="../x?y=1">x</a>
            <img id=g src=p.png>
            <div id=d data-n=7><b>bold</b></div><svg><text id=s> drawn </text></svg>""",
        )
    )
    await runner.value("i.value = 'new'; c.checked = true")
    fields = {
        "value": {"locator": {"css": "#i"}, "attribute": "value"},
        "checked": {"locator": {"css": "#c"}, "attribute": "checked"},
        "href": {"locator": {"css": "#a"}, "attribute": "href"},
        "src": {"locator": {"css": "#g"}, "attribute": "src"},
        "html": {"locator": {"css": "#d"}, "attribute": "html"},
        "data": {"locator": {"css": "#d"}, "attribute": "data-n"},
        "svg": {"locator": {"css": "#s"}},
        "none": {"locator": {"css": "#d"}, "attribute": "data-missing"},
    }
    assert (await runner.run("Extract", {"fields": fields})).output == {
        "value": "new",
        "checked": True,
        "href": f"{site.url}/x?y=1",
        "src": f"{site.url}/dir/p.png",
        "html": "<b>bold</b>",
        "data": "7",
        "svg": "drawn",
        "none": None,
    }


async def test_locators_of_every_kind_find_fields(runner: BlockRunner) -> None:
    await runner.open(
        "<h2>Name</h2><label for=i>City</label><input id=i value=Oslo><p>Total: 5</p><p>Total: 6</p>"
    )
    fields = {
        "heading": {"locator": {"role": "heading"}},
        "city": {"locator": {"label": "City"}, "attribute": "value"},
        "totals": {"locator": {"text": "Total:"}, "many": True},
    }
    outcome = await runner.run("Extract", {"fields": fields})
    assert outcome.output == {"heading": "Name", "city": "Oslo", "totals": ["Total: 5", "Total: 6"]}


async def test_the_block_locator_is_the_scope_and_a_field_without_one_is_the_scope_itself(
    runner: BlockRunner,
) -> None:
    await runner.open("<p class=x>out</p><div id=d><p class=x>in</p></div>")
    data = {"fields": {"x": {"locator": {"css": ".x"}}, "self": {"attribute": "id"}}}
    assert (await runner.run("Extract", data, css="#d")).output == {"x": "in", "self": "d"}


async def test_rows_found_by_role_read_their_own_fields(runner: BlockRunner) -> None:
    await runner.open("<ul><li>a <b>1</b></li><li>b <b>2</b></li></ul>")
    schema = {"type": "array", "items": {"properties": {"n": {"type": "integer"}}}}
    data = {"many": True, "fields": {"n": {"locator": {"css": "b"}}}, "schema": schema}
    assert (await runner.run("Extract", data, role="listitem")).output == [{"n": 1}, {"n": 2}]


async def test_a_schema_of_one_row_serves_for_many(runner: BlockRunner) -> None:
    await runner.open("<ul><li>1</li><li>x</li></ul>")
    data: dict[str, Any] = {
        "many": True,
        "fields": {"n": {}},
        "schema": {"properties": {"n": {"type": "integer"}}},
    }
    with pytest.raises(BlockFailed, match="Row 1"):
        await runner.run("Extract", data, css="li")


async def test_fields_in_frames_and_shadow_roots_are_found(runner: BlockRunner) -> None:
    await runner.open("""<iframe srcdoc="<p class=deep>framed</p>"></iframe><x-card id=card></x-card>
      <script>card.attachShadow({mode: 'open'}).innerHTML = '<p class=s>shadow</p>'</script>""")
    fields = {"f": {"locator": {"css": ".deep"}}, "s": {"locator": {"css": ".s"}}}
    data = {"fields": fields, "schema": {"required": ["f", "s"]}}
    assert (await runner.run("Extract", data)).output == {"f": "framed", "s": "shadow"}


async def test_a_missing_field_is_null_and_fails_only_if_required(runner: BlockRunner) -> None:
    await runner.open("<p id=a>here</p>")
    fields = {"a": {"locator": {"css": "#a"}}, "b": {"locator": {"css": "#b"}}}
    schema = {"properties": {"b": {"type": "number"}}}
    # it is not waited for: that would take longer than a test may
    data = {"fields": fields, "schema": schema, "timeoutMs": 3_600_000}
    assert (await runner.run("Extract", data)).output == {"a": "here", "b": None}
    with pytest.raises(BlockFailed, match="b"):
        await runner.run(
            "Extract", {"fields": fields, "schema": {**schema, "required": ["b"]}, "timeoutMs": 600}
        )


async def test_what_is_required_is_waited_for(runner: BlockRunner) -> None:
    await runner.open(
        """<p id=a>here</p><script>
        setTimeout(() => a.insertAdjacentHTML('afterend', '<p id=b>5'), 700)</script>"""
    )
    fields = {"a": {"locator": {"css": "#a"}}, "b": {"locator": {"css": "#b"}}}
    schema = {"properties": {"b": {"type": "number"}}, "required": ["b"]}
    assert (await runner.run("Extract", {"fields": fields, "schema": schema})).output == {"a": "here", "b": 5}


async def test_no_rows_are_an_empty_array(runner: BlockRunner) -> None:
    await runner.open("<p>nothing</p>")
    data: dict[str, Any] = {"many": True, "fields": {"n": {}}, "timeoutMs": 500}
    assert (await runner.run("Extract", data, css="li")).output == []


async def test_reading_many_rows_takes_one_look_at_the_page(runner: BlockRunner) -> None:
    await runner.open("<ul>" + "".join(f"<li><b>{n}</b><i>x{n}</i></li>" for n in range(2000)) + "</ul>")
    fields = {"n": {"locator": {"css": "b"}}, "x": {"locator": {"css": "i"}}}
    began = time.monotonic()
    outcome = await runner.run("Extract", {"many": True, "fields": fields}, css="li")
    assert outcome.output[1999] == {"n": "1999", "x": "x1999"}
    assert time.monotonic() - began < 5


async def test_a_bad_selector_is_named(runner: BlockRunner) -> None:
    await runner.open("<p>x</p>")
    with pytest.raises(BlockFailed, match="valid"):
        await runner.run("Extract", {"fields": {"a": {"locator": {"css": "p[["}}}})


@pytest.mark.slow
async def test_without_fields_the_refusal_names_what_to_do(runner: BlockRunner) -> None:
    await runner.open("<p>Nothing of that kind</p>")
    with pytest.raises(BlockFailed) as failure:
        await runner.run("Extract", {"prompt": "the price", "schema": {}})
    assert "PAGEHAND_MODEL" in failure.value.diagnosis.advice


async def test_a_field_that_is_not_there_is_reported_missing(runner: BlockRunner) -> None:
    await runner.open("<h1>Bill</h1>")
    fields = {"title": {"locator": {"css": "h1"}}, "total": {"locator": {"css": "#total"}}}
    outcome = await runner.run("Extract", {"fields": fields, "timeoutMs": 500})
    assert outcome.output == {"title": "Bill", "total": None}
    assert outcome.message == "Read `title`. `total` was not found on the page"
    assert outcome.details == {"missing": {"total": 1}, "fields": 1}
    assert outcome.remark == "`total` was not found on the page"


async def test_a_column_that_is_null_in_every_row_is_reported_missing(runner: BlockRunner) -> None:
    await runner.open("<ul><li><b>a</b><li><b>b</b><i>x</i></ul>")
    names = {"b": {"locator": {"css": "b"}}, "i": {"locator": {"css": "i"}}, "u": {"locator": {"css": "u"}}}
    outcome = await runner.run("Extract", {"many": True, "fields": names}, css="li")
    assert outcome.message == "Read 2 rows. `u` is missing in every row"
    assert outcome.details == {"missing": {"i": 1, "u": 2}, "rows": 2}


async def test_a_page_without_rows_is_reported(runner: BlockRunner) -> None:
    await runner.open("<p>Nothing here</p>")
    fields = {"b": {"locator": {"css": "b"}}}
    outcome = await runner.run("Extract", {"many": True, "fields": fields, "timeoutMs": 400}, css="li")
    assert (outcome.output, outcome.message) == ([], "Read 0 rows. There were no rows")


async def test_a_required_field_fails_with_its_locator(runner: BlockRunner) -> None:
    await runner.open("<ul><li><b>a</b><li></ul>")
    fields = {"b": {"locator": {"css": "b"}, "required": True}}
    with pytest.raises(
        BlockFailed, match="`b` is required and was not found in row 1: nothing matches css `b`"
    ):
        await runner.run("Extract", {"many": True, "fields": fields, "timeoutMs": 400}, css="li")
    with pytest.raises(BlockFailed, match="`u` is required and was not found: nothing matches css `u`"):
        await runner.run(
            "Extract", {"fields": {"u": {"locator": {"css": "u"}, "required": True}}, "timeoutMs": 400}
        )


async def test_what_the_schema_requires_fails_with_its_locator_too(runner: BlockRunner) -> None:
    await runner.open("<p>x</p>")
    schema = {"type": "object", "properties": {"u": {"type": "string"}}, "required": ["u"]}
    data = {"fields": {"u": {"locator": {"css": "u"}}}, "schema": schema, "timeoutMs": 400}
    with pytest.raises(BlockFailed, match="`u` is required and was not found: nothing matches css `u`"):
        await runner.run("Extract", data)


async def test_a_frame_alone_is_where_to_look(runner: BlockRunner) -> None:
    await runner.open(
        """<table><tr><th>Name<th>Total</tr><tr><td>Outer<td>1</tr></table>
        <iframe name=inner srcdoc="<table><tr><th>Name<th>Total<tr><td>Ada<td>5</table>"></iframe>"""
    )
    row = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    read = await runner.run("Extract", {"schema": {"type": "array", "items": row}}, frame="inner")
    assert read.output == [{"name": "Ada"}]
    by_fields = await runner.run("Extract", {"fields": {"cell": {"locator": {"css": "td"}}}}, frame="inner")
    assert by_fields.output == {"cell": "Ada"}


async def test_lone_halves_of_letters_are_replaced(runner: BlockRunner) -> None:
    await runner.open("<dl><dt>Name<dd id=n></dl><script>n.textContent = 'a\\ud800b'</script>")
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    assert (await runner.run("Extract", {"schema": schema})).output == {"name": "a\ufffdb"}
    by_fields = await runner.run("Extract", {"fields": {"name": {"locator": {"css": "#n"}}}})
    assert by_fields.output == {"name": "a\ufffdb"}


@pytest.mark.slow
async def test_a_frame_that_answers_no_script_does_not_hold_up_the_reading(
    runner: BlockRunner, site: Site
) -> None:
    policy = {"Content-Security-Policy": "script-src 'none'"}
    frame = "<iframe src=\"javascript:'<p>never</p>'\"></iframe>"
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    await runner.session.goto(site.page("/there", f"<dl><dt>Name<dd>Ada</dl>{frame}", headers=policy))
    began = time.monotonic()
    assert (await runner.run("Extract", {"schema": schema})).output == {"name": "Ada"}
    await runner.session.goto(site.page("/absent", f"<p>Nobody</p>{frame}", headers=policy))
    with pytest.raises(BlockFailed, match="`name`"):
        await runner.run("Extract", {"schema": schema})
    assert time.monotonic() - began < 20

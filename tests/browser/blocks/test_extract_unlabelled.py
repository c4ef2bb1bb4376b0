"""Extract on pages that name values only by place or order: boards, settings, sentences."""

import pytest

from support.block_runner import BlockRunner
from support.extracting import DATE, INTEGER, NUMBER, TEXT, read, record, refusal, rows

pytestmark = pytest.mark.anyio

BOARD = """<h1>Hiring</h1><style>.lane{float:left;width:200px}</style><main>
<div class=lane><h2>Applied <i>2</i></h2><div class=card><b>Mia Wong</b><p>Role: Cook</p></div>
<div class=card><b>Leo Brandt</b><p>Role: Waiter</p></div></div>
<div class=lane><h2>Interview <i>1</i></h2><div class=card><b>Ana Ruiz</b><p>Role: Cook</p></div></div>
<div class=lane><h2>Offer <i>0</i></h2></div></main>"""


async def test_the_cards_of_all_columns_of_a_board_are_one_list(runner: BlockRunner) -> None:
    people = [
        {"name": "Mia Wong", "role": "Cook"},
        {"name": "Leo Brandt", "role": "Waiter"},
        {"name": "Ana Ruiz", "role": "Cook"},
    ]
    assert await read(runner, BOARD, rows("name role", name=TEXT, role=TEXT)) == people
    # the headings of the columns are not the titles of the cards
    titles = [{"title": person["name"]} for person in people]
    assert await read(runner, BOARD, rows("title", title=TEXT, salary=NUMBER)) == titles


async def test_sections_with_one_box_each_stay_the_records(runner: BlockRunner) -> None:
    page = """<section class=s><h2>Berlin</h2><div class=b><p>Seats: 12</p></div></section>
    <section class=s><h2>Paris</h2><div class=b><p>Seats: 7</p></div></section>"""
    schema = rows("name seats", name=TEXT, seats=INTEGER)
    assert await read(runner, page, schema) == [
        {"name": "Berlin", "seats": 12},
        {"name": "Paris", "seats": 7},
    ]


async def test_a_field_is_named_by_the_text_before_its_hint(runner: BlockRunner) -> None:
    line = "<div style=display:flex><div>{}<div style=font-size:9px>{}</div></div><div>{}</div></div>"
    page = line.format("Trading name", "As on your invoices", "<input value='Moss & Co'>") + line.format(
        "Public profile", "Costs nothing", "<button role=switch aria-checked=true></button>"
    )
    schema = record("tradingName publicProfile", tradingName=TEXT, publicProfile={"type": "boolean"})
    assert await read(runner, page, schema) == {"tradingName": "Moss & Co", "publicProfile": True}


async def test_words_beside_a_value_name_it(runner: BlockRunner) -> None:
    page = """<h1>Choir</h1><p>Conductor: Ines Sá | Hall C4 | 31 singers</p>
    <p>Last inspected on 3 May 2026 by the city.</p><p>Ring 030 555 0199 for tickets</p>"""
    schema = record(
        "conductor hall singers lastInspected phone",
        conductor=TEXT,
        hall=TEXT,
        singers=INTEGER,
        lastInspected=DATE,
        phone=TEXT,
    )
    assert await read(runner, page, schema) == {
        "conductor": "Ines Sá",
        "hall": "C4",
        "singers": 31,
        "lastInspected": "2026-05-03",
        "phone": "030 555 0199",
    }
    # only the same words: a hall is not a hall's number of seats
    assert "`hallSeats`" in (await refusal(runner, page, record("hallSeats", hallSeats=INTEGER))).message


async def test_a_count_before_its_noun_in_some_of_the_cards(runner: BlockRunner) -> None:
    page = "<ul>" + "".join(
        f"<li class=c><h3>{name}</h3><p>{left}</p></li>"
        for name, left in [("Yoga", "5 seats left"), ("Judo", "Full"), ("Chess", "1 seat left")]
    )
    found = await read(runner, page, rows("title", title=TEXT, seatsLeft=INTEGER))
    assert found == [{"title": "Yoga", "seatsLeft": 5}, {"title": "Judo"}, {"title": "Chess", "seatsLeft": 1}]


async def test_a_header_that_comes_again_is_no_row(runner: BlockRunner) -> None:
    head = "<tr><td>Tool</td><td>Count</td><td>Rent</td><td></td></tr>"
    line = "<tr><td>{}</td><td>{}</td><td>PLN {}</td><td><a href=#>Edit</a></td></tr>"
    page = f"""<table><tr><td colspan=4><b>Hall 1</b></td></tr>{head}{line.format("Saw", 3, "12.50")}
    <tr><td colspan=4><b>Hall 2</b></td></tr>{head}{line.format("Drill", 9, "7.00")}</table>"""
    found = await read(runner, page, rows("tool count rent", tool=TEXT, count=INTEGER, rent=NUMBER))
    assert found == [{"tool": "Saw", "count": 3, "rent": 12.5}, {"tool": "Drill", "count": 9, "rent": 7.0}]


async def test_points_that_a_column_is_out_of_are_no_part_of_its_name(runner: BlockRunner) -> None:
    page = "<table><tr><th>Name<th>Oral / 15</tr><tr><td>Bo<td>11</tr><tr><td>Cy<td>14</tr></table>"
    found = await read(runner, page, rows("name oral", name=TEXT, oral=INTEGER))
    assert found == [{"name": "Bo", "oral": 11}, {"name": "Cy", "oral": 14}]


async def test_prices_in_other_currencies_and_the_same_amount_twice(runner: BlockRunner) -> None:
    page = """<ul><li><a href=/1>Tent</a><div>kr 1 198,00</div></li><li><a href=/2>Rope</a><div>249 kr</div>
    </li></ul><fieldset><legend>Post</legend><label><input type=radio checked> By post (kr 79)</label>
    </fieldset><dl><dt>Post</dt><dd>kr 79,00</dd></dl>"""
    goods = [{"name": "Tent", "price": 1198.0}, {"name": "Rope", "price": 249}]
    assert await read(runner, page, rows("name price", name=TEXT, price=NUMBER)) == goods
    assert await read(runner, page, record("post", post=NUMBER)) == {"post": 79}

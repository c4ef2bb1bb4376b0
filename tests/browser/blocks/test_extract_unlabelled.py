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


async def test_labels_and_values_that_take_turns(runner: BlockRunner) -> None:
    schema = record("driver licenceNo depot", driver=TEXT, licenceNo=TEXT, depot=TEXT)
    found = {"driver": "Ode Falk", "licenceNo": "K-77", "depot": "Mole St"}
    table = """<style>td:nth-child(odd){background:#eee}</style><table>
    <tr><td>Driver</td><td>Ode Falk</td><td>Licence no.</td><td>K-77</td></tr>
    <tr><td>Depot</td><td>Mole St</td><td>Shift</td><td>Late</td></tr></table>"""
    assert await read(runner, table, schema) == found
    grid = """<div style="display:grid;grid-template-columns:repeat(4,1fr)">
    <span>Driver</span><input value="Ode Falk"><span>Licence no.</span><input value=K-77>
    <span>Depot</span><select><option>Mole St</select><span>Shift</span><input value=Late></div>"""
    assert await read(runner, grid, schema) == found
    # four columns of a list that look the same are a list
    rows_of = """<table><tr><td>Town</td><td>Zip</td><td>Mayor</td><td>Fax</td></tr>
    <tr><td>Ulm</td><td>89073</td><td>Rau</td><td>12</td></tr>
    <tr><td>Bonn</td><td>53111</td><td>Kim</td><td>34</td></tr></table>"""
    people = await read(runner, rows_of, rows("town mayor", town=TEXT, mayor=TEXT))
    assert people == [{"town": "Ulm", "mayor": "Rau"}, {"town": "Bonn", "mayor": "Kim"}]


async def test_an_element_before_its_text_is_a_label(runner: BlockRunner) -> None:
    page = """<style>i{font-size:9px;display:block}</style><p><b>Buyer</b> Port of Bari</p>
    <div><i>Led by</i>Mrs Kern</div><div style="display:flex"><span>Net weight</span><b>41.5</b></div>"""
    schema = record("buyer ledBy netWeight", buyer=TEXT, ledBy=TEXT, netWeight=NUMBER)
    assert await read(runner, page, schema) == {
        "buyer": "Port of Bari",
        "ledBy": "Mrs Kern",
        "netWeight": 41.5,
    }


async def test_rows_that_sum_up_a_part_of_a_table_are_left_out(runner: BlockRunner) -> None:
    line = "<tr><td>{}<td>{}<td>{}</tr>"
    page = f"""<table><tr><th>Order<th>Buyer<th>Pieces</tr>{line.format("A1", "Ann", 2)}
    {line.format("A2", "Bo", 3)}<tr><td colspan=2>2 orders<td>5</tr>{line.format("A3", "Cy", 4)}
    {line.format("A4", "Di", 1)}<tr><td colspan=2>2 orders<td>5</tr></table>"""
    found = await read(runner, page, rows("order pieces", order=TEXT, pieces=INTEGER))
    assert [row["order"] for row in found] == ["A1", "A2", "A3", "A4"]


async def test_a_total_of_two_columns_of_money_is_not_guessed(runner: BlockRunner) -> None:
    page = """<table><tr><th>What<th>Month<th>Year</tr><tr><td>Tax<td>€2.00<td>€8.00</tr>
    <tr><td>Fee<td>€1.00<td>€4.00</tr><tfoot><tr><th>Total<td>€3.00<td>€12.00</tr></tfoot></table>"""
    assert "`total`" in (await refusal(runner, page, record("total", total=NUMBER))).message


async def test_a_cell_with_an_action_beside_its_text(runner: BlockRunner) -> None:
    page = """<table><tr><th>Laptop<th>Owner</tr>
    <tr><td>LT-1 <a href=#>Change</a><td>Ann <button>Edit</button></tr></table>"""
    assert await read(runner, page, rows("laptop", laptop=TEXT)) == [{"laptop": "LT-1"}]


async def test_sentences_state_values(runner: BlockRunner) -> None:
    page = """<h1>Account</h1><p>Your arranged credit limit is £2,500.00. It was not used.
    The next review will be held on 31 March 2026.</p><p>The fee is £3.40 per transfer.</p>"""
    schema = record(
        "creditLimit nextReview feePerTransfer", creditLimit=NUMBER, nextReview=DATE, feePerTransfer=NUMBER
    )
    assert await read(runner, page, schema) == {
        "creditLimit": 2500.0,
        "nextReview": "2026-03-31",
        "feePerTransfer": 3.4,
    }

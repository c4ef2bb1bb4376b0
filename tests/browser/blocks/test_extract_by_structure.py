"""Extract finds what a schema asks for by the structure of the page, and refuses what would be a guess."""

import pytest

from pagehand.page.extraction import SCRIPT
from support.block_runner import BlockRunner
from support.extracting import DATE, INTEGER, NUMBER, TEXT, read, record, refusal, rows
from support.site import Site

pytestmark = pytest.mark.anyio

INVOICE = """<h1>Invoice</h1>
<dl><dt>Invoice number</dt><dd>INV-0042</dd><dt>Invoice date</dt><dd>March 3, 2026</dd>
<dt>Due date</dt><dd>April 2, 2026</dd></dl>
<h2>Bill to</h2><p>Customer: Ada Lovelace</p>
<h2>Positions</h2>
<table><thead><tr><th>Description</th><th>Qty</th><th>Unit price</th><th>Amount</th></tr></thead>
<tbody><tr><td>Paper</td><td>3</td><td>$4.00</td><td>$12.00</td></tr>
<tr><td>Ink</td><td>1</td><td>$30.50</td><td>$30.50</td></tr>
<tr><td colspan=3>Subtotal</td><td>$42.50</td></tr></tbody>
<tfoot><tr><td colspan=3>Total</td><td>$51.00</td></tr></tfoot></table>"""


async def test_an_invoice_gives_its_head_its_lines_and_its_total(runner: BlockRunner) -> None:
    schema = record(
        "invoiceNumber total lines",
        invoiceNumber=TEXT,
        date=DATE,
        invoiceDate=DATE,
        dueDate=DATE,
        customerName=TEXT,
        total=NUMBER,
        lines=rows("description", description=TEXT, quantity=INTEGER, unitPrice=NUMBER, amount=NUMBER),
    )
    assert await read(runner, INVOICE, schema) == {
        "invoiceNumber": "INV-0042",
        "invoiceDate": "2026-03-03",
        "dueDate": "2026-04-02",
        "customerName": "Ada Lovelace",
        "total": 51.0,
        "lines": [
            {"description": "Paper", "quantity": 3, "unitPrice": 4.0, "amount": 12.0},
            {"description": "Ink", "quantity": 1, "unitPrice": 30.5, "amount": 30.5},
        ],
    }


ORDERS = """<nav><ul><li><a href=/>Home</a><li><a href=/x>Orders</a></ul></nav><h1>Your orders</h1>
<table><tr><th>Order</th><th>Date ▲</th><th>Status</th><th>Total</th><th>Actions</th></tr>
<tr><td><a href="/orders/17">A-17</a></td><td>12/03/2026</td><td>SHIPPED</td><td>$1,200.50</td>
<td><button>x</button></td></tr>
<tr style="display:none"><td>hidden</td><td>13/03/2026</td><td>OPEN</td><td>$1</td><td></td></tr>
<tr><td><a href="/orders/18">A-18</a></td><td>25/03/2026</td><td>Open</td><td>—</td><td></td></tr></table>"""


async def test_an_order_table_is_read_by_its_headers(runner: BlockRunner, site: Site) -> None:
    await runner.session.goto(site.page("/", ORDERS))
    schema = rows(
        "orderNumber",
        orderNumber=TEXT,
        orderDate=DATE,
        status={"enum": ["open", "shipped"]},
        total={"type": ["number", "null"]},
        url={"type": "string", "format": "uri"},
        deliveryDate=DATE,
    )
    outcome = await runner.run("Extract", {"schema": schema})
    first = {"orderNumber": "A-17", "orderDate": "2026-03-12", "status": "shipped", "total": 1200.5}
    second = {"orderNumber": "A-18", "orderDate": "2026-03-25", "status": "open", "total": None}
    assert outcome.output == [
        {**first, "url": f"{site.url}/orders/17"},
        {**second, "url": f"{site.url}/orders/18"},
    ]
    plan = outcome.details["plan"]
    assert (plan["source"], plan["caption"], plan["columns"]["orderDate"]) == ("table", "Your orders", "Date")
    assert "A-17" not in str(plan)


PRODUCTS = """<h1>Mugs</h1><div class=grid>
<div class="card"><a href="/m/1"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt=""></a>
  <h3 class="card__title"><a href="/m/1">Blue mug</a></h3>
  <div class="card__price"><s>$15.00</s> <span class=price>$12.00</span></div><span class=tag>new</span></div>
<div class="card featured"><a href="/m/2"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt=""></a>
  <h3 class="card__title"><a href="/m/2">Red mug</a></h3><div><span class=price>$9.50</span></div></div>
</div>"""


async def test_product_cards_become_rows(runner: BlockRunner, site: Site) -> None:
    await runner.session.goto(site.page("/", PRODUCTS))
    schema = rows("name price", name=TEXT, price=NUMBER, link=TEXT, rating=NUMBER)
    assert (await runner.run("Extract", {"schema": schema})).output == [
        {"name": "Blue mug", "price": 12.0, "link": f"{site.url}/m/1"},
        {"name": "Red mug", "price": 9.5, "link": f"{site.url}/m/2"},
    ]


async def test_plain_list_items_with_a_link_and_an_amount_are_products(runner: BlockRunner) -> None:
    html = "<ul><li><a href=/1>Pen</a> <span>$1.50</span><li><a href=/2>Ink</a> <span>$7</span></ul>"
    assert await read(runner, html, rows("name price", name=TEXT, price=NUMBER)) == [
        {"name": "Pen", "price": 1.5},
        {"name": "Ink", "price": 7},
    ]


CONTACT = """<h1>Contact us</h1><p>We are happy to help.</p>
<div class=box><strong>Phone number</strong><span>+1 555 0100</span></div>
<p>E-mail: <a href="mailto:help@example.org">help@example.org</a></p>
<address>1 Main Street, Springfield</address>"""


async def test_a_contact_page_gives_what_it_has_and_invents_no_name(runner: BlockRunner) -> None:
    schema = record(
        "phone email", phone=TEXT, email={"type": "string", "format": "email"}, address=TEXT, name=TEXT
    )
    assert await read(runner, CONTACT, schema) == {
        "phone": "+1 555 0100",
        "email": "help@example.org",
        "address": "1 Main Street, Springfield",
    }


JOBS = """<h2>Open positions</h2><ul class=jobs>
<li class=job><h3 class=job-title><a href=/j/1>Welder</a></h3><div class=job-location>Oslo</div>
 <div class=meta><span class=label>Salary:</span> <span>NOK 500 000</span></div>
 <time datetime=2026-02-01>1 Feb</time></li>
<li class=job><h3 class=job-title><a href=/j/2>Baker</a></h3><div class=job-location>Bergen</div>
 <div class=meta><span class=label>Salary:</span> <span>NOK 400 000</span></div>
 <time datetime=2026-02-03>3 Feb</time></li>
</ul><ul class=pagination><li><a href=?p=1>1</a><li><a href=?p=2>2</a></ul>"""


async def test_a_paginated_job_list_is_read_without_its_pagination(runner: BlockRunner) -> None:
    schema = record("jobs", jobs=rows("title", title=TEXT, location=TEXT, salary=NUMBER, date=DATE))
    assert await read(runner, JOBS, schema) == {
        "jobs": [
            {"title": "Welder", "location": "Oslo", "salary": 500000, "date": "2026-02-01"},
            {"title": "Baker", "location": "Bergen", "salary": 400000, "date": "2026-02-03"},
        ]
    }


LINKED = """<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
{"@type": "Organization", "name": "Shop Ltd"},
{"@type": "Product", "name": "Kettle", "sku": "K-1", "image": "https://x.example/k.png",
 "brand": {"@type": "Brand", "name": "Acme"},
 "offers": {"@type": "Offer", "price": "49.90", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}}]}
</script><p>Buy now!</p>"""


async def test_a_product_described_for_search_engines_is_read_from_there(runner: BlockRunner) -> None:
    schema = record("name price", name=TEXT, price=NUMBER, sku=TEXT, availability=TEXT, imageUrl=TEXT)
    assert await read(runner, LINKED, schema, "the product") == {
        "name": "Kettle",
        "price": 49.9,
        "sku": "K-1",
        "availability": "InStock",
        "imageUrl": "https://x.example/k.png",
    }


CLAIM = """<h1>Claim C-77</h1><section><h2>Policy holder</h2>
<div class=row><span>Name</span><span>Ada Lovelace</span></div>
<div class=row><span>City</span><span>London</span></div></section>
<section><h2>Claim</h2><table><tr><th>Claim no.</th><td>C-77</td></tr>
<tr><th>Status</th><td>In review</td></tr>
<tr><th>Amount claimed</th><td>1 250,00 €</td></tr></table></section>
<form><label for=a>Adjuster</label><input id=a value=Bob><label>Paid <input type=checkbox checked></label>
<label>Secret <input type=password value=hush></label></form>"""


async def test_a_claim_page_is_read_by_its_labels(runner: BlockRunner) -> None:
    schema = record(
        "claimNumber status",
        claimNumber=TEXT,
        status=TEXT,
        adjuster=TEXT,
        paid={"type": "boolean"},
        secret=TEXT,
        policyHolder=record("name", name=TEXT, city=TEXT),
    )
    assert await read(runner, CLAIM, schema) == {
        "claimNumber": "C-77",
        "status": "In review",
        "adjuster": "Bob",
        "paid": True,
        "policyHolder": {"name": "Ada Lovelace", "city": "London"},
    }


STATEMENT = """<h1>Kontoauszug</h1>
<table><thead><tr><th>Date<th>Description<th>Amount (EUR)<th>Balance</tr></thead>
<tbody><tr><td>01.02.2026<td>Rent<td>-1.250,00<td>3.000,10</tr>
<tr><td>02.02.2026<td>Salary<td>2.500<td>5.500,10</tr>
<tr><td>03.02.2026<td>Tea<td>(4,20)<td>5.495,90</tr>
<tr><td>Balance<td><td><td>5.495,90</tr></tbody></table>"""


async def test_a_bank_statement_with_european_numbers_keeps_its_signs(runner: BlockRunner) -> None:
    schema = rows("date amount", date=DATE, description=TEXT, amount=NUMBER, balance=NUMBER)
    output = await read(runner, STATEMENT, schema)
    assert [(row["date"], row["amount"], row["balance"]) for row in output] == [
        ("2026-02-01", -1250.0, 3000.1),
        ("2026-02-02", 2500, 5500.1),
        ("2026-02-03", -4.2, 5495.9),
    ]


HOTELS = """<div id=results><article class=hotel><h2 class=name>Sea View</h2><span class=rating>4.5</span>
<span class=price>€ 120</span></article>
<article class=hotel><h2 class=name>Hill Inn</h2><span class=price>€ 80</span></article>
<article class=hotel><h2 class=name>No Price</h2><span class=rating>3.9</span></article></div>"""


async def test_cards_without_an_optional_part_leave_it_out(runner: BlockRunner) -> None:
    schema = rows("name", name=TEXT, price=NUMBER, rating={"type": ["number", "null"]})
    assert await read(runner, HOTELS, schema) == [
        {"name": "Sea View", "price": 120, "rating": 4.5},
        {"name": "Hill Inn", "price": 80, "rating": None},
        {"name": "No Price", "rating": 3.9},
    ]


@pytest.mark.slow
async def test_a_card_without_a_required_part_fails_the_block(runner: BlockRunner) -> None:
    failure = await refusal(runner, HOTELS, rows("name price", name=TEXT, price=NUMBER))
    assert "price" in failure.message
    assert "`2`" in failure.message


TWO = """<h2>Open orders</h2><table><tr><th>Number<th>Total</tr><tr><td>1<td>10</tr></table>
<h2>Past orders</h2><table><tr><th>Number<th>Total</tr><tr><td>2<td>20</tr></table>"""


@pytest.mark.slow
async def test_of_two_tables_alike_the_prompt_chooses_and_without_it_neither_is_taken(
    runner: BlockRunner,
) -> None:
    schema = rows("number total", number=TEXT, total=NUMBER)
    assert await read(runner, TWO, schema, "the past ones") == [{"number": "2", "total": 20}]
    failure = await refusal(runner, TWO, schema)
    assert "`Open orders` and `Past orders`" in failure.message
    assert "prompt" in failure.diagnosis.advice


async def test_the_locator_narrows_where_to_look(runner: BlockRunner) -> None:
    schema = rows("number total", number=TEXT, total=NUMBER)
    assert await read(runner, TWO, schema, css="table:first-of-type") == [{"number": "1", "total": 10}]


@pytest.mark.slow
async def test_an_empty_table_is_an_empty_array(runner: BlockRunner) -> None:
    html = "<table><tr><th>Number<th>Total</tr><tr><td colspan=2>No orders yet</tr></table>"
    assert await read(runner, html, rows("number total", number=TEXT, total=NUMBER)) == []


async def test_grids_made_of_roles_are_tables(runner: BlockRunner) -> None:
    html = """<div role=table aria-label=Staff><div role=row><span role=columnheader>Name</span>
    <span role=columnheader>Phone</span></div>
    <div role=row><span role=cell>Ada</span><span role=cell>5</span></div></div>"""
    assert await read(runner, html, rows("name", name=TEXT, phone=TEXT)) == [{"name": "Ada", "phone": "5"}]


async def test_a_list_under_its_heading_is_an_array_of_texts(runner: BlockRunner) -> None:
    html = """<h2>Skills</h2><ul><li>Welding<li>Baking</ul><h2>Hobbies</h2><ul><li>Chess</ul>
    <p>Languages: English, Norwegian</p>"""
    texts = {"type": "array", "items": TEXT}
    assert await read(runner, html, record("skills", skills=texts, languages=texts)) == {
        "skills": ["Welding", "Baking"],
        "languages": ["English", "Norwegian"],
    }


async def test_rows_that_come_late_are_waited_for(runner: BlockRunner) -> None:
    html = """<table id=t><tr><th>Name<th>Total</tr></table><script>setTimeout(() =>
    t.insertAdjacentHTML('beforeend', '<tr><td>Ada<td>5</tr>'), 600)</script>"""
    assert await read(runner, html, rows("name", name=TEXT, total=NUMBER)) == [{"name": "Ada", "total": 5}]


async def test_a_table_in_a_frame_is_found(runner: BlockRunner) -> None:
    html = """<iframe srcdoc="<table><tr><th>Name<th>Total</tr><tr><td>Ada<td>5</tr></table>"></iframe>"""
    assert await read(runner, html, rows("name", name=TEXT, total=NUMBER)) == [{"name": "Ada", "total": 5}]


@pytest.mark.slow
async def test_what_is_not_there_is_named_with_what_is(runner: BlockRunner) -> None:
    failure = await refusal(runner, ORDERS, rows("trackingCode", trackingCode=TEXT, total=NUMBER))
    assert "`trackingCode`" in failure.message
    assert "Status" in failure.diagnosis.found
    assert "PAGEHAND_MODEL" in failure.diagnosis.advice
    assert "fields" in failure.diagnosis.advice


@pytest.mark.slow
async def test_two_labels_that_fit_alike_are_a_refusal(runner: BlockRunner) -> None:
    html = """<table><tr><th>Name<th>Order date<th>Delivery date</tr>
    <tr><td>a<td>2026-01-02<td>2026-01-03</tr></table>"""
    failure = await refusal(runner, html, rows("date", name=TEXT, date=DATE))
    assert "`Order date` and `Delivery date` fit equally well" in failure.message


@pytest.mark.slow
async def test_a_column_of_another_type_is_not_taken(runner: BlockRunner) -> None:
    html = "<table><tr><th>Name<th>Price</tr><tr><td>a<td>on request</tr><tr><td>b<td>ask</tr></table>"
    assert "`price`" in (await refusal(runner, html, rows("price", name=TEXT, price=NUMBER))).message


@pytest.mark.slow
async def test_a_table_of_thousands_of_rows_is_read_within_the_time_of_a_block(runner: BlockRunner) -> None:
    lines = "".join(f"<tr><td><a href=/{n}>n{n}</a><td>${n}.50</tr>" for n in range(2000))
    await runner.open(f"<table><tr><th>Name<th>Price</tr>{lines}</table>")
    outcome = await runner.run("Extract", {"schema": rows("name price", name=TEXT, price=NUMBER)})
    assert outcome.output[1999] == {"name": "n1999", "price": 1999.5}


async def test_titles_of_groups_across_a_table_are_not_names_of_columns(runner: BlockRunner) -> None:
    html = """<table><tr><th>ID</th><th>Title</th></tr><tr><th colspan=2>bug</th></tr>
    <tr><td>1</td><td>Lamp</td></tr><tr><th colspan=2>wish</th></tr>
    <tr><td>2</td><td>Sofa</td></tr></table>"""
    wanted = rows("ID Title", ID=INTEGER, Title=TEXT)
    assert await read(runner, html, wanted) == [{"ID": 1, "Title": "Lamp"}, {"ID": 2, "Title": "Sofa"}]


async def test_the_rows_of_a_long_table_are_answered_in_few_characters(runner: BlockRunner) -> None:
    lines = "".join(f"<tr><td>{number}<td>Name {number}" for number in range(1_000))
    await runner.open(f"<table><tr><th>Id<th>Name{lines}</table>")
    assert len(await runner.value(f"({SCRIPT})(null)")) < 60 * 1_000

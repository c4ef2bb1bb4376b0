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


async def test_a_single_value_is_found_by_its_description(runner: BlockRunner, site: Site) -> None:
    await runner.session.goto(site.page("/", INVOICE))
    outcome = await runner.run("Extract", {"schema": {**TEXT, "description": "Invoice number"}})
    assert outcome.output == "INV-0042"
    assert outcome.message == "Read one value by the structure of the page"


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


SIDE = """<style>.pl{color:#777;font-size:12px}.b{background:#def;font-size:11px}</style>
<h2>Scanner on floor three prints blanks <span class=b>Open</span></h2>
<div><div class=pl>Priority</div><div onclick=1>High ▾</div>
<div class=pl>Due date</div><input value="14 Feb 2024">
<div class=pl>Tags</div><p><span>printer <i>&times;</i></span><span>month-end <i>&times;</i></span></p>
<div class=pl>Requester</div><div>Gareth Pugh<br>gareth@tamar.example<br>Ext. 4417</div></div>"""


async def test_small_labels_and_the_value_below_each_of_them_are_pairs(runner: BlockRunner) -> None:
    tags = {"type": "array", "items": TEXT}
    email = {"type": "string", "format": "email"}
    schema = record(
        "priority dueDate tags requesterName requesterEmail subject status",
        priority=TEXT,
        dueDate=DATE,
        tags=tags,
        requesterName=TEXT,
        requesterEmail=email,
        subject=TEXT,
        status=TEXT,
    )
    assert await read(runner, SIDE, schema) == {
        "priority": "High",
        "dueDate": "2024-02-14",
        "tags": ["printer", "month-end"],
        "requesterName": "Gareth Pugh",
        "requesterEmail": "gareth@tamar.example",
        "subject": "Scanner on floor three prints blanks",
        "status": "Open",
    }


async def test_the_lines_of_one_value_are_nobody_elses(runner: BlockRunner) -> None:
    html = "<style>b{color:red}</style><p><b>Address</b><br>Harbour Street<br>Phone: 0171 555 0120</p>"
    assert "`name`" in (await refusal(runner, html, record("name", name=TEXT))).message


async def test_a_general_heading_in_second_place_is_no_name(runner: BlockRunner) -> None:
    html = "<h2>Recent activity</h2><p>Customer no. 4711</p>"
    assert "`name`" in (await refusal(runner, html, record("name", name=TEXT))).message


async def test_lines_that_no_element_holds_are_parts_of_their_card(runner: BlockRunner) -> None:
    html = """<h2>Also bought</h2><div><div><b>Dry sack</b><br>£12.50<br>★ 4.8</div>
    <div><b>Water filter</b><br><s>£39.00</s> £31.20<br><i>no rating yet</i></div></div>"""
    wanted = rows("name price", name=TEXT, price=NUMBER, rating=NUMBER)
    assert await read(runner, html, wanted) == [
        {"name": "Dry sack", "price": 12.5, "rating": 4.8},
        {"name": "Water filter", "price": 31.2},
    ]


async def test_an_amount_with_a_label_below_a_heading_is_not_the_price(runner: BlockRunner) -> None:
    html = "<h1>Dry sack</h1><p>Very dry.</p><p>Delivery: <b>£4.95</b></p>"
    assert "`price`" in (await refusal(runner, html, record("price", price=NUMBER))).message


async def test_a_product_is_named_by_its_heading_and_made_by_whom_it_is_by(runner: BlockRunner) -> None:
    html = """<h1>Trail 45 backpack</h1><p>by <a href=/b>Ridgeway</a> · Item no. RW-45</p>
    <p><span aria-label="4.6 out of 5 stars">★★★★☆</span> 4.6 (1,283 reviews)</p>
    <p><s>£149.95</s> <b>£119.95</b></p><p>In stock &ndash; delivery by Fri 7 June 2024</p>"""
    schema = record(
        "name brand price rating reviewCount deliveryDate",
        name=TEXT,
        brand=TEXT,
        price=NUMBER,
        rating=NUMBER,
        reviewCount=INTEGER,
        deliveryDate=DATE,
    )
    assert await read(runner, html, schema) == {
        "name": "Trail 45 backpack",
        "brand": "Ridgeway",
        "price": 119.95,
        "rating": 4.6,
        "reviewCount": 1283,
        "deliveryDate": "2024-06-07",
    }


async def test_an_order_with_an_amount_is_not_a_product(runner: BlockRunner) -> None:
    html = "<h1>Order 4711</h1><p><b>£119.95</b></p><p>by <a href=/b>Ridgeway</a> · sent</p>"
    assert "`name`" in (await refusal(runner, html, record("name", name=TEXT))).message


async def test_links_in_a_definition_list_are_not_its_values(runner: BlockRunner) -> None:
    html = """<style>dl{display:grid;grid-template-columns:9em 1fr 5em}</style><h2>Your answers</h2><dl>
    <dt>Permit type</dt><dd>Resident</dd><dd><a href=#1>Change</a></dd>
    <dt>Fee</dt><dd>£86.40</dd><dd><a href=#2>Change</a></dd></dl>"""
    wanted = record("permitType fee", permitType=TEXT, fee=NUMBER)
    assert await read(runner, html, wanted) == {"permitType": "Resident", "fee": 86.4}


async def test_the_words_of_the_schema_say_which_table_is_meant(runner: BlockRunner) -> None:
    table = (
        "<table><tr><th>Centre<th>Plan<th>Actual<tr><td>Travel<td>{0}<td>5<tr><th>Total<th>{0}<th>5</table>"
    )
    html = f"<h3>Budget 2023</h3>{table.format(7)}<h3>Budget 2024</h3>{table.format(8)}"
    wanted = record("totalPlan", totalPlan=NUMBER)
    assert "`totalPlan`" in (await refusal(runner, html, wanted)).message
    wanted["description"] = "Totals of the 2023 budget"
    assert await read(runner, html, wanted) == {"totalPlan": 7}


async def test_a_sentence_with_a_colon_is_not_a_label(runner: BlockRunner) -> None:
    html = """<p>Office manager of the Oslo site: Ulla Berg. <br>
    <small>Sheet (April): office manager Mats Lund.</small></p>"""
    wanted = record("officeManager", officeManager={**TEXT, "description": "office manager of the Oslo site"})
    assert "`officeManager`" in (await refusal(runner, html, wanted)).message


async def test_small_pictures_before_values_are_no_part_of_them(runner: BlockRunner) -> None:
    html = """<table><tr><th>File</th><th>Size</th><th>Note</th></tr>
    <tr><td>📎 plan.pdf</td><td>12 KB</td><td>🎉 Well done!</td></tr></table>"""
    assert await read(runner, html, rows("file", file=TEXT, note=TEXT)) == [
        {"file": "plan.pdf", "note": "🎉 Well done!"}
    ]


async def test_a_count_of_things_is_not_the_number_of_one(runner: BlockRunner) -> None:
    html = "<h1>Desk</h1><p>Tickets: 17</p>"
    assert (
        "`ticketNumber`"
        in (await refusal(runner, html, record("ticketNumber", ticketNumber=INTEGER))).message
    )


async def test_numbers_before_titles_are_values_of_their_own(runner: BlockRunner) -> None:
    html = """<h2>Related</h2><div><div><span>#47990 Toner low</span> <button>Unlink</button></div>
    <div><span>#48102 Scan fails</span> <button>Unlink</button></div></div>"""
    assert await read(runner, html, rows("number title", number=INTEGER, title=TEXT)) == [
        {"number": 47990, "title": "Toner low"},
        {"number": 48102, "title": "Scan fails"},
    ]


async def test_a_column_may_say_its_values_in_words(runner: BlockRunner) -> None:
    html = """<style>small{font-size:9px}</style><table><tr><th>DOS</th><th>Project</th><th>Progress</th></tr>
    <tr><td>03/22/2024</td><td>Roof<br><small>Created 01.02.2015</small></td><td>57% Done</td></tr>
    <tr><td>03/02/2024</td><td>Wall<br><small>Created 01.03.2015</small></td><td>7% Done</td></tr></table>"""
    wanted = rows(
        "dateOfService createdOn percentDone",
        dateOfService=DATE,
        createdOn=DATE,
        percentDone=INTEGER,
    )
    assert await read(runner, html, wanted) == [
        {"dateOfService": "2024-03-22", "createdOn": "2015-02-01", "percentDone": 57},
        {"dateOfService": "2024-03-02", "createdOn": "2015-03-01", "percentDone": 7},
    ]


async def test_one_box_with_the_values_beside_others_is_no_list(runner: BlockRunner) -> None:
    html = """<main><section><h2>Lamp</h2><p>SKU: <b>A-1</b></p><p>Stock: <b>3</b></p></section>
    <section><h2>Related</h2><p>Shade</p><p>Bulb</p></section></main>"""
    assert "`sku`" in (await refusal(runner, html, rows("sku stock", sku=TEXT, stock=INTEGER))).message
    more = html.replace("<p>Shade</p>", "<p>SKU: <b>A-2</b></p><p>Stock: <b>0</b></p>")
    assert await read(runner, more, rows("sku stock", sku=TEXT, stock=INTEGER)) == [
        {"sku": "A-1", "stock": 3},
        {"sku": "A-2", "stock": 0},
    ]


async def test_a_label_may_be_short_for_one_word_of_one_property(runner: BlockRunner) -> None:
    html = """<table><tr><th>Pos</th><th>Descr.</th><th>Disc. %</th></tr>
    <tr><td>10</td><td>Bolt</td><td>5</td></tr><tr><td>20</td><td>Nut</td><td>0</td></tr></table>"""
    wanted = rows("position", position=INTEGER, description=TEXT, discountPercent=NUMBER)
    assert await read(runner, html, wanted) == [
        {"position": 10, "description": "Bolt", "discountPercent": 5},
        {"position": 20, "description": "Nut", "discountPercent": 0},
    ]
    both = rows("discountPercent", discountPercent=NUMBER, discardPercent=NUMBER)
    assert "`discountPercent`" in (await refusal(runner, html, both)).message
    port = html.replace("Pos", "Port").replace("Descr.", "Exp.")
    for wanted in (rows("portion", portion=INTEGER), rows("expense", expense=TEXT)):
        await refusal(runner, port, wanted)


async def test_a_status_may_be_called_by_what_it_is_the_status_of(runner: BlockRunner) -> None:
    html = """<h1>Order</h1><dl><dt>Payment</dt><dd>Paid</dd><dt>Delivery</dt><dd>Tracked</dd></dl>"""
    assert await read(runner, html, record("paymentStatus", paymentStatus=TEXT)) == {"paymentStatus": "Paid"}
    since = record("deliverySince", deliverySince=DATE)
    assert await read(runner, html.replace("Tracked", "May 3, 2026"), since) == {
        "deliverySince": "2026-05-03"
    }
    link = html.replace("Paid", "<a href=/pay>Open</a>")
    await refusal(runner, link, record("paymentStatus", paymentStatus=TEXT))
    # how it is delivered
    await refusal(runner, html, since)
    await refusal(runner, html, record("deliveryStatus", deliveryStatus=TEXT))
    wanted = record("paymentTerms", paymentTerms=TEXT)
    await refusal(runner, html, wanted)
    await refusal(runner, html.replace("Paid", "Overdue 12 days"), wanted)
    terms = html.replace("Paid", "Invoice, 30 days")
    assert await read(runner, terms, wanted) == {"paymentTerms": "Invoice, 30 days"}


async def test_a_rate_in_a_label_is_a_value(runner: BlockRunner) -> None:
    html = """<table><tr><th>Item</th><th>Unit</th><th>Amount</th></tr><tr><td>Bolt</td><td>box</td>
    <td>100.00</td></tr><tfoot><tr><td colspan=2>VAT 19 %</td><td>19.00</td></tr></tfoot></table>"""
    wanted = record("vatRatePercent vatAmount", vatRatePercent=NUMBER, vatAmount=NUMBER)
    assert await read(runner, html, wanted) == {"vatRatePercent": 19, "vatAmount": 19.0}
    more = html.replace("<tfoot>", "<tfoot><tr><td colspan=2>VAT 7 %</td><td>7.00</td></tr>")
    await refusal(runner, more, wanted)


async def test_a_heading_has_the_number_and_the_state_of_a_record(runner: BlockRunner) -> None:
    wanted = record("orderNumber status", orderNumber=TEXT, status=TEXT)
    assert await read(runner, "<h2>Sales order SO-10482 (Draft)</h2><p>Ada</p>", wanted) == {
        "orderNumber": "SO-10482",
        "status": "Draft",
    }
    await refusal(runner, "<h2>Sales order SO-10482 (Express)</h2><p>Ada</p>", wanted)
    ticket = record("subject", subject=TEXT)
    assert await read(runner, "<h1>Ticket HD-4711: Printer of Ada broken</h1><p>x</p>", ticket) == {
        "subject": "Printer of Ada broken"
    }
    for heading in ("Order 03/2024", "Order 10.03.2026 (Draft)"):
        await refusal(runner, f"<h1>{heading}</h1><p>Ada</p>", record("orderNumber", orderNumber=TEXT))


BY_NUMBER = """<h1>Shop</h1><table><tr><th>Order</th><th>Customer</th><th>Total</th><th>Date</th></tr>
<tr><td>#1041</td><td>Ada</td><td>1.200 €</td><td>13/05/2026</td></tr>
<tr><td>#1040</td><td>Kim</td><td>64,50 €</td><td>04/05/2026</td></tr></table>"""


async def test_one_row_is_read_by_the_number_that_schema_or_prompt_names(runner: BlockRunner) -> None:
    wanted = record("customerName total", customerName=TEXT, total=NUMBER, date=DATE)
    described = {**wanted, "description": "The order #1040"}
    assert await read(runner, BY_NUMBER, described) == {
        "customerName": "Kim",
        "total": 64.5,
        "date": "2026-05-04",
    }
    by_prompt = await read(runner, BY_NUMBER, wanted, "Order #1041, please")
    assert by_prompt == {"customerName": "Ada", "total": 1200, "date": "2026-05-13"}
    lines = (
        BY_NUMBER
        + "<h2>Lines</h2><table><tr><th>Item</th><th>Qty</th></tr><tr><td>Mug</td><td>2</td></tr></table>"
    )
    of_another = record("total lines", total=NUMBER, lines=rows("item", item=TEXT, quantity=INTEGER))
    await refusal(runner, lines, of_another, "The order #1040")
    with_returns = BY_NUMBER + BY_NUMBER.replace("Kim", "Bea").replace("<h1>Shop</h1>", "<h2>Returns</h2>")
    twice = BY_NUMBER.replace("#1041", "#1040")
    other = BY_NUMBER.replace("Shop", "Order #1040")
    for page in (with_returns, twice, other, BY_NUMBER.replace("#1040", "#1042")):
        await refusal(runner, page, described)


async def test_another_number_in_the_prompt_is_another_row(runner: BlockRunner) -> None:
    wanted = record("customerName", customerName=TEXT)
    await runner.open(BY_NUMBER)
    for number, customer in (("#1040", "Kim"), ("#1041", "Ada")):
        data = {"schema": wanted, "prompt": f"The order {number}", "timeoutMs": 2000}
        assert (await runner.run("Extract", data)).output == {"customerName": customer}


INVOICES = """<h2>Invoices</h2><ul>
<li><div><b>March, 01, 2020</b><span>#MS-415</span></div><div>$180 <button>PDF</button></div></li>
<li><div><b>April, 05, 2020</b><span>#FB-212</span></div><div>$560 <button>PDF</button></div></li></ul>"""


async def test_the_only_date_code_and_amount_of_each_box_need_no_label(runner: BlockRunner) -> None:
    wanted = rows("invoiceNumber date", invoiceNumber=TEXT, date=DATE, amount=NUMBER)
    assert await read(runner, INVOICES, wanted) == [
        {"invoiceNumber": "#MS-415", "date": "2020-03-01", "amount": 180},
        {"invoiceNumber": "#FB-212", "date": "2020-04-05", "amount": 560},
    ]
    # of two codes none is the number, what comes again names no record, and of customers it is not the number
    two_codes = INVOICES.replace("#MS-415</span>", "#MS-415</span><span>PO-7781</span>")
    for page in (two_codes, INVOICES.replace("FB-212", "MS-415")):
        await refusal(runner, page, wanted)
    due = INVOICES.replace("#MS-415</span>", "#MS-415</span><i>due May 1, 2020</i>")
    await refusal(runner, due, wanted)
    customers = INVOICES.replace("Invoices", "Customer invoices")
    await refusal(runner, customers, rows("customerNumber", customerNumber=TEXT))


ORDERED = """<main><h2>Recent orders</h2>
<div class=o><b>#1042</b><p>Ada Byron</p><p>$93.80</p><p>Paid</p></div>
<div class=o><b>#1041</b><p>Kim Lee</p><p>$14.90</p><p>In transit</p></div></main>"""


async def test_the_only_amount_and_state_of_an_order_are_its_total_and_status(runner: BlockRunner) -> None:
    wanted = rows("orderNumber total status", orderNumber=TEXT, total=NUMBER, status=TEXT)
    assert await read(runner, ORDERED, wanted) == [
        {"orderNumber": "#1042", "total": 93.8, "status": "Paid"},
        {"orderNumber": "#1041", "total": 14.9, "status": "In transit"},
    ]
    for page in (
        ORDERED.replace("<p>Paid</p>", "<p>Paid</p><p>Shipped</p>"),
        ORDERED.replace("<p>Paid</p>", "<a href=/1>Open</a>"),
        ORDERED.replace("<p>$14", "<p>Fee: $14"),
        ORDERED.replace("<p>$14", "<p>$2.00</p><p>$14"),
    ):
        await refusal(runner, page, wanted)


async def test_a_card_in_a_link_is_not_called_by_all_that_it_says(runner: BlockRunner) -> None:
    html = """<h2>Your accounts</h2>
    <a class=acc href=/1><strong>Daily</strong><span>NL91 ABNA 0417 1643 00</span><em>€ 1.204,55</em></a>
    <a class=acc href=/2><strong>Savings</strong><span>NL20 INGB 0001 2345 67</span><em>€ 9.800,00</em></a>"""
    assert await read(runner, html, rows("name iban", name=TEXT, iban=TEXT, balance=NUMBER)) == [
        {"name": "Daily", "iban": "NL91 ABNA 0417 1643 00", "balance": 1204.55},
        {"name": "Savings", "iban": "NL20 INGB 0001 2345 67", "balance": 9800},
    ]


async def test_accounts_have_their_number_and_balance(runner: BlockRunner) -> None:
    html = """<h2>Accounts</h2><div><div><b>Savings</b> <span>DE89 3704 0044 0532 0130 00</span></div>
    <div>€ 4,218.36 <button>Pay</button></div></div>
    <div><div><b>Card</b> <span>5412 •••• •••• 0098</span></div>
    <div>€ -612.40 <button>Pay</button></div></div>"""
    html = html.replace("<div><div>", "<div class=acc><div>")
    wanted = rows("accountNumber balance", accountNumber=TEXT, balance=NUMBER)
    assert await read(runner, f"<main>{html}</main>", wanted) == [
        {"accountNumber": "DE89 3704 0044 0532 0130 00", "balance": 4218.36},
        {"accountNumber": "5412 •••• •••• 0098", "balance": -612.4},
    ]
    limit = html.replace("<div>€", "<div>Limit: €")
    await refusal(runner, f"<main>{limit}</main>", wanted)


PAID = """<h2>Your transactions</h2><ul>
<li><div><h6>Netflix</h6><span>27 March 2020, at 12:30 PM</span></div><div>- $ 2,500</div></li>
<li><div><h6>Apple</h6><span>26 March 2020, at 04:30 AM</span></div><div>+ $ 2,000</div></li>
<li><div><h6>Webflow</h6><span>26 March 2020, at 05:00 AM</span></div><div>Pending</div></li></ul>"""


async def test_what_is_left_beside_day_and_amount_describes_a_transaction(runner: BlockRunner) -> None:
    wanted = rows("description date", description=TEXT, date=DATE, amount={"type": ["number", "null"]})
    assert await read(runner, PAID, wanted) == [
        {"description": "Netflix", "date": "2020-03-27", "amount": -2500},
        {"description": "Apple", "date": "2020-03-26", "amount": 2000},
        {"description": "Webflow", "date": "2020-03-26", "amount": None},
    ]
    for page in (
        PAID.replace("Netflix</h6>", "Netflix</h6><span>Streaming</span>"),
        PAID.replace("Your transactions", "Favourites"),
    ):
        await refusal(runner, page, wanted)
    # the look of "Card payment" is no other
    await refusal(runner, PAID, rows("merchant", merchant=TEXT))


async def test_what_is_left_beside_the_day_is_the_event_of_a_history(runner: BlockRunner) -> None:
    html = """<h3>History</h3><ul><li><time datetime="2024-08-11">11.08.24</time> Order received</li>
    <li><time datetime="2024-08-12">12.08.24</time> Approved by <i>K. Meier</i></li></ul>"""
    wanted = rows("date event", date=DATE, event=TEXT)
    assert await read(runner, html, wanted) == [
        {"date": "2024-08-11", "event": "Order received"},
        {"date": "2024-08-12", "event": "Approved by K. Meier"},
    ]
    who = html.replace("</li>", " <span>Ada</span></li>")
    for page in (who, html.replace(" received", " · received"), html.replace("History", "Deadlines")):
        await refusal(runner, page, wanted)


async def test_a_voucher_has_its_code_in_the_label_and_a_sign_before_the_currency(
    runner: BlockRunner,
) -> None:
    html = """<div><div><span>Goods</span><span>CHF 90.00</span></div>
    <div><span>Voucher SUMMER</span><span>&#8722; CHF 50.00</span></div></div>"""
    assert await read(runner, html, record("voucher", voucher=NUMBER)) == {"voucher": -50}
    other = html.replace("SUMMER", "number").replace("&#8722; CHF 50.00", "4711")
    await refusal(runner, other, record("voucher", voucher=NUMBER))


async def test_all_badges_of_a_card_are_its_badges(runner: BlockRunner) -> None:
    html = """<h2>Products</h2><article><h3>Mug</h3><span class=badge>Active</span></article>
    <article><h3>Lamp</h3><span class=badge>Active</span> <span class=badge>Sale</span></article>"""
    wanted = rows("name badges", name=TEXT, badges={"type": "array", "items": TEXT})
    assert await read(runner, html, wanted) == [
        {"name": "Mug", "badges": ["Active"]},
        {"name": "Lamp", "badges": ["Active", "Sale"]},
    ]


async def test_boxes_side_by_side_with_texts_below_one_another_are_no_table(runner: BlockRunner) -> None:
    html = """<h5>4562 1122 4594 7852</h5><div style="display:flex">
    <div><p>Card Holder</p><h6>Ada Byron</h6></div><div><p>Expires</p><h6>11/22</h6></div></div>"""
    await refusal(runner, html, record("cardHolder", cardHolder=TEXT))
    assert await read(runner, html, record("cardNumber", cardNumber=TEXT)) == {
        "cardNumber": "4562 1122 4594 7852"
    }

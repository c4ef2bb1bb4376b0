"""Extract by a schema takes what the page calls so, and refuses what only sounds like it."""

from typing import Any

import pytest

from pagehand.errors import BlockFailed
from support.block_runner import BlockRunner
from support.site import Site

pytestmark = pytest.mark.anyio

TEXT, NUMBER, INTEGER = {"type": "string"}, {"type": "number"}, {"type": "integer"}
DATE, LINK = {"type": "string", "format": "date"}, {"type": "string", "format": "uri"}
TEXTS = {"type": "array", "items": TEXT}


def record(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def rows(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": record(**properties)}


async def read(
    runner: BlockRunner, html: str, schema: dict[str, Any], prompt: str = "", **locator: Any
) -> Any:
    await runner.open(html)
    return (
        await runner.run("Extract", {"schema": schema, "prompt": prompt, "timeoutMs": 1500}, **locator)
    ).output


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("<h1>Harbour Museum</h1><p>Open daily.</p>", record(website=LINK)),
    ("<h1>Harbour Museum</h1><p>Open daily.</p>", record(url=LINK)),
    ("<h1>Joan of Arc</h1><p>Born 1412.</p>", record(fullName=TEXT)),
    ("<h1>Joan of Arc</h1><p>Born 1412.</p>", record(firstName=TEXT)),
    ("<h1>Kettle K2</h1><p>Boils water.</p>", record(productCode=TEXT)),
    ("<meta name=author content='Web Team'><title>T</title><p>Text.</p>", record(author=TEXT)),
    ("<meta name=description content='A shop'><title>T</title><p>Text.</p>", record(description=TEXT)),
    ("<a href=/e class=email>Change e-mail</a><p>Profile</p>", record(email=TEXT)),
    ("<a id=address href=/a>Edit address</a><p>Profile</p>", record(address=TEXT)),
    ("<img class=phone alt='phone icon' src=/p.png><p>Profile</p>", record(phone=TEXT)),
    ("<nav><a class=navbar-brand href=/>Hosting Co</a></nav><p>Hammer</p>", record(brand=TEXT)),
    ("<nav><a class=navbar-brand href=/>Hosting Co</a></nav><p>Hammer</p>", record(manufacturer=TEXT)),
    ("<dl><dt>Date<dd>2026-01-02</dl>", record(dueDate=DATE)),
    ("<h1>Amounts due</h1><dl><dt>Date<dd>2026-01-02</dl>", record(dueDate=DATE)),
    ("<dl><dt>Price<dd>$4</dl>", record(unitPrice=NUMBER)),
    ("<dl><dt>Amount<dd>$4<dt>Tax<dd>$1</dl>", record(total=NUMBER)),
    ("<dl><dt>Created at<dd>2026-01-02</dl>", record(createdBy=TEXT)),
    ("<dl><dt>Valid to<dd>2026-01-02</dl>", record(validFrom=DATE)),
    ("<dl><dt>Check out<dd>11:00</dl>", record(checkIn=TEXT)),
    ("<dl><dt>Status<dd>open</dl>", record(state=TEXT)),
    ("<dl><dt>Street<dd>1 Main St</dl>", record(address=TEXT)),
    ("<dl><dt>Order date<dd>2026-01-02</dl>", record(order=TEXT)),
    ("<dl><dt>Home code<dd>H<dt>Work code<dd>W<dt>Area code<dd>A</dl>", record(code=TEXT)),
    ("<p>First phone: 1</p><p>Second phone: 2</p>", record(phone=TEXT)),
    ("<ul><li>Gold<li>Silver</ul><div><a href=/>Gold</a><a href=/>Tin</a></div>", record(gold=TEXT)),
    ("<table><tr><th>Employee<th>Title<tr><td>Ada<td>Engineer</table>", rows(name=TEXT)),
    ("<form><label>Fax</label><input placeholder=none></form>", record(fax=TEXT)),
    # a value has to look like what its name says
    ("<dl><dt>Address<dd><img alt='Location pin' src='data:,'></dl>", record(address=TEXT)),
    ("<dl><dt>Address<dd>a@b.example</dl>", record(address=TEXT)),
    ("<dl><dt>E-mail<dd>Ann Bo</dl>", record(email=TEXT)),
    ("<dl><dt>Phone<dd>Call us</dl>", record(phone=TEXT)),
    ("<dl><dt>Price<dd>Details</dl>", record(price=TEXT)),
    ("<dl><dt>Date<dd>Calendar</dl>", record(date=TEXT)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("html", "schema"), WRONG)
async def test_what_only_sounds_like_it_is_refused_by_name(
    runner: BlockRunner, html: str, schema: dict[str, Any]
) -> None:
    with pytest.raises(BlockFailed) as failure:
        await read(runner, html, schema)
    wanted = schema.get("items", schema)["required"]
    assert f"`{wanted[0]}`" in failure.value.message


RIGHT: list[tuple[str, dict[str, Any], Any]] = [
    (
        "<div><p>Team name<em style=display:block>Seen by all</em></p><div><input value=North></div></div>",
        record(teamName=TEXT),
        {"teamName": "North"},
    ),
    (
        "<p>Clerk: <b>Ada Marsh</b> | <a href=/out>Sign out</a></p>",
        record(clerk=TEXT),
        {"clerk": "Ada Marsh"},
    ),
    (
        "<dl><dt>Seat #<dd>14C<dt>Gate no.<dd>B7</dl>",
        record(seat=TEXT, gate=TEXT),
        {"seat": "14C", "gate": "B7"},
    ),
    (
        "<dl><dt>Date<dd>2026-01-02<dt>Due date<dd>2026-02-02</dl>",
        record(dueDate=DATE, date=DATE),
        {"dueDate": "2026-02-02", "date": "2026-01-02"},
    ),
    (
        "<body class=sidebar><table><tr><th>Duty (9.3%)<td>$1.50<tr><th>Freight:<td>$2</table>",
        record(duty=NUMBER, freight=NUMBER),
        {"duty": 1.5, "freight": 2},
    ),
    ("<dl><dt>Reviews<dd>312</dl>", record(reviewCount=INTEGER), {"reviewCount": 312}),
    ("<dl><dt>Created<dd>2026-01-02</dl>", record(createdAt=DATE), {"createdAt": "2026-01-02"}),
    ("<dl><dt>E-mail address<dd>a@b.example</dl>", record(email=TEXT), {"email": "a@b.example"}),
    (
        "<p>Landlord<br><b style='display:block'>Mr Snow</b></p>",
        record(landlord=TEXT),
        {"landlord": "Mr Snow"},
    ),
    (
        "<div><strong>Diet</strong><p>Vegan</p><strong>Allergies</strong><p>None known</p></div>",
        record(diet=TEXT, allergies=TEXT),
        {"diet": "Vegan", "allergies": "None known"},
    ),
    (
        "<address><strong>Departure:</strong><br>6 May 2026<br><br></address>",
        record(departure=DATE),
        {"departure": "2026-05-06"},
    ),
    (
        """<div class=w><div class=in><div class=small>Open tickets</div><div class=big>18</div></div></div>
        <div class=w><div class=in><div class=small>Closed tickets</div><div class=big>7</div></div></div>""",
        record(openTickets=INTEGER),
        {"openTickets": 18},
    ),
    (
        """<div class=s><span class=n>412</span><span class=t>Members</span></div>
        <div class=s><span class=n>9</span><span class=t>Teams</span></div>""",
        record(members=INTEGER, teams=INTEGER),
        {"members": 412, "teams": 9},
    ),
    (
        """<div><div class=c><h2>Ann</h2><ul><li>Home: Rome<li>Fax #: 1</ul></div>
        <div class=c><h2>Bob</h2><ul><li>Home: Oslo<li>Fax #: 2</ul></div></div>""",
        rows(name=TEXT, home=TEXT, fax=TEXT),
        [{"name": "Ann", "home": "Rome", "fax": "1"}, {"name": "Bob", "home": "Oslo", "fax": "2"}],
    ),
    (
        """<div><div class=plan><div class=plan-title>Basic</div><p>$1</p><a href=/>Buy</a></div>
        <div class=plan><div class=plan-title>Gold</div><p>$9</p><a href=/>Buy</a></div></div>""",
        rows(title=TEXT, price=NUMBER),
        [{"title": "Basic", "price": 1}, {"title": "Gold", "price": 9}],
    ),
    (
        "<strong>Tags</strong><p><span>red</span> <span>light blue</span></p>",
        record(tags=TEXTS),
        {"tags": ["red", "light blue"]},
    ),
    (
        "<h2>Team</h2><div>Drivers</div><ul><li>Ada<li>Bo</ul><div>Cooks</div><ul><li>Cy</ul>",
        record(cooks=TEXTS, drivers=TEXTS),
        {"cooks": ["Cy"], "drivers": ["Ada", "Bo"]},
    ),
    (
        """<h3>Trip files</h3><ul><li>a.pdf<li>b.pdf</ul><div><a href=#>Add</a><a href=#>Sort</a></div>
        <h3>Trips</h3><ul><li>Rome</ul>""",
        record(tripFiles=TEXTS),
        {"tripFiles": ["a.pdf", "b.pdf"]},
    ),
    (
        """<table border=1><tr><td colspan=3><b>Open claims</b></td></tr>
        <tr><td><b>Claim</b></td><td><b>Reserve</b></td><td>&nbsp;</td></tr>
        <tr><td>ACME-3</td><td>4,200.00</td><td><button>Close</button></td></tr>
        <tr><td>ACME-4</td><td>90.00</td><td><button>Close</button></td></tr>
        <tr><td><b>Total</b></td><td><b>4,290.00</b></td><td></td></tr></table>""",
        rows(claim=TEXT, reserve=NUMBER),
        [{"claim": "ACME-3", "reserve": 4200}, {"claim": "ACME-4", "reserve": 90}],
    ),
    (
        """<table><tr><td rowspan=2><b>Patient</b></td><td colspan=2><b>Visit</b></td></tr>
        <tr><td><b>Reason</b></td><td><b>Room</b></td></tr>
        <tr><td>Adam<br><small>b. 1971</small></td><td>Check-up</td><td><select><option>2</select></td></tr>
        <tr><td>Ewa<br><small>b. 1988</small></td><td>Blood test</td><td><select><option>1</select></td></tr>
        </table>""",
        rows(patient=TEXT, reason=TEXT, room=INTEGER),
        [
            {"patient": "Adam", "reason": "Check-up", "room": 2},
            {"patient": "Ewa", "reason": "Blood test", "room": 1},
        ],
    ),
    (
        """<table><tr><th>Name<th>Role</tr><tr><td><div>Anna Berg</div><small>anna@x.example</small>
        <td>Admin</tr>
        <tr><td><div>Tomas Ort</div><small>tomas@x.example</small><td>Editor</tr></table>""",
        rows(name=TEXT, email=TEXT, role=TEXT),
        [
            {"name": "Anna Berg", "email": "anna@x.example", "role": "Admin"},
            {"name": "Tomas Ort", "email": "tomas@x.example", "role": "Editor"},
        ],
    ),
    (
        """<style>.l{display:flex}.l>*{width:90px}</style><div><div class="l hdr"><i>Item</i>
        <i>Quantity</i><i></i></div>
        <div class=l><span>Lamp</span><span><button>-</button><input value=1><button>+</button></span>
        <a href=#>Remove</a></div>
        <div class=l><span>Bulb</span><span><button>-</button><input value=3><button>+</button></span>
        <a href=#>Remove</a></div></div>""",
        rows(item=TEXT, quantity=INTEGER),
        [{"item": "Lamp", "quantity": 1}, {"item": "Bulb", "quantity": 3}],
    ),
    (
        """<button><strong>326</strong><span>Students enrolled</span></button><button>
        <b style=display:block>18</b>Courses</button>""",
        record(studentsEnrolled=INTEGER, courses=INTEGER),
        {"studentsEnrolled": 326, "courses": 18},
    ),
    (
        """<dl><dt>IBAN</dt><dd>PT50 0002 <button>Copy</button></dd><dt>Limit</dt><dd>EUR 500
        <a href=#>Change</a></dd></dl>
        <h2>API key</h2><div><code>pk_9f3a</code> <button>Rotate</button></div><h2>Other</h2>""",
        record(iban=TEXT, limit=TEXT, apiKey=TEXT),
        {"iban": "PT50 0002", "limit": "EUR 500", "apiKey": "pk_9f3a"},
    ),
    (
        """<div><h6>Seats</h6><div style="font-size:24px">41</div><small>of 50 used</small>
        <a href=#>More info</a></div>
        <div><h6>Plan</h6><div style="font-size:24px">Basic</div><small>renews soon</small>
        <a href=#>More info</a></div>""",
        record(seats=INTEGER, plan=TEXT),
        {"seats": 41, "plan": "Basic"},
    ),
    (
        """<div>Opened<div>Mar 2, 2026</div></div><div>Requester<div>Hanna Bloch</div></div>
        <label for=tz>Timezone</label><select id=tz><option>UTC</select>
        <span id=w>Weekly digest</span><span role=switch aria-checked=true aria-labelledby=w>&nbsp;</span>""",
        record(opened=DATE, requester=TEXT, timeZone=TEXT, weeklyDigest={"type": "boolean"}),
        {"opened": "2026-03-02", "requester": "Hanna Bloch", "timeZone": "UTC", "weeklyDigest": True},
    ),
    (
        """<style>.was{text-decoration:line-through}</style><article><h4>Lamp</h4>
        <div class=was>$129.00</div><div>$99.00</div></article>
        <article><h4>Bulb</h4><div>$9.50</div></article>""",
        rows(name=TEXT, price=NUMBER),
        [{"name": "Lamp", "price": 99}, {"name": "Bulb", "price": 9.5}],
    ),
    (
        "<ol><li>Colours<ul><li>Red<li>Blue</ul><li>Shapes<ul><li>Round</ul></ol>",
        record(colours=TEXTS, shapes=TEXTS),
        {"colours": ["Red", "Blue"], "shapes": ["Round"]},
    ),
    (
        """<form><div><label>Given name</label><input value=Ada></div>
        <div><label>Country</label><select><option>Chile<option selected>Peru</select><i>required</i></div>
        <div><span>Notes</span><textarea>Call first</textarea></div>
        <div><label>Plan</label><div><label><input type=radio name=p checked> Basic</label>
        <label><input type=radio name=p> Gold</label></div></div></form>""",
        record(givenName=TEXT, country=TEXT, notes=TEXT, plan=TEXT),
        {"givenName": "Ada", "country": "Peru", "notes": "Call first", "plan": "Basic"},
    ),
    (
        """<script type="application/ld+json">{"@type": "Book", "name": "Emma",
        "author": {"@type": "Person", "name": "Jane Austen"}}</script>""",
        record(author=TEXT),
        {"author": "Jane Austen"},
    ),
    (
        "<p>Write to <a href='mailto:help@x.example'>HELP DESK</a></p>",
        record(email={"type": "string", "format": "email"}),
        {"email": "help@x.example"},
    ),
    (
        "<table><tr><th>Column 1<th>Column 2<tr><td>a<td>7</table>",
        rows(column1=TEXT, column2=INTEGER),
        [{"column1": "a", "column2": 7}],
    ),
    (
        "<table><tr><td>Bus #<td>Driver<td>Seats<tr><td>12<td>Ada<td>40<tr><td>15<td>Bo<td>52</table>",
        rows(bus=TEXT, driver=TEXT, seats=INTEGER),
        [{"bus": "12", "driver": "Ada", "seats": 40}, {"bus": "15", "driver": "Bo", "seats": 52}],
    ),
    (
        "<table><tr><td><b>City</b><td><b>Country</b><tr><td>Lima<td>Peru<tr><td>Quito<td>Ecuador</table>",
        rows(city=TEXT, country=TEXT),
        [{"city": "Lima", "country": "Peru"}, {"city": "Quito", "country": "Ecuador"}],
    ),
    (
        "<table><tr><td>City<td>Country<tr><td>Lima<td>Peru<tr><td>Quito<td>Ecuador</table>",
        rows(city=TEXT, country=TEXT),
        [{"city": "Lima", "country": "Peru"}, {"city": "Quito", "country": "Ecuador"}],
    ),
    (
        """<table><tr><td class=isbn>1-2<td class=book-title>Emma
        <tr><td class=isbn>3-4<td class=book-title>Ulysses
        </table>""",
        rows(isbn=TEXT, bookTitle=TEXT),
        [{"isbn": "1-2", "bookTitle": "Emma"}, {"isbn": "3-4", "bookTitle": "Ulysses"}],
    ),
    (
        "<table><tr><td>2026-01-03<td>Bread<td>$3.10<tr><td>2026-01-04<td>Milk<td>$1.20</table>",
        rows(date=DATE, amount=NUMBER),
        [{"date": "2026-01-03", "amount": 3.1}, {"date": "2026-01-04", "amount": 1.2}],
    ),
    (
        """<section><div class=r><div>Flight</div><div>Gate</div><div>Time</div></div>
        <div class=r><div>LH 1</div><div>A2</div><div>10:30</div></div>
        <div class=r><div>BA 7</div><div>B1</div><div>11:05</div></div></section>""",
        rows(flight=TEXT, gate=TEXT),
        [{"flight": "LH 1", "gate": "A2"}, {"flight": "BA 7", "gate": "B1"}],
    ),
    (
        """<div class=tbl><div class=thead><div class=tr><span>Player</span><span>Club</span></div></div>
        <div class=tbody><div class=tr><span>Ana</span><span>Reds</span></div>
        <div class=tr><span>Ben</span><span>Blues</span></div></div></div>""",
        rows(player=TEXT, club=TEXT),
        [{"player": "Ana", "club": "Reds"}, {"player": "Ben", "club": "Blues"}],
    ),
    (
        """<div style="display:grid;grid-template-columns:1fr 1fr 1fr"><b>Part</b><b>Maker</b><b>Pieces</b>
        <span>Bolt</span><span>Acme</span><span>10</span><span>Nut</span><span>Bros</span>
        <span>12</span></div>""",
        rows(part=TEXT, pieces=INTEGER),
        [{"part": "Bolt", "pieces": 10}, {"part": "Nut", "pieces": 12}],
    ),
    (
        "<table><tr><th>Lot<th>State<tr><td>1<td><select><option>new<option selected>sold</select></table>",
        rows(lot=TEXT, state=TEXT),
        [{"lot": "1", "state": "sold"}],
    ),
    # what decorates a value is no part of it
    (
        """<table><tr><th>Owner<th>Mail
        <tr><td><span class="avatar avatar-sm">JD</span> <b>John Doe</b><td>j@a.example
        <tr><td><i>AB</i><b>Ann Bo</b> <span class=badge>3</span>
        <td><i class=material-icons>mail</i> a@a.example</table>""",
        rows(owner=TEXT, mail=TEXT),
        [{"owner": "John Doe", "mail": "j@a.example"}, {"owner": "Ann Bo", "mail": "a@a.example"}],
    ),
    (
        """<dl><dt>Box<dd>Inbox <span class="counter">12</span><dt>State<dd><span class=badge>Open</span>
        <dt>Fee<dd><span aria-hidden=true>€</span>5<dt>City<dd><span class=sr-only>City:</span> Rome</dl>""",
        record(box=TEXT, state=TEXT, fee=TEXT, city=TEXT),
        {"box": "Inbox", "state": "Open", "fee": "€5", "city": "Rome"},
    ),
    # the lines below a heading are a party and where it is; a party is called by its name
    (
        """<h4>Bill to</h4><p><b>North Hotels</b><br>Quay 8<br>20457 Hamburg</p>
        <h4>Shipping address</h4><p>Gate 3<br>21107 Hamburg</p>""",
        record(customerName=TEXT, shippingAddress=TEXT),
        {"customerName": "North Hotels", "shippingAddress": "Gate 3 21107 Hamburg"},
    ),
    # lines beside a heading in one box
    (
        "<div><h2>INVOICE</h2>Invoice no. 88120<br>Due date: 13 April 2026<p>Thank you.</p></div>",
        record(invoiceNumber=TEXT, dueDate=DATE),
        {"invoiceNumber": "88120", "dueDate": "2026-04-13"},
    ),
    (
        """<table><tr><th>Article<th>Price<tr><td colspan=2>Fruit<tr><td>Apples<td>2.40<tr><td>Pears<td>3.10
        <tr><td colspan=2>Vegetables<tr><td>Leek<td>0.90</table>""",
        rows(category=TEXT, article=TEXT, price=NUMBER),
        [
            {"category": "Fruit", "article": "Apples", "price": 2.4},
            {"category": "Fruit", "article": "Pears", "price": 3.1},
            {"category": "Vegetables", "article": "Leek", "price": 0.9},
        ],
    ),
    # who did it, the only sentence, and a current price
    (
        """<ul><li><a href=/1>One</a><p>Published 2 May 2026 by Ana Ruiz</p><p>It is a long tale.</p>
        <div>€5.00 <s>€7.00</s></div><li><a href=/2>Two</a><p>Published 3 May 2026 by Bo Lee</p>
        <p>It is even longer.</p><div>€8.00</div></ul>""",
        rows(title=TEXT, author=TEXT, snippet=TEXT, price=NUMBER),
        [
            {"title": "One", "author": "Ana Ruiz", "snippet": "It is a long tale.", "price": 5},
            {"title": "Two", "author": "Bo Lee", "snippet": "It is even longer.", "price": 8},
        ],
    ),
    # the heading is the title of what the page is about
    (
        "<title>Job</title><h1>Junior Accountant</h1><p>Company: Talbot</p>",
        record(jobTitle=TEXT, company=TEXT),
        {"jobTitle": "Junior Accountant", "company": "Talbot"},
    ),
    (
        "<p>Payment terms: 30 days net. Bank: HSBC, Branch: Leeds</p>",
        record(paymentTerms=TEXT, bank=TEXT, branch=TEXT),
        {"paymentTerms": "30 days net", "bank": "HSBC", "branch": "Leeds"},
    ),
    ("<h1>Order #88213</h1>", record(orderNumber=TEXT), {"orderNumber": "88213"}),
]


@pytest.mark.parametrize(("html", "schema", "expected"), RIGHT)
async def test_what_the_page_calls_so_is_read(
    runner: BlockRunner, html: str, schema: dict[str, Any], expected: Any
) -> None:
    assert await read(runner, html, schema) == expected


async def test_what_is_about_the_page_is_read_from_the_page_itself(runner: BlockRunner, site: Site) -> None:
    await runner.session.goto(site.page("/here", "<title>Opening hours</title><p>Daily.</p>"))
    outcome = await runner.run("Extract", {"schema": record(pageUrl=TEXT, pageTitle=TEXT)})
    assert outcome.output == {"pageUrl": f"{site.url}/here", "pageTitle": "Opening hours"}

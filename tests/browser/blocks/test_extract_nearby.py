"""Extract reads texts by what stands beside them, by class names as a last sign, and what cards are about."""

from typing import Any

import pytest

from support.block_runner import BlockRunner
from support.extracting import DATE, INTEGER, NUMBER, TEXT, read, record, refusal, rows

pytestmark = pytest.mark.anyio

PARCEL = """<style>.m{color:#777;margin:0}.v{font-size:20px;margin:0}</style><h1>Track</h1><div>
<p class=m>Tracking number</p><p class=v>0034 0434 2921</p><span class="pill">In transit</span>
<p class=m>Expected delivery</p><p class=v>Thursday, 5 March 2026</p></div>"""
PLAN = """<style>.x{font-size:20px}.y{color:#777}</style><h1>Billing</h1><div><h3>Current plan</h3>
<p class=x>Business <span class=badge>Active</span></p><p class=y>$49 per month</p></div>"""
JOBS = """<style>.co{font-weight:700}.sal{color:#070}</style>
<article><h3><a href="#">Data Engineer</a></h3><div class="co">Polderbank</div><div class="loc">Utrecht</div>
<div class=sal>€68,000 a year</div><time>Posted 3 days ago</time></article>
<article><h3><a href="#">Analyst</a></h3><div class="co">Kwikstaart</div><div class="loc">Amersfoort</div>
<time>Posted today</time></article>"""
TEAM = """<h1>Our team</h1><div><div class=p><h4>Hannah Bright</h4>
<div class=role>Property manager</div></div>
<div class=p><h4>Jude Okafor</h4><div class=role>Negotiator</div></div></div>"""
TRIPS = """<h1>My trips</h1><ul>
<li><div><strong>Hotel Arenal</strong></div><div><label>Check-in</label><p>4 Dec 2026</p></div>
<div><label>Check-out</label><p>7 Dec 2026</p></div></li>
<li><div><strong>Kaisergarten</strong></div><div><label>Check-in</label><p>8 Oct 2026</p></div>
<div><label>Check-out</label><p>10 Oct 2026</p></div></li></ul>"""
VISITS = """<h1>Appointments</h1><ul>
<li><time datetime="2026-11-19T09:00">09:00</time><h3>Elif Demir</h3><p>Room 2</p>
<a href="#">Check in</a> <a href="#">Reschedule</a></li>
<li><time datetime="2026-11-19T09:30">09:30</time><h3>Conor Walsh</h3><p>Room 5</p>
<a href="#">Check in</a> <a href="#">Reschedule</a></li></ul>"""
BOARD = """<h1>Sprint 31</h1><ul>
<li><div>Crash on rotation</div><div><span class=p>High</span><span>MOB-412</span><span>💬 3</span></div></li>
<li><div>New splash screen</div>
<div><span class=p>Low</span><span>MOB-381</span><span>💬 0</span></div></li></ul>"""
FLATS = """<style>small{display:block}</style><h1>Flats</h1><div>
<div class=l><a href="#">Gohliser Str. 9</a><div><span>1,120 €<small>Cold rent</small></span>
<span>104 m²<small>Living space</small></span></div></div>
<div class=l><a href="#">Am Ring 2</a><div><span>385 €<small>Cold rent</small></span>
<span>39 m²<small>Living space</small></span></div></div></div>"""
TALKS = """<h1>Talks</h1><div>
<div class=s><b>Queues</b> <span class=room>Main hall</span></div>
<div class=s><b>Postgres</b> <span class=room>Room 2</span></div></div>"""
CONTRACT = """<style>.hd{font-weight:600}</style><h1>Contract C-2204</h1>
<div><div class=hd>Customer</div><div><dl><dt>Name</dt><dd>Ostrava Glass</dd>
<dt>Phone</dt><dd>595 555 010</dd></dl></div></div>
<div><div class=hd>Account manager</div><div><dl><dt>Name</dt><dd>Petr Novak</dd>
<dt>Phone</dt><dd>595 555 771</dd></dl>
</div></div>"""
PLANS = """<h1>Plans for every team</h1><table><thead><tr><td></td><th>Starter</th><th>Team</th></tr>
</thead><tbody>
<tr><th>Monthly price</th><td>$0</td><td>$12</td></tr>
<tr><th>Storage</th><td>5 GB</td><td>100 GB</td></tr></tbody></table>"""
STATEMENT = """<table><tr><th>Date</th><th>Details</th><th>Paid out</th><th>Balance</th></tr>
<tr><td>01 Oct 2026</td><td>Rent</td><td>950.00</td><td>1,412.18</td></tr>
<tr><td></td><td>Total October</td><td>950.00</td><td></td></tr>
<tr><td>02 Nov 2026</td><td>Water</td><td>31.80</td><td>1,380.38</td></tr>
<tr><td>09 Nov 2026</td><td>Shoes</td><td>59.99</td><td>1,320.39</td></tr></table>"""
COMPANY = """<h1>Hartwell Bearings Limited</h1><dl><dt>Company number</dt><dd>08114529</dd>
<dt>Company status</dt><dd>Active</dd></dl>"""
LICENCES = """<table><tr><th>Product</th><th>State</th></tr><tr><td>DraftCAD</td><td>Active</td></tr>
<tr><td>PixelForge</td><td>Over limit</td></tr></table>"""
ACCOUNTS = """<h1>Good morning, Peter</h1><div>
<a href=/1><div><div>Everyday</div><div>DE12 5001 0517 0648 4898 90</div></div><div>€2,310.55</div></a>
<a href=/2><div>
<div>Savings</div><div>DE44 5001 0517 0912 7788 12</div></div><div>€12,000.00</div></a></div>"""
VEHICLE = """<style>.k{background:#eee}</style><table><tr><td colspan=4><b>Vehicle record</b></td></tr>
<tr><td class=k>Make</td><td>Volvo</td><td class=k>Model</td><td>FH16</td></tr>
<tr><td class=k>Mileage</td><td>312,450 km</td><td class=k>Colour</td><td>White</td></tr></table>"""
BUDGET = """<dl><dt>Budget</dt><dd>€48,000 (62% used)</dd><dt>Due</dt><dd>€812.40 by 15.02.2026</dd></dl>"""
DEPOSIT = """<dl><dt>Deposit</dt><dd>4.350 €</dd><dt>Heating</dt><dd>140 €</dd></dl>"""
TICKET = """<h1><span>#4821</span> Printer jams</h1><dl><dt>Assignee</dt><dd>Lena Moor</dd></dl>"""


@pytest.mark.parametrize(
    ("page", "schema", "data"),
    [
        (
            PARCEL,
            record("trackingNumber expectedDelivery", trackingNumber=TEXT, expectedDelivery=DATE),
            {"trackingNumber": "0034 0434 2921", "expectedDelivery": "2026-03-05"},
        ),
        (PLAN, record("currentPlan", currentPlan=TEXT), {"currentPlan": "Business"}),
        (
            JOBS,
            rows("title company", title=TEXT, company=TEXT, location=TEXT, salary=TEXT, posted=TEXT),
            [
                {
                    "title": "Data Engineer",
                    "company": "Polderbank",
                    "location": "Utrecht",
                    "salary": "€68,000 a year",
                    "posted": "3 days ago",
                },
                {"title": "Analyst", "company": "Kwikstaart", "location": "Amersfoort", "posted": "today"},
            ],
        ),
        (
            TEAM,
            rows("name jobTitle", name=TEXT, jobTitle=TEXT),
            [
                {"name": "Hannah Bright", "jobTitle": "Property manager"},
                {"name": "Jude Okafor", "jobTitle": "Negotiator"},
            ],
        ),
        (
            TRIPS,
            rows("hotel checkIn", hotel=TEXT, checkIn=DATE),
            [
                {"hotel": "Hotel Arenal", "checkIn": "2026-12-04"},
                {"hotel": "Kaisergarten", "checkIn": "2026-10-08"},
            ],
        ),
        (
            VISITS,
            rows("time patient", time=TEXT, patient=TEXT, room=TEXT),
            [
                {"time": "09:00", "patient": "Elif Demir", "room": "2"},
                {"time": "09:30", "patient": "Conor Walsh", "room": "5"},
            ],
        ),
        (
            BOARD,
            rows("key title", key=TEXT, title=TEXT, priority=TEXT, comments=INTEGER),
            [
                {"key": "MOB-412", "title": "Crash on rotation", "priority": "High", "comments": 3},
                {"key": "MOB-381", "title": "New splash screen", "priority": "Low", "comments": 0},
            ],
        ),
        (
            FLATS,
            rows("rent livingSpace", rent=NUMBER, livingSpace=NUMBER),
            [{"rent": 1120, "livingSpace": 104}, {"rent": 385, "livingSpace": 39}],
        ),
        (
            TALKS,
            rows("title room", title=TEXT, room=TEXT),
            [{"title": "Queues", "room": "Main hall"}, {"title": "Postgres", "room": "Room 2"}],
        ),
        (
            CONTRACT,
            record("customer", customer=record("name", name=TEXT, phone=TEXT)),
            {"customer": {"name": "Ostrava Glass", "phone": "595 555 010"}},
        ),
        (
            PLANS,
            rows("plan monthlyPrice", plan=TEXT, monthlyPrice=NUMBER, storage=TEXT),
            [
                {"plan": "Starter", "monthlyPrice": 0, "storage": "5 GB"},
                {"plan": "Team", "monthlyPrice": 12, "storage": "100 GB"},
            ],
        ),
        (
            STATEMENT,
            rows("date paidOut", date=DATE, paidOut=NUMBER),
            [
                {"date": "2026-10-01", "paidOut": 950},
                {"date": "2026-11-02", "paidOut": 31.8},
                {"date": "2026-11-09", "paidOut": 59.99},
            ],
        ),
        (COMPANY, record("companyName", companyName=TEXT), {"companyName": "Hartwell Bearings Limited"}),
        (
            LICENCES,
            rows("product status", product=TEXT, status=TEXT),
            [{"product": "DraftCAD", "status": "Active"}, {"product": "PixelForge", "status": "Over limit"}],
        ),
        (
            ACCOUNTS,
            rows("accountName iban balance", accountName=TEXT, iban=TEXT, balance=NUMBER),
            [
                {"accountName": "Everyday", "iban": "DE12 5001 0517 0648 4898 90", "balance": 2310.55},
                {"accountName": "Savings", "iban": "DE44 5001 0517 0912 7788 12", "balance": 12000},
            ],
        ),
        (
            VEHICLE,
            record("make mileageKm", make=TEXT, mileageKm=INTEGER),
            {"make": "Volvo", "mileageKm": 312450},
        ),
        (
            BUDGET,
            record("budget due", budget=NUMBER, due=NUMBER),
            {"budget": 48000, "due": 812.4},
        ),
        (
            DEPOSIT,
            record("deposit heating", deposit=NUMBER, heating=NUMBER),
            {"deposit": 4350, "heating": 140},
        ),
        (
            TICKET,
            record("ticketNumber subject", ticketNumber=TEXT, subject=TEXT),
            {"ticketNumber": "4821", "subject": "Printer jams"},
        ),
    ],
)
async def test_what_nothing_but_its_place_names_is_read(
    runner: BlockRunner, page: str, schema: dict[str, Any], data: Any
) -> None:
    assert await read(runner, page, schema) == data


LINES = """<h3>Address</h3><div>12 Kelvin Way</div><div>Glasgow</div>"""
STATUSES = """<h1>System status</h1><ul><li><span>Web</span> <em>fine</em></li>
<li><span>Mail</span> <em>so so</em></li></ul>"""
MENU = """<h1>Menu</h1><div><div class=d><span>Soup</span><span>6.50</span></div>
<div class=d><span>Salad</span><span>8.90</span></div></div>"""
THANKS = """<h1>Thank you, Priya</h1><dl><dt>Customer number</dt><dd>30418</dd>
<dt>Customer status</dt><dd>Gold</dd></dl>"""
RANGE = """<dl><dt>Salary</dt><dd>€3,400 &ndash; €3,900</dd></dl>"""


@pytest.mark.parametrize(
    ("page", "schema"),
    [
        (LINES, record("address", address=TEXT)),
        (STATUSES, rows("status", status=TEXT)),
        (MENU, rows("time", time=TEXT)),
        (THANKS, record("customerName", customerName=TEXT)),
        (RANGE, record("salary", salary=NUMBER)),
        (VISITS, rows("checkIn", checkIn=TEXT)),
        (TRIPS, rows("patient", patient=TEXT)),
        (TEAM, rows("manager", manager=TEXT)),
    ],
)
async def test_what_may_be_something_else_is_refused(
    runner: BlockRunner, page: str, schema: dict[str, Any]
) -> None:
    assert (await refusal(runner, page, schema)).message.startswith("Could not find")


def guests(*cells: str, label: str = "Guest") -> str:
    found = "".join(f"<tr><td>{cell}</td><td>{at}</td></tr>" for at, cell in enumerate(cells, 1))
    return f"<style>.m{{color:#777}}</style><table><tr><th>{label}</th><th>Nights</th></tr>{found}</table>"


@pytest.mark.parametrize(
    "page",
    [
        guests("Ines Moro<div class=m>Acme Travel</div>", "Paul Stein<div class=m>Direct</div>"),
        guests("Ines Moro<br>Acme Travel", "Paul Stein<br>Direct"),
        guests("<div>Ines Moro</div><div>Acme Travel</div>", "<div>Paul Stein</div><div>Direct</div>"),
        guests("<b>Ines Moro</b><br>Acme Travel", "<b>Paul Stein</b><br>Direct"),
        guests("<a href=#>Ines Moro</a><br>ID 4711", "<a href=#>Paul Stein</a><br>ID 4712"),
        guests("Ines Moro<div><small>Acme Travel</small></div>", "Paul Stein"),
        guests(
            "<div style=display:flex><i>IM</i><div><p><b>Ines Moro</b></p><p>im@x.example</p></div></div>",
            "<div style=display:flex><i>PS</i><div><p><b>Paul Stein</b></p><p>ps@x.example</p></div></div>",
        ),
    ],
    ids=["colour", "line", "boxes", "bold", "link", "some", "initials"],
)
@pytest.mark.parametrize("more", [{}, {"agency": TEXT}], ids=["alone", "with what is below"])
async def test_a_second_line_in_a_cell_is_no_part_of_the_value(
    runner: BlockRunner, page: str, more: dict[str, Any]
) -> None:
    read_rows = await read(runner, page, rows("guest", guest=TEXT, nights=INTEGER, **more))
    assert read_rows == [{"guest": "Ines Moro", "nights": 1}, {"guest": "Paul Stein", "nights": 2}]


@pytest.mark.parametrize(
    ("label", "cell", "field", "value"),
    [
        ("Address", "Kelvin Way<br>Glasgow", "address", "Kelvin Way Glasgow"),
        ("Hotel", "12 Kelvin Way<br>Glasgow", "hotel", "12 Kelvin Way Glasgow"),
        ("Guests", "Ines Moro<br>Paul Stein", "guests", "Ines Moro Paul Stein"),
    ],
)
async def test_lines_that_belong_together_are_one_value(
    runner: BlockRunner, label: str, cell: str, field: str, value: str
) -> None:
    page = guests(cell, cell.replace("Way", "Road"), label=label)
    assert (await read(runner, page, rows(field, **{field: TEXT})))[0] == {field: value}

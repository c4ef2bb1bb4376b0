"""Extract keeps apart what stands close together: records and the page, a value and the lines below it."""

from typing import Any

import pytest

from support.block_runner import BlockRunner
from support.extracting import DATE, INTEGER, NUMBER, TEXT, read, record, refusal, rows

pytestmark = pytest.mark.anyio

MAIL = {"type": "string", "format": "email"}
LANDLORD = """<h1>Tenancies</h1><table><tr><th>Flat<th>Tenant<th>E-mail</tr>
<tr><td>1A<td>Ida Lund<td>ida@lund.example</tr><tr><td>2B<td>Bo Falk<td>bo@falk.example</tr></table>
<aside><div><h4>Your landlord</h4><p><b>Petra Holm</b><br>Tel. 020 7946 0018<br>
<a href="mailto:petra@holm.example">petra@holm.example</a></p></div>
<div><h4>Bins</h4><p>Put them out before 7.</p></div></aside>"""
DOCTORS = """<h1>Doctors</h1><div>
<div class=d><div class=x>MC</div><div><div class=n>Dr Mary Cole</div><div>Ward: 4</div></div></div>
<div class=d><div class=x>RB</div><div><div class=n>Ravi Bose</div><div>Ward: 7</div></div></div></div>"""
LAMPS = """<style>.o{text-decoration:line-through}</style><div><h1>Desk lamps</h1></div><div>
<div class=c><div class=b>Lumo</div><h3>Arc 2</h3>
<div class=s><span>★ 4.2</span> <span>(31 reviews)</span></div>
<div><span class=o>$80.00</span><span>$64.00</span></div><div class=s>In stock</div></div>
<div class=c><div class=b>Ray</div><h3>Nook</h3>
<div class=s><span>★ 3.9</span> <span>(1,204 reviews)</span></div>
<div><span>$25.00</span></div><div class=s>Sold out</div></div></div>"""
CAR = """<style>.o{text-decoration:line-through}</style><h1>Saab 900</h1>
<div><span>€4,900</span> <span class=o>€5,500</span> <span>Sale</span></div>
<p><b>Autohaus Ost, Kiel</b><br>Contact: Jens Ott<br>Phone: 0431 555 0123</p>"""
LIMITS = """<table><tr><th>Part<th>Low<th>High</tr><tr><td>Voltage<td>1<td>2</tr>
<tr><td>Current<td>3<td>4</tr></table>"""
READINGS = """<table><tr><th>Quantity<th>Reading<th>Unit<th>Remark</tr>
<tr><td>Voltage<td>231.5<td>V<td>high</tr><tr><td>Frequency<td>50.01<td>Hz<td></tr></table>"""
BUSES = """<h1>Buses</h1><table><tr><th>Line<th>Departs<th>Arrives</tr><tr><td>X1<td>07:10<td>08:25</tr>
<tr><td>X2<td>09:40<td>10:55</tr></table>"""
WALLET = """<h1>Wallet</h1><p>Your balance is $81.20 as of 4 May 2026.</p>
<p>Write to Ann Lee at ann@wallet.example about it.</p>"""
GUESTS = """<h1>Stay</h1><h2>Guests</h2><div class=g><div>Nora Vik</div><div>Room: 12</div></div>
<div class=g><div>Tom Ek</div><div>Room: 14</div></div>"""


@pytest.mark.parametrize(
    ("page", "schema", "data"),
    [
        (
            LANDLORD,
            record("landlord", landlord=TEXT, phone=TEXT, email=MAIL),
            {"landlord": "Petra Holm", "phone": "020 7946 0018", "email": "petra@holm.example"},
        ),
        (
            DOCTORS,
            rows("name", name=TEXT, ward=TEXT),
            [{"name": "Dr Mary Cole", "ward": "4"}, {"name": "Ravi Bose", "ward": "7"}],
        ),
        (
            LAMPS,
            rows(
                "productName",
                productName=TEXT,
                currentPrice=NUMBER,
                originalPrice=NUMBER,
                rating=NUMBER,
                inStock={"type": "boolean"},
            ),
            [
                {
                    "productName": "Arc 2",
                    "currentPrice": 64,
                    "originalPrice": 80,
                    "rating": 4.2,
                    "inStock": True,
                },
                {"productName": "Nook", "currentPrice": 25, "rating": 3.9, "inStock": False},
            ],
        ),
        (
            CAR,
            record("price", price=NUMBER, previousPrice=NUMBER, contactPerson=TEXT, phone=TEXT),
            {"price": 4900, "previousPrice": 5500, "contactPerson": "Jens Ott", "phone": "0431 555 0123"},
        ),
        (
            READINGS,
            record("voltage", voltage=NUMBER, frequency=NUMBER),
            {"voltage": 231.5, "frequency": 50.01},
        ),
        (
            BUSES,
            rows("line", line=TEXT, departureTime=TEXT, arrivalTime=TEXT),
            [
                {"line": "X1", "departureTime": "07:10", "arrivalTime": "08:25"},
                {"line": "X2", "departureTime": "09:40", "arrivalTime": "10:55"},
            ],
        ),
        (
            WALLET,
            record("balance", balance=NUMBER, balanceDate=DATE, contactEmail=MAIL),
            {"balance": 81.2, "balanceDate": "2026-05-04", "contactEmail": "ann@wallet.example"},
        ),
        (
            GUESTS,
            rows("guestName", guestName=TEXT, room=INTEGER),
            [{"guestName": "Nora Vik", "room": 12}, {"guestName": "Tom Ek", "room": 14}],
        ),
    ],
    ids=[
        "a person and how to reach them",
        "initials before a title",
        "prices before and now",
        "the price below the heading",
        "rows of results",
        "times of departure",
        "a day and an address in sentences",
        "titles named by their heading",
    ],
)
async def test_what_stands_together_is_kept_apart(
    runner: BlockRunner, page: str, schema: dict[str, Any], data: Any
) -> None:
    found = await read(runner, page, schema)
    assert [_filled(row) for row in found] == data if isinstance(data, list) else _filled(found) == data


@pytest.mark.parametrize(
    ("page", "schema"),
    [
        # two amounts below the heading
        ("<h1>Saab 900</h1><div><b>€4,900</b> <b>€300</b></div>", record("price", price=NUMBER)),
        # nothing says that who is below "Stay" is a customer
        (GUESTS, rows("customerName", customerName=TEXT, room=INTEGER)),
        # two columns of numbers: neither is the result
        (LIMITS, record("voltage", voltage=NUMBER)),
    ],
)
async def test_what_could_be_another_is_refused(
    runner: BlockRunner, page: str, schema: dict[str, Any]
) -> None:
    assert "Could not find" in (await refusal(runner, page, schema)).message


def _filled(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if value is not None}

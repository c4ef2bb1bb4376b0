"""Extract reads labels and values in the layouts that pages use for them."""

from typing import Any

import pytest

from support.block_runner import BlockRunner
from support.extracting import DATE, INTEGER, NUMBER, TEXT, read, record, refusal, rows

pytestmark = pytest.mark.anyio

VAN = """<style>.v{font-weight:600}.k{font-size:12px}</style><aside><h2>KR 52</h2>
<div class=a><div class=v>WF0XX51</div><div class=k>VIN</div></div>
<div class=a><div class=v>Gdańsk</div><div class=k>Depot</div></div>
<div class=a><div class=v><span>7002 44</span> <button>Block</button></div><div class=k>Fuel card</div>
</div></aside>"""
PACKAGES = """<h2>Packages</h2><section>
<div class=p><div class=a><span>Carrier</span><span>UPS</span></div><div class=a><span>Shipped</span>
<span>Mar 7, 2026</span>
</div><button>Track</button></div>
<div class=p><div class=a><span>Carrier</span><span>FedEx</span></div><div class=a><span>Shipped</span>
<span>Mar 8, 2026</span>
</div><button>Track</button></div></section>"""
WARDS = """<h2>Wards</h2><div>
<button class=card><span><span>Ward 2A</span> <span class="badge open">Open</span></span>
<span><span class=f><b>24</b><small>Beds</small></span><span class=f><b>3</b><small>Free</small></span>
</span></button>
<button class=card><span><span>ICU</span> <span class="badge full">Full</span></span>
<span><span class=f><b>12</b><small>Beds</small></span><span class=f><b>0</b><small>Free</small></span>
</span></button></div>"""
LINES = """<div class=head><h2>Depot</h2><div>Manager: Ada Byron · Last count: 30 Apr 2026</div>
<p>Case No. <span>2:24-17</span> <span class=tag>Open</span></p>
<div><span>Age: 81</span> <span>From: Ward 7</span></div>
<p><b>Judge:</b> <span>R. Lund</span> · <b>Type:</b> <span>Civil</span></p></div>"""
ADDRESSES = """<section><h2>Shipping address</h2><button>Edit</button><p>88 High St, Leeds</p>
<label>Note<textarea>Rear dock</textarea></label></section>
<section><h2>Billing address</h2><button>Edit</button><p>PO Box 11, Leeds</p></section>"""
TWO_LINES = """<table><thead><tr><th>Pos.</th><th>Description</th><th>Qty</th></tr></thead><tbody>
<tr><td rowspan=2>1</td><td>Fibre</td><td>1</td></tr><tr><td colspan=2>Contract 40-77</td></tr>
<tr><td rowspan=2>2</td><td>Mobile</td><td>14</td></tr><tr><td colspan=2>Contract 51-00</td></tr>
</tbody></table>"""
YEARS = """<fieldset><legend>Year groups 2026</legend><table><tr><th></th><th>Places</th>
<th>Teacher</th></tr>
<tr><th>Reception</th><td><input value=60></td><td>Mrs Cole</td></tr><tr><th>Year 1</th><td>
<input value=58></td>
<td>Mr Quinn</td></tr><tr><th>All years</th><td>118</td><td></td></tr></table></fieldset>"""
INSTALMENTS = """<h2>Instalments</h2><div>
<dl><dt class=h style="font-weight:bold">1st</dt><dt>Due</dt><dd>10.03.2026</dd><dt>Amount</dt>
<dd>1.203,00 €</dd></dl>
<dl><dt class=h style="font-weight:bold">2nd</dt><dt>Due</dt><dd>10.06.2026</dd><dt>Amount</dt>
<dd>1.204,00 €</dd></dl></div>"""
NESTED = """<h2>Valuables</h2><ul><li>Jewellery<ul><li><span>Ring</span> <span>£4,800</span></li>
<li><span>Necklace</span> <span>£1,950</span></li></ul></li><li>Bicycles<ul><li>
<span>Trek</span> <span>£2,300</span></li></ul></li></ul>"""


@pytest.mark.parametrize(
    ("page", "schema", "data"),
    [
        (
            VAN,
            record("vin depot fuelCard", vin=TEXT, depot=TEXT, fuelCard=TEXT),
            {"vin": "WF0XX51", "depot": "Gdańsk", "fuelCard": "7002 44"},
        ),
        (
            PACKAGES,
            rows("carrier shippedDate", carrier=TEXT, shippedDate=DATE),
            [
                {"carrier": "UPS", "shippedDate": "2026-03-07"},
                {"carrier": "FedEx", "shippedDate": "2026-03-08"},
            ],
        ),
        (
            WARDS,
            rows("ward beds free status", ward=TEXT, beds=INTEGER, free=INTEGER, status=TEXT),
            [
                {"ward": "Ward 2A", "beds": 24, "free": 3, "status": "Open"},
                {"ward": "ICU", "beds": 12, "free": 0, "status": "Full"},
            ],
        ),
        (
            LINES,
            record(
                "manager lastCount caseNumber age judge type",
                manager=TEXT,
                lastCount=DATE,
                caseNumber=TEXT,
                age=INTEGER,
                judge=TEXT,
                type=TEXT,
            ),
            {
                "manager": "Ada Byron",
                "lastCount": "2026-04-30",
                "caseNumber": "2:24-17",
                "age": 81,
                "judge": "R. Lund",
                "type": "Civil",
            },
        ),
        (
            ADDRESSES,
            record("shippingAddress billingAddress", shippingAddress=TEXT, billingAddress=TEXT),
            {"shippingAddress": "88 High St, Leeds", "billingAddress": "PO Box 11, Leeds"},
        ),
        (
            TWO_LINES,
            rows("description quantity", description=TEXT, quantity=INTEGER),
            [{"description": "Fibre", "quantity": 1}, {"description": "Mobile", "quantity": 14}],
        ),
        (
            YEARS,
            rows("yearGroup places", yearGroup=TEXT, places=INTEGER),
            [{"yearGroup": "Reception", "places": 60}, {"yearGroup": "Year 1", "places": 58}],
        ),
        (
            INSTALMENTS,
            rows("instalment dueDate amount", instalment=TEXT, dueDate=DATE, amount=NUMBER),
            [
                {"instalment": "1st", "dueDate": "2026-03-10", "amount": 1203.0},
                {"instalment": "2nd", "dueDate": "2026-06-10", "amount": 1204.0},
            ],
        ),
        (
            NESTED,
            rows("valuable value", valuable=TEXT, value=NUMBER),
            [
                {"valuable": "Ring", "value": 4800},
                {"valuable": "Necklace", "value": 1950},
                {"valuable": "Trek", "value": 2300},
            ],
        ),
    ],
    ids=[
        "labels below values",
        "the same labels in every card",
        "cards that are buttons",
        "several labels in a line",
        "a button between heading and value",
        "rows of two lines",
        "a first column without a name",
        "lists of terms with a title",
        "lists in lists",
    ],
)
async def test_a_layout_is_read(runner: BlockRunner, page: str, schema: dict[str, Any], data: object) -> None:
    assert await read(runner, page, schema) == data


async def test_the_badge_of_a_card_is_not_the_label_of_its_title(runner: BlockRunner) -> None:
    failed = await refusal(runner, WARDS, rows("open beds", open=TEXT, beds=INTEGER))
    assert "`open`" in failed.message

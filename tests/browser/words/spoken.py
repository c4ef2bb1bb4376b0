"""Entries by kind and number, drawn lists, icons and corners, on pages where a neighbour has what is said."""

from pathlib import Path

from pagehand.page.phrases import TargetKind

_FOLDER = Path(__file__).parent / "html"
CLINIC = (_FOLDER / "clinic.html").read_text(encoding="utf-8")
LEDGER = (_FOLDER / "ledger.html").read_text(encoding="utf-8")
REGISTER = (_FOLDER / "register.html").read_text(encoding="utf-8")
DESK = (_FOLDER / "desk.html").read_text(encoding="utf-8")

ACCOUNTS = """<h1>Order 77</h1>
<section><h2>Payments</h2><table><thead><tr><th>Payee<th>Kind<th>Paid</tr></thead>
<tr><td>Arbor Towing<td>Towing<td id=p1>185.00</tr>
<tr><td>City Rentals<td>Car<td id=p2>412.50</tr>
<tfoot><tr><td colspan=2>Total<td id=pt>597.50</tr></tfoot></table></section>
<section><h2>Flats</h2><table><thead><tr><th>Flat<th>Tenant<th>Rent / month</tr></thead>
<tr><td>1A<td>Prout<td id=r1>820.00</tr>
<tr><td>2B<td>Ashby<td id=r2>890.00</tr></table></section>
<fieldset><legend>Mother or first guardian</legend><label>E-mail<input id=m1></label></fieldset>
<fieldset><legend>Second guardian</legend><label>E-mail<input id=m2></label></fieldset>
<section><h2>Fees</h2><table><tr><th>Permit<th>Amount</tr>
<tr><td>6 months<td id=f6>62.50</tr>
<tr><td>12 months<td id=f12>120.00</tr></table></section>
<h2>Stay</h2><dl><dt>Departure<dd id=dep>Mon, 20 April 2026<dt>Nights<dd>3</dl>
<section><h2>Unpaid</h2>
<article><b>Elke Stamm</b><div id=o1>Open: 96.00</div><button>Remind</button></article>
<article><b>Rainer Kolbe</b><div id=o2>Open: 142.50</div><button>Remind</button></article></section>
<h2>Mail</h2><p><span>invoice.2026.pdf (84 KB) <a id=s1 href=#>Keep</a></span>
<span>menu.pdf (2 KB) <a id=s2
href=#>Keep</a></span></p><div role=list>
<div role=listitem tabindex=0 id=e1>08:31 <b>Fergus Daly</b> Sick note, I am
ill</div>
<div role=listitem tabindex=0 id=e2>09:15 <b>Kestrel Homes</b> The lift is out of service</div></div>"""
FORWARDER = """<nav><a href=#>Quotes</a></nav><h1>Shipments</h1><button id=new>+ New shipment</button>
<div>Destination</div><input id=dst>
<article><strong>KF-11</strong><div>Consignee: Ann Hartigan</div><button id=t1>Track</button></article>
<article><strong>KF-12</strong><div>Consignee: Rossi Moda</div><button id=t2>Track</button></article>
<fieldset><legend>Flat roof over 25%?</legend><label><input type=radio name=a id=ry>Yes</label>
<label><input type=radio name=a id=rn>No</label></fieldset>
<h2>Reviews</h2><details><summary id=fire>Fire marshal</summary>Passed</details>
<p>Page 1 of 6 <a id=next href=#>next</a> <a id=last href=#>last</a></p>"""
MEANT: list[tuple[str, TargetKind, str, str]] = [
    (CLINIC, "control", "Assign, second person in the waiting list", "w2"),
    (CLINIC, "control", "Remove of the last person in the waiting list", "x3"),
    (CLINIC, "control", "Assign, second room", "r2"),
    (CLINIC, "control", "Ward round on the 15th", "d15"),
    (CLINIC, "control", "Log out at the bottom left", "out"),
    (LEDGER, "control", "Open of the second order", "o2"),
    (LEDGER, "control", "receipt of the Nordbank booking", "rn"),
    (LEDGER, "field", "discount on position 10", "c1"),
    (LEDGER, "control", "remove the contract", "s3"),
    (LEDGER, "control", "printer icon", "pr"),
    (DESK, "control", "Invoices of 2023 in the tree", "i23"),
    (DESK, "field", "Urgency", "pri"),
    (DESK, "field", "the Queue dropdown", "que"),
    (DESK, "field", "Role of Ben Sand", "rb"),
    (DESK, "field", "birth month", "bm"),
    (DESK, "field", "Yes for the parking permit question", "y1"),
    (DESK, "control", "pencil of the Alpha card", "pen1"),
    (DESK, "control", "Compose above the Trays", "comp"),
    (DESK, "control", "delete in the yearly review pop-up", "del"),
    (REGISTER, "shown", "status of claim 5841", "s2"),
    (REGISTER, "control", "View, second claim", "v2"),
    (REGISTER, "control", "appeal claim 5840", "a1"),
    (REGISTER, "control", "delete the standing order for the gym", "d2"),
    (REGISTER, "control", "Send and close", "sc"),
    (DESK, "control", "Inbox folder", "in"),
    (DESK, "control", "star of the second letter", "st2"),
    (DESK, "control", "previous month arrow", "prev"),
    (DESK, "control", "shut the window", "shut"),
    (DESK, "control", "the little pencil on the Alpha card", "pen1"),
    (ACCOUNTS, "shown", "the total of the payments", "pt"),
    (ACCOUNTS, "shown", "rent of flat 2B", "r2"),
    (ACCOUNTS, "field", "the e-mail of the mother", "m1"),
    (ACCOUNTS, "shown", "fee for 12 months", "f12"),
    (ACCOUNTS, "shown", "the depature date", "dep"),
    (ACCOUNTS, "shown", "the open amount of Rainer Kolbe", "o2"),
    (ACCOUNTS, "control", "Keep next to invoice.2026.pdf", "s1"),
    (ACCOUNTS, "control", "the mail from Fergus Daly", "e1"),
    (FORWARDER, "control", "Track on shipment KF-12", "t2"),
    (FORWARDER, "control", "Track of the Rossi Moda shipment", "t2"),
    (FORWARDER, "control", "Track of the Hartigans", "t1"),
    (FORWARDER, "control", "button to create a new shipment", "new"),
    (FORWARDER, "control", "the box where I type the destination", "dst"),
    (FORWARDER, "control", "No to the flat roof question", "rn"),
    (FORWARDER, "control", "expand the Fire marshal review", "fire"),
    (FORWARDER, "control", "the link to the last page", "last"),
]
REFUSED: list[tuple[str, TargetKind, str]] = [
    (CLINIC, "control", "Assign the second person"),
    (CLINIC, "control", "Assign, fourth person in the waiting list"),
    (CLINIC, "control", "Remove, second room"),
    (CLINIC, "control", "Remove, second invoice"),
    (CLINIC, "control", "Ward round on the 16th"),
    (CLINIC, "control", "Stock check on the 8th"),
    (CLINIC, "control", "9:15 Ward round on the 15th"),
    (CLINIC, "control", "Log out at the top right"),
    (CLINIC, "control", "Help at the bottom left"),
    (LEDGER, "control", "Cancel of the second order"),
    (LEDGER, "control", "Cancel of the Acme appointment"),
    (LEDGER, "control", "receipt of the Westbank booking"),
    (LEDGER, "control", "receipt of the Acme booking"),
    (LEDGER, "control", "Open of the Nordbank booking"),
    (LEDGER, "control", "Cancel on the 15th"),
    (LEDGER, "field", "discount on position 15"),
    (LEDGER, "field", "discipline on position 10"),
    (LEDGER, "control", "Cancel of position 20"),
    (LEDGER, "control", "remove the scan"),
    (LEDGER, "control", "trash icon"),
    (REGISTER, "shown", "status of claim 9999"),
    (REGISTER, "control", "View, second customer"),
    (REGISTER, "control", "appeal claim 5841"),
    (REGISTER, "control", "Appeal, second claim"),
    (REGISTER, "control", "delete the sick leave for the gym"),
    (REGISTER, "control", "pause the standing order for the gym"),
    (
        REGISTER.replace("<span id=sc onclick=0", "<span hidden").replace("Send and close", ""),
        "control",
        "Send and close",
    ),
    (DESK, "control", "Inbox letter"),
    (DESK, "control", "star of the third letter"),
    (DESK, "control", "next month arrow"),
    (DESK, "control", "write the window"),
    (DESK, "control", "Payroll of 2024"),
    (DESK, "field", "Shade"),
    (DESK, "field", "Outline"),
    (DESK, "field", "Department of Ann Roth"),
    (DESK, "field", "Role of Cem Tan"),
    (DESK, "field", "Status"),
    (DESK, "field", "birth year"),
    (DESK, "field", "Yes for the licence question"),
    (DESK, "control", "pencil of the Beta card"),
    (DESK, "control", "Write above the Boxes"),
    (DESK, "control", "delete in the monthly review pop-up"),
    (ACCOUNTS, "shown", "the total of the fees"),
    (ACCOUNTS, "shown", "the total of the invoice"),
    (ACCOUNTS, "shown", "rent of flat 3C"),
    (ACCOUNTS, "field", "the e-mail of the father"),
    (ACCOUNTS, "shown", "fee for 9 months"),
    (ACCOUNTS, "shown", "the arrival date"),
    (ACCOUNTS, "shown", "the open amount of Greta Hahn"),
    (ACCOUNTS, "control", "the mail from Mina Park"),
    (ACCOUNTS, "control", "the order from Fergus Daly"),
    (FORWARDER, "control", "Track on shipment KF-13"),
    (FORWARDER, "control", "Track of the Rossi Moda quote"),
    (FORWARDER, "control", "Track of the Delgados"),
    (FORWARDER, "control", "the box where I type the colour"),
    (FORWARDER, "control", "No to the garden question"),
    (FORWARDER, "control", "not the flat roof"),
    (FORWARDER, "control", "the link to the first page"),
    (FORWARDER, "control", "button to create a new quote"),
]

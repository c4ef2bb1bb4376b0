"""Extractions from our own pages, each in a different style; written before the code that reads them."""

from extraction_pages.case import REFUSED, Case, record, rows

OWN = [
    Case(
        "own:auction.html",
        rows("lot!:integer description! estimate!:number"),
        [
            {"lot": 101, "description": "Walnut chest of drawers", "estimate": 300},
            {"lot": 102, "description": "Pair of brass candlesticks", "estimate": 45},
            {"lot": 103, "description": "Mantel clock, Vienna", "estimate": 120},
        ],
    ),
    Case(
        "own:bills.html",
        rows("billNumber! date!:date dueDate!:date amount!:number"),
        [
            {"billNumber": "B-7", "date": "2026-01-05", "dueDate": "2026-02-04", "amount": 1250},
            {"billNumber": "B-8", "date": "2026-01-19", "dueDate": "2026-02-18", "amount": 99.9},
        ],
    ),
    Case("own:letters.html", rows("subject! dueDate!:date"), REFUSED),
    Case(
        "own:letters.html",
        rows("subject! dueDate:date"),
        [{"subject": "Reminder"}, {"subject": "Second reminder"}],
    ),
    Case(
        "own:shipments.html",
        rows("trackingNumber! carrier! shipped!:date"),
        [
            {"trackingNumber": "1Z-884", "carrier": "Northline", "shipped": "2026-03-03"},
            {"trackingNumber": "1Z-885", "carrier": "Harbour Post", "shipped": "2026-03-04"},
            {"trackingNumber": "1Z-891", "carrier": "Northline", "shipped": "2026-03-09"},
        ],
    ),
    Case(
        "own:stock.html",
        rows("sku! productName! qtyOnHand!:integer"),
        [
            {"sku": "AX-1", "productName": "Hex bolt", "qtyOnHand": 1400},
            {"sku": "AX-2", "productName": "Wing nut", "qtyOnHand": 75},
            {"sku": "BR-9", "productName": "Washer", "qtyOnHand": 0},
        ],
    ),
    Case(
        "own:ledger.html",
        rows("date!:date amount!:number"),
        [
            {"date": "2026-02-01", "amount": -4.8},
            {"date": "2026-02-14", "amount": 2950},
            {"date": "2026-02-20", "amount": -1100},
        ],
    ),
    Case("own:account.html", record("address!"), REFUSED),
    Case("own:account.html", record("phone!"), REFUSED),
    Case("own:account.html", record("website!:uri"), REFUSED),
    Case("own:numbering.html", record("prefix!"), REFUSED),
    Case(
        "own:numbering.html",
        record("orderPrefix! nextInvoice!:integer"),
        {"orderPrefix": "ORD-", "nextInvoice": 1042},
    ),
    Case(
        "own:market.html",
        record("fruit!:string[] vegetables!:string[]"),
        {"fruit": ["Apples", "Pears", "Plums"], "vegetables": ["Leeks", "Carrots"]},
    ),
    Case(
        "own:settings.html",
        record("displayName! timeZone! dailyDigest!:boolean signature!"),
        {
            "displayName": "Ada L.",
            "timeZone": "Europe/Vienna",
            "dailyDigest": True,
            "signature": "Kind regards",
        },
    ),
    Case("own:settings.html", record("backupEmail!:email"), REFUSED),
    Case(
        "own:export.html",
        rows("column1! column2!:integer"),
        [{"column1": "a", "column2": 7}, {"column1": "b", "column2": 8}],
    ),
    Case(
        "own:framed.html",
        rows("claim! patient! paid:number"),
        [{"claim": "C-100", "patient": "J. Poe", "paid": 40}, {"claim": "C-101", "patient": "M. Roe"}],
    ),
    Case(
        "own:policy.html",
        record("policyNumber! holder! validUntil!:date premium!:number"),
        {
            "policyNumber": "77-120-4",
            "holder": "Wanda Maximoff",
            "validUntil": "2026-12-31",
            "premium": 412.5,
        },
    ),
    Case("own:product.html", record("brand! price!:number"), {"brand": "Brauer", "price": 39.9}),
    Case("own:product.html", record("siteOwner!"), REFUSED),
    Case(
        "own:staff.html",
        rows("name! role! email:email"),
        [
            {"name": "Ines Prado", "role": "Editor", "email": "ines@desk.example"},
            {"name": "Otto Brandt", "role": "Photographer", "email": "otto@desk.example"},
            {"name": "Li Wei", "role": "Editor"},
        ],
    ),
]

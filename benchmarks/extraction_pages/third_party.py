"""Extractions from pages by other hands: templates and grids of the npm registry, and whole applications."""

from extraction_pages.case import REFUSED, Case, record, rows

PACKAGES = {
    "admin-lte": "admin-lte@3.2.0",
    "stisla": "stisla@2.3.0",
    "sb-admin": "startbootstrap-sb-admin@7.0.7",
    "sb-admin-2": "startbootstrap-sb-admin-2@4.1.4",
    "resume": "startbootstrap-resume@7.0.6",
    "shop-item": "startbootstrap-shop-item@5.0.6",
    "clean-blog": "startbootstrap-clean-blog@6.0.9",
    "agency": "startbootstrap-agency@7.0.12",
    "volt": "@themesberg/volt-bootstrap-5-dashboard@1.4.1",
    "gridjs": "gridjs@6.2.0",
    "tabulator": "tabulator-tables@6.5.3",
    "ag-grid": "ag-grid-community@36.2.0",
}
"""Packages whose pages are read, or that draw pages of ours."""

_BACON = "Bacon ipsum dolor sit amet salami venison chicken flank fatback doner."
_HOVER = [
    {"id": 183, "user": "John Doe", "status": "Approved", "reason": _BACON},
    {"id": 219, "user": "Alexander Pierce", "status": "Pending", "reason": _BACON},
    {"id": 657, "user": "Bob Doe", "status": "Approved", "reason": _BACON},
    {"id": 175, "user": "Mike Doe", "status": "Denied", "reason": _BACON},
]
_GRID = [
    {"name": "Ada", "city": "London", "balance": 1200.5},
    {"name": "Grace", "city": "New York", "balance": 80.0},
    {"name": "Alan", "city": "Manchester", "balance": 7.25},
]

TEMPLATES = [
    Case(
        "admin-lte:pages/examples/invoice.html",
        rows("qty!:integer product! serial! subtotal!:number"),
        [
            {"qty": 1, "product": "Call of Duty", "serial": "455-981-221", "subtotal": 64.5},
            {"qty": 1, "product": "Need for Speed IV", "serial": "247-925-726", "subtotal": 50.0},
            {"qty": 1, "product": "Monsters DVD", "serial": "735-845-642", "subtotal": 10.7},
            {"qty": 1, "product": "Grown Ups Blue Ray", "serial": "422-568-642", "subtotal": 25.99},
        ],
    ),
    Case(
        "admin-lte:pages/examples/invoice.html",
        record("orderId! account! total!:number tax:number shipping:number"),
        {"orderId": "4F3S8J", "account": "968-34567", "total": 265.24, "tax": 10.34, "shipping": 5.8},
    ),
    Case("admin-lte:pages/examples/invoice.html", record("paymentDue!:date"), {"paymentDue": "2014-02-22"}),
    Case("admin-lte:pages/examples/invoice.html", record("website!:uri"), REFUSED),
    Case("admin-lte:pages/examples/invoice.html", record("deliveryDate!:date"), REFUSED),
    # one of the nine has neither
    Case("admin-lte:pages/examples/contacts.html", rows("address! phone!"), REFUSED),
    Case(
        "admin-lte:pages/examples/projects.html",
        rows("projectProgress! status!"),
        [
            {"projectProgress": f"{percent}% Complete", "status": "Success"}
            for percent in (57, 47, 77, 60, 12, 35, 87, 77, 77)
        ],
    ),
    Case(
        "admin-lte:pages/examples/project-detail.html",
        record("estimatedBudget!:number totalAmountSpent!:number estimatedProjectDuration!:integer"),
        {"estimatedBudget": 2300, "totalAmountSpent": 2000, "estimatedProjectDuration": 20},
    ),
    Case(
        "admin-lte:pages/examples/project-detail.html",
        record("clientCompany! projectLeader!"),
        {"clientCompany": "Deveint Inc", "projectLeader": "Tony Chicken"},
    ),
    Case(
        "admin-lte:pages/examples/project-detail.html",
        record("projectFiles!:string[]"),
        {
            "projectFiles": [
                "Functional-requirements.docx",
                "UAT.pdf",
                "Email-from-flatbal.mln",
                "Logo.png",
                "Contract-10_12_2014.docx",
            ]
        },
    ),
    Case(
        "admin-lte:pages/examples/profile.html",
        record("followers!:integer following!:integer friends!:integer"),
        {"followers": 1322, "following": 543, "friends": 13287},
    ),
    Case(
        "admin-lte:pages/examples/profile.html",
        record("education! location!"),
        {
            "education": "B.S. in Computer Science from the University of Tennessee at Knoxville",
            "location": "Malibu, California",
        },
    ),
    Case(
        "admin-lte:pages/examples/profile.html",
        record("skills!:string[]"),
        {"skills": ["UI Design", "Coding", "Javascript", "PHP", "Node.js"]},
    ),
    Case("admin-lte:pages/examples/profile.html", record("fullName!"), REFUSED),
    Case("admin-lte:pages/tables/simple.html", rows("id!:integer user! status! reason!"), REFUSED),
    Case(
        "admin-lte:pages/tables/simple.html",
        rows("id!:integer user! status! reason!"),
        _HOVER,
        prompt="the rows of the Responsive Hover Table",
    ),
    Case("admin-lte:pages/examples/e-commerce.html", record("discount!:number"), REFUSED),
    Case(
        "stisla:utilities-invoice.html",
        rows("item! price!:number quantity!:integer totals!:number"),
        [
            {"item": "Mouse Wireless", "price": 10.99, "quantity": 1, "totals": 10.99},
            {"item": "Keyboard Wireless", "price": 20.0, "quantity": 3, "totals": 60.0},
            {"item": "Headphone Blitz TDR-3000", "price": 600.0, "quantity": 1, "totals": 600.0},
        ],
    ),
    Case(
        "stisla:utilities-invoice.html",
        record("subtotal!:number shipping!:number total!:number"),
        {"subtotal": 670.99, "shipping": 15, "total": 685.99},
    ),
    Case("stisla:utilities-invoice.html", record("orderDate!:date"), {"orderDate": "2018-09-19"}),
    Case("stisla:utilities-invoice.html", record("dueDate!:date"), REFUSED),
    Case(
        "stisla:features-profile.html",
        record("firstName! lastName! email!:email"),
        {"firstName": "Ujang", "lastName": "Maman", "email": "ujang@maman.com"},
    ),
    Case("stisla:features-profile.html", record("posts!:integer"), {"posts": 187}),
    Case("stisla:features-profile.html", record("phone!"), REFUSED),
    # two tables have these columns, and one of them a row more
    Case("stisla:components-table.html", rows("name! createdAt!:date status!"), REFUSED),
    Case(
        "stisla:components-table.html",
        rows("taskName! dueDate!:date status!"),
        [
            {"taskName": "Create a mobile app", "dueDate": "2018-01-20", "status": "Completed"},
            {"taskName": "Redesign homepage", "dueDate": "2018-04-10", "status": "Todo"},
            {"taskName": "Backup database", "dueDate": "2018-01-29", "status": "In Progress"},
            {"taskName": "Input data", "dueDate": "2018-01-16", "status": "Completed"},
        ],
    ),
    Case(
        "stisla:features-posts.html",
        rows("category!:string[] author! createdAt!:date status!"),
        [
            {
                "category": ["Web Developer", "Tutorial"],
                "author": "Rizal Fakhri",
                "createdAt": "2018-01-20",
                "status": status,
            }
            for status in ("Published", "Published", "Published", "Draft", "Pending")
        ],
    ),
    Case(
        "stisla:components-pricing.html",
        rows("title! price!:number"),
        # as the page shows them: its style sheet writes them in capitals
        [
            {"title": "DEVELOPER", "price": 19},
            {"title": "SMALL TEAM", "price": 60},
            {"title": "ENTERPRISE", "price": 499},
        ],
    ),
    Case(
        "stisla:features-tickets.html",
        rows("title!"),
        [
            {"title": "Technical problem"},
            {"title": "Cancel my order please!"},
            {"title": "Where is my mother?"},
        ],
        prompt="the list of tickets",
    ),
    Case("sb-admin-2:index.html", record("pendingRequests!:integer"), {"pendingRequests": 18}),
    Case("sb-admin-2:index.html", record("earnings!:number"), REFUSED),
    Case(
        "sb-admin:dist/tables.html",
        rows("name! position! office! age!:integer startDate!:date salary!:number"),
        [
            {
                "name": "Tiger Nixon",
                "position": "System Architect",
                "office": "Edinburgh",
                "age": 61,
                "startDate": "2011-04-25",
                "salary": 320800,
            },
            {
                "name": "Garrett Winters",
                "position": "Accountant",
                "office": "Tokyo",
                "age": 63,
                "startDate": "2011-07-25",
                "salary": 170750,
            },
            {
                "name": "Ashton Cox",
                "position": "Junior Technical Author",
                "office": "San Francisco",
                "age": 66,
                "startDate": "2009-01-12",
                "salary": 86000,
            },
        ],
        count=57,
    ),
    Case("resume:dist/index.html", record("email!:email"), {"email": "name@email.com"}),
    Case("resume:dist/index.html", record("gpa!:number"), REFUSED),
    Case("resume:dist/index.html", record("fullName!"), REFUSED),
    Case(
        "resume:dist/index.html",
        record("workflow!:string[]"),
        {
            "workflow": [
                "Mobile-First, Responsive Design",
                "Cross Browser Testing & Debugging",
                "Cross Functional Teams",
                "Agile Development & Scrum",
            ]
        },
    ),
    Case("shop-item:dist/index.html", record("sku!"), {"sku": "BST-498"}),
    Case("shop-item:dist/index.html", record("manufacturer!"), REFUSED),
    Case(
        "shop-item:dist/index.html",
        rows("name!"),
        [
            {"name": "Fancy Product"},
            {"name": "Special Item"},
            {"name": "Sale Item"},
            {"name": "Popular Item"},
        ],
        prompt="related products",
    ),
    Case(
        "clean-blog:dist/index.html",
        rows("title! subtitle"),
        [
            {
                "title": "Man must explore, and this is exploration at its greatest",
                "subtitle": "Problems look mighty small from 150 miles up",
            },
            {
                "title": "I believe every human has a finite number of heartbeats. "
                "I don't intend to waste any of mine."
            },
            {
                "title": "Science has not yet mastered prophecy",
                "subtitle": "We predict too much for the next year and yet far too little for the next ten.",
            },
            {
                "title": "Failure is not an option",
                "subtitle": "Many say exploration is part of our destiny, "
                "but it\u2019s actually our duty to future generations.",
            },
        ],
    ),
    Case(
        "agency:dist/index.html",
        rows("name!"),
        [{"name": "Parveen Anand"}, {"name": "Diana Petersen"}, {"name": "Larry Parker"}],
        prompt="the members of our amazing team",
    ),
    Case(
        "volt:src/pages/transactions.html",
        rows("billFor! issueDate!:date dueDate!:date total!:number status!"),
        [
            {
                "billFor": "Platinum Subscription Plan",
                "issueDate": "2020-05-01",
                "dueDate": "2020-06-01",
                "total": 799,
                "status": "Due",
            },
            {
                "billFor": "Platinum Subscription Plan",
                "issueDate": "2020-04-01",
                "dueDate": "2020-05-01",
                "total": 799,
                "status": "Paid",
            },
        ],
        count=10,
    ),
    Case("own:gridjs.html", rows("name! city! balance!:number"), _GRID),
    Case("own:tabulator.html", rows("name! city! balance!:number"), _GRID),
    Case("own:ag-grid.html", rows("name! city! balance!:number"), _GRID),
]

_BOOKS = [
    {
        "title": f"Book {number:02}",
        "author": ("Ada Lovelace", "Mary Shelley", "Jane Austen")[number % 3],
        "status": "Listed" if number % 5 else "Out of stock",
        "price": number * 10 + 0.5,
        "lendable": number % 2 == 0,
    }
    for number in range(1, 11)
]
_COUNTRIES = ("Austria", "Brazil", "Chad", "Denmark")

APPLICATIONS = [
    Case(
        "admin:/admin/library/book/",
        rows("title! author! status! price!:number lendable!:boolean"),
        _BOOKS,
    ),
    Case(
        "admin:/admin/library/book/1/change/",
        record("title! status! price!:number lendable!:boolean"),
        {"title": "Book 01", "status": "Listed", "price": 10.5, "lendable": False},
    ),
    Case("admin:/admin/library/book/1/change/", record("isbn!"), REFUSED),
    Case(
        "admin:/admin/auth/user/",
        rows("username! emailAddress! staffStatus!:boolean"),
        [
            {"username": name, "emailAddress": f"{name}@site.test", "staffStatus": True}
            for name in ("locked", "mail", "plain", "totp")
        ],
    ),
    Case(
        "datasette:/rivers/rivers",
        rows("id!:integer name! country! length!:integer"),
        [
            {"id": n, "name": f"River {n:03}", "country": _COUNTRIES[n % 4], "length": n * 7}
            for n in range(1, 51)
        ],
    ),
    Case(
        "datasette:/rivers/rivers/7",
        record("name! country! length!:integer"),
        {"name": "River 007", "country": "Denmark", "length": 49},
    ),
    Case("datasette:/rivers/rivers/7", record("mouth!"), REFUSED),
    Case(
        "roundup:/user3",
        record("loginName! emailAddress"),
        {"loginName": "ada", "emailAddress": "ada@site.test"},
    ),
    Case(
        "wagtail:/cms/reports/site-history/",
        rows("name! type! action! user!"),
        [
            {"name": "Home", "type": "Page", "action": "Created", "user": "system"},
            {"name": "Root", "type": "Page", "action": "Created", "user": "system"},
        ],
    ),
    Case(
        "wagtail:/cms/sites/",
        rows("port!:integer rootPage!"),
        [{"port": 80, "rootPage": "Home"}],
    ),
    Case(
        "wagtail:/cms/users/",
        rows("username! accessLevel! active!:boolean"),
        [{"username": "ada", "accessLevel": "Admin", "active": True}],
    ),
]
"""Applications of the tests, signed in to."""

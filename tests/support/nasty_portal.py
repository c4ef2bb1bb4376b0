"""A claims portal as portals are: frames, look-up windows, questions, exports in new tabs, lost sessions."""

from support.portal import PortalRequest, PortalWithCode, Reply, redirect

COLUMNS = "<tr><td><b>Claim</b></td><td><b>Amount</b></td><td></td></tr>"
"""Headings that are cells like any other."""
EXPIRED = "<p>Your session has expired. Please sign in again.</p>"


class NastyPortal(PortalWithCode):
    """Claims can be listed, deleted, entered, exported and reserved; what was done is kept in lists."""

    def __init__(self) -> None:
        super().__init__()
        self.claims = {"ACME-01": 10, "ACME-02": 20, "ACME-03": 30}
        self.deleted: list[str] = []
        self.entered: list[dict[str, str]] = []
        self.reserved = 0
        self.is_expired = False
        self.routes |= {
            "/claims": self.list_claims,
            "/claim": self.show_claim,
            "/delete": self.delete,
            "/new": lambda _: (
                "<h1>New claim</h1><iframe src=/entry name=entry width=600 height=300></iframe>"
            ),
            "/entry": self.entry,
            "/customers": self.customers,
            "/export": self.export,
            "/reserve": self.reserve,
        }

    def list_claims(self, _request: PortalRequest) -> Reply | str:
        """A table whose buttons ask before they delete."""
        if self.is_expired:
            return EXPIRED
        rows = "".join(self._row(claim, amount) for claim, amount in self.claims.items())
        export = "<form method=post action=/export target=_blank><button>Export</button></form>"
        reserve = """<button onclick="fetch('/claims').then(() => {
          if (confirm('Reserve the money now?')) fetch('/reserve', {method: 'POST'}) })">Reserve</button>"""
        return f"<h1>Claims</h1><table>{COLUMNS}{rows}</table>{export}{reserve}"

    @staticmethod
    def _row(claim: str, amount: int) -> str:
        ask = f"return confirm('Delete {claim} for good?')"
        form = f"<form method=post action='/delete?claim={claim}' onsubmit=\"{ask}\">"
        button = f"{form}<button>Delete</button></form>"
        return f"<tr><td><a href='/claim?id={claim}'>{claim}</a></td><td>{amount}</td><td>{button}</td></tr>"

    def show_claim(self, request: PortalRequest) -> Reply | str:
        """One claim by itself."""
        return f"<h1>{request.query['id']}</h1>"

    def delete(self, request: PortalRequest) -> Reply | str:
        """Take a claim away."""
        self.deleted.append(request.query["claim"])
        self.claims.pop(request.query["claim"], None)
        return redirect("/claims")

    def entry(self, request: PortalRequest) -> Reply | str:
        """A form in a frame; the customer is looked up in a second window."""
        if request.method == "POST":
            self.entered.append(request.fields)
            return "<p>Claim taken</p>"
        return """<form method=post action=/entry>
          <label>Customer <input name=customer id=customer required></label>
          <button type=button onclick="window.open('/customers', 'look', 'width=300')">Look up</button>
          <label>Amount <input name=amount required pattern="[0-9]+"></label>
          <button>Submit claim</button></form>"""

    def customers(self, _request: PortalRequest) -> Reply | str:
        """The look-up window: it hands its choice over and closes itself."""
        return """<script>function choose(name) {
          opener.document.querySelector('#customer').value = name; window.close() }</script>
          <h1>Customers</h1><button onclick="choose('Ada Lovelace')">Ada Lovelace</button>"""

    def export(self, _request: PortalRequest) -> Reply | str:
        """A file, by POST, into a new tab."""
        kept = {"Content-Disposition": "attachment; filename=claims.json"}
        return Reply(f'{{"claims": {len(self.claims)}}}', headers=kept)

    def reserve(self, _request: PortalRequest) -> Reply | str:
        """Money that is put aside."""
        self.reserved += 1
        return "done"

"""The portal's pages as HTML. Everything that visitors entered passes through `escape`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil
from urllib.parse import urlencode

from pagehand.demo.claims import CONTACTS, KINDS, STATUSES, TODAY, Claim
from pagehand.demo.letter import money

PAGE_SIZE = 8

_LOGO = (
    '<svg viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">'
    '<rect width="32" height="32" rx="8" fill="#1c7c7d"/>'
    '<path d="M8 23V9l16 14V9" fill="none" stroke="#fff" stroke-width="3.2" stroke-linecap="round"'
    ' stroke-linejoin="round"/></svg>'
)


@dataclass(frozen=True, slots=True)
class ClaimsListing:
    """What the claims table shows: a search, and one page of its results."""

    found: Sequence[Claim]
    words: str
    status: str
    page: int

    @property
    def pages(self) -> int:
        """How many pages there are; an empty list has one."""
        return max(1, ceil(len(self.found) / PAGE_SIZE))

    @property
    def shown(self) -> Sequence[Claim]:
        """The claims of this page."""
        return self.found[(self.page - 1) * PAGE_SIZE : self.page * PAGE_SIZE]

    def link(self, page: int) -> str:
        """The address of another page of the same search."""
        query = {"q": self.words, "status": self.status, "page": page}
        return escape("/claims?" + urlencode({name: value for name, value in query.items() if value}))


def sign_in_page(*, wrong: bool, user: str = "") -> str:
    """The page that asks for user name and password."""
    alert = (
        '<p class="alert" role="alert">That user name and password do not fit together.</p>' if wrong else ""
    )
    return _document(
        "Sign in",
        f"""<main class="sign-in" id="content">
  <div class="card">
    <div class="brand">{_LOGO}<span>Northwind <b>Claims</b></span></div>
    <h1>Sign in</h1>
    <p class="muted">Follow your claims and submit new ones.</p>
    {alert}
    <form method="post" action="/sign-in">
      <label for="username">User name</label>
      <input id="username" name="username" autocomplete="username" required value="{escape(user)}">
      <label for="password">Password</label>
      <input id="password" name="password" type="password" autocomplete="current-password" required>
      <button class="primary wide" type="submit">Sign in</button>
    </form>
    <p class="hint">This is a place to try things: <code>demo</code> / <code>demo</code></p>
  </div>
</main>""",
    )


def code_page(*, wrong: bool, code: str) -> str:
    """The page that asks for the one-time code, and shows it: demo visitors have no authenticator app."""
    alert = '<p class="alert" role="alert">That code is not right, or no longer.</p>' if wrong else ""
    return _document(
        "Verification code",
        f"""<main class="sign-in" id="content">
  <div class="card">
    <div class="brand">{_LOGO}<span>Northwind <b>Claims</b></span></div>
    <h1>Verification code</h1>
    <p class="muted">Enter the 6-digit code from your authenticator app.</p>
    {alert}
    <form method="post" action="/sign-in/code">
      <label for="code">Verification code</label>
      <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="6" required>
      <button class="primary wide" type="submit">Verify</button>
    </form>
    <p class="hint">This is a place to try things: your app would show <code>{code}</code> now.</p>
  </div>
</main>""",
    )


def claims_page(listing: ClaimsListing) -> str:
    """The table of claims with search, filter and page links."""
    options = "".join(_option(status, listing.status) for status in STATUSES)
    count = len(listing.found)
    return _inside(
        "Claims",
        f"""<div class="heading">
  <div><h1>Claims</h1><p class="muted" role="status">{count} {"claim" if count == 1 else "claims"}</p></div>
  <a class="button primary" href="/claims/new">New claim</a>
</div>
<form class="filters" role="search" action="/claims">
  <div><label for="q">Search</label>
    <input id="q" name="q" type="search" placeholder="Number, name, policy or type"
      value="{escape(listing.words)}"></div>
  <div><label for="status">Status</label>
    <select id="status" name="status"><option value="">All statuses</option>{options}</select></div>
  <button type="submit">Apply</button>
</form>
{_table(listing)}""",
        current="/claims",
    )


def claim_page(claim: Claim, *, just_submitted: bool) -> str:
    """The details of one claim."""
    notice = (
        '<p class="notice" role="status">Thank you. Your claim number is '
        f'<strong id="claim-number">{claim.number}</strong>.</p>'
        if just_submitted
        else ""
    )
    facts = {
        "Status": _status(claim.status),
        "Policy holder": escape(claim.holder),
        "Policy": escape(claim.policy),
        "Type": escape(claim.kind),
        "Date of loss": _date(claim.happened),
        "Filed": _date(claim.filed),
        "Adjuster": escape(claim.adjuster),
        "Contact by": escape(claim.contact),
    }
    if claim.attachment:
        facts["Attachment"] = escape(claim.attachment)
    if claim.is_reported_to_police:
        facts["Police"] = "Informed"
    pairs = "".join(f"<div><dt>{term}</dt><dd>{value}</dd></div>" for term, value in facts.items())
    return _inside(
        f"Claim {claim.number}",
        f"""{notice}
<nav class="crumbs" aria-label="Breadcrumb"><a href="/claims">Claims</a>
  <span aria-hidden="true">/</span> {claim.number}</nav>
<div class="heading">
  <h1>Claim {claim.number}</h1>
  <a class="button" id="letter" href="/claims/{claim.number}/letter.pdf" download>Download letter</a>
</div>
<section class="card" aria-labelledby="facts"><h2 id="facts">Details</h2>
  <dl class="facts">{pairs}</dl>
  <h3>What happened</h3><p class="story">{escape(claim.description)}</p>
</section>
{_line_items(claim)}""",
        current="/claims",
    )


def new_claim_page(entered: Mapping[str, str], errors: Mapping[str, str]) -> str:
    """The form for a new claim, with what was entered and what is wrong with it."""
    alert = ""
    if errors:
        lines = "".join(f'<li><a href="#{name}">{escape(text)}</a></li>' for name, text in errors.items())
        alert = f'<div class="alert" role="alert"><p>Please look at these again:</p><ul>{lines}</ul></div>'
    kinds = "".join(_option(kind, entered.get("kind", "")) for kind in KINDS)
    contacts = "".join(_radio(name, entered.get("contact", CONTACTS[0])) for name in CONTACTS)
    story = escape(entered.get("story", ""))
    police = " checked" if entered.get("police") else ""
    return _inside(
        "New claim",
        f"""<div class="heading"><div><h1>New claim</h1>
  <p class="muted">Tell us what happened. It takes about two minutes.</p></div></div>
{alert}
<form class="card sheet" method="post" action="/claims/new" enctype="multipart/form-data" novalidate>
  {_field("holder", "Policy holder", entered, errors, 'autocomplete="name"')}
  {_field("policy", "Policy number", entered, errors, 'placeholder="HP-12345"')}
  {_field("happened", "Date of loss", entered, errors, f'type="date" max="{TODAY}"')}
  <div class="field"><label for="kind">Type of claim</label>
    <select id="kind" name="kind"{_invalid("kind", errors)}>
      <option value="">Choose one</option>{kinds}</select></div>
  {_field("amount", "Estimated amount ($)", entered, errors, 'inputmode="decimal" placeholder="0.00"')}
  <div class="field"><label for="evidence">Photo or receipt <span class="muted">(optional)</span></label>
    <input id="evidence" name="evidence" type="file"></div>
  <div class="field whole"><label for="story">What happened?</label>
    <textarea id="story" name="story" rows="4"{_invalid("story", errors)}>{story}</textarea></div>
  <fieldset class="field"><legend>How may we reach you?</legend>{contacts}</fieldset>
  <fieldset class="field"><legend>Police report</legend><label class="choice">
    <input id="police" name="police" type="checkbox" value="yes"{police}>
    Reported to the police</label></fieldset>
  <div class="whole actions"><button class="primary" type="submit">Submit claim</button>
    <a href="/claims">Cancel</a></div>
</form>""",
        current="/claims/new",
    )


def confirm_page(entered: Mapping[str, str]) -> str:
    """What is about to be submitted, for the visitor to check."""
    shown = {
        "Policy holder": "holder",
        "Policy number": "policy",
        "Date of loss": "happened",
        "Type of claim": "kind",
        "Estimated amount ($)": "amount",
        "Photo or receipt": "evidence",
        "What happened": "story",
        "Contact by": "contact",
    }
    pairs = "".join(
        f"<div><dt>{word}</dt><dd>{escape(entered[name])}</dd></div>"
        for word, name in shown.items()
        if entered.get(name)
    )
    hidden = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
        for name, value in entered.items()
    )
    return _inside(
        "Check your claim",
        f"""<div class="heading"><div><h1>Check your claim</h1>
  <p class="muted">Nothing has been submitted yet.</p></div></div>
<form class="card" method="post" action="/claims/new">
  <dl class="facts">{pairs}</dl>{hidden}
  <div class="actions">
    <button class="primary" type="submit" name="confirmed" value="yes">Confirm and submit</button>
    <a href="/claims/new">Start again</a></div>
</form>""",
        current="/claims/new",
    )


def missing_page() -> str:
    """The page for unknown addresses."""
    return _inside(
        "Not found",
        """<div class="heading"><h1>Not found</h1></div>
<p>There is no such page. <a href="/claims">All claims</a></p>""",
        current="",
    )


def _table(listing: ClaimsListing) -> str:
    if not listing.found:
        return '<p class="card empty">No claim fits. Try fewer words or another status.</p>'
    rows = "".join(
        f"""<tr><th scope="row"><a href="/claims/{claim.number}">{claim.number}</a></th>
  <td>{escape(claim.holder)}</td><td>{escape(claim.kind)}</td><td>{_date(claim.filed)}</td>
  <td class="amount">{money(claim.total_cents)}</td><td>{_status(claim.status)}</td></tr>"""
        for claim in listing.shown
    )
    return f"""<div class="card flush"><table id="claims">
<caption class="unseen">Claims, newest first</caption>
<thead><tr><th scope="col">Claim</th><th scope="col">Policy holder</th><th scope="col">Type</th>
<th scope="col">Filed</th><th scope="col" class="amount">Amount</th><th scope="col">Status</th></tr></thead>
<tbody>{rows}</tbody></table></div>
<nav class="pager" aria-label="Pages">{_step("Previous", listing, listing.page - 1)}
<span>Page {listing.page} of {listing.pages}</span>{_step("Next", listing, listing.page + 1)}</nav>"""


def _step(name: str, listing: ClaimsListing, page: int) -> str:
    if not 1 <= page <= listing.pages:
        return f'<span class="button off">{name}</span>'
    rel = "next" if page > listing.page else "prev"
    return f'<a class="button" rel="{rel}" href="{listing.link(page)}">{name}</a>'


def _line_items(claim: Claim) -> str:
    rows = "".join(
        f"""<tr><td>{escape(item.text)}</td><td class="amount">{item.quantity}</td>
<td class="amount">{money(item.unit_cents)}</td><td class="amount">{money(item.total_cents)}</td></tr>"""
        for item in claim.items
    )
    return f"""<section class="card flush" aria-labelledby="items"><h2 id="items">Line items</h2>
<table id="line-items"><thead><tr><th scope="col">Description</th><th scope="col" class="amount">Quantity</th>
<th scope="col" class="amount">Price</th><th scope="col" class="amount">Total</th></tr></thead>
<tbody>{rows}</tbody>
<tfoot><tr><th scope="row" colspan="3">Amount claimed</th>
<td class="amount" id="total">{money(claim.total_cents)}</td></tr></tfoot>
</table></section>"""


def _field(name: str, label: str, entered: Mapping[str, str], errors: Mapping[str, str], more: str) -> str:
    value = escape(entered.get(name, ""))
    return (
        f'<div class="field"><label for="{name}">{label}</label>'
        f'<input id="{name}" name="{name}" value="{value}" {more}{_invalid(name, errors)}></div>'
    )


def _invalid(name: str, errors: Mapping[str, str]) -> str:
    return ' aria-invalid="true"' if name in errors else ""


def _option(value: str, chosen: str) -> str:
    return f"<option{' selected' if value == chosen else ''}>{value}</option>"


def _radio(value: str, chosen: str) -> str:
    checked = " checked" if value == chosen else ""
    return (
        f'<label class="choice"><input type="radio" name="contact" value="{value}"{checked}> {value}</label>'
    )


def _status(status: str) -> str:
    return f'<span class="status {status.lower().replace(" ", "-")}">{status}</span>'


def _date(value: object) -> str:
    return f'<time datetime="{value}">{value}</time>'


def _inside(title: str, content: str, *, current: str) -> str:
    links = "".join(
        f'<a id="{key}" href="{where}"{" aria-current=page" if where == current else ""}>{name}</a>'
        for key, where, name in (
            ("nav-claims", "/claims", "Claims"),
            ("nav-new", "/claims/new", "New claim"),
        )
    )
    return _document(
        title,
        f"""<a class="skip" href="#content">Skip to content</a>
<header class="bar"><div class="brand">{_LOGO}<span>Northwind <b>Claims</b></span></div>
<nav aria-label="Main">{links}</nav>
<form method="post" action="/sign-out"><span class="who">demo</span>
<button class="quiet" type="submit">Sign out</button></form></header>
<main class="page" id="content">{content}</main>""",
    )


def _document(title: str, body: str) -> str:
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} · Northwind Claims</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/portal.css"></head>
<body>{body}</body></html>"""

"""The portal as a browser without a picture sees it."""

import re
import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from html import unescape

import httpx2
import pytest

from pagehand.demo import create_portal, serve_portal
from pagehand.demo.claims import MAX_SUBMITTED, ClaimStore
from pagehand.demo.portal import CODE_SEED, OFFICE_PASSWORD, OFFICE_USER, Markup
from pagehand.logins.second_factor.totp import code_now

pytestmark = pytest.mark.anyio

CLAIM = {
    "holder": "Ada <b>Byron</b>",
    "policy": "hp-10",
    "happened": "2026-06-01",
    "kind": "Fire",
    "amount": "$1,200.50",
    "story": "Sparks.",
    "contact": "Phone",
    "police": "yes",
}


@pytest.fixture
async def visitor() -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(app=create_portal())
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://portal", follow_redirects=True
    ) as client:
        yield client


@pytest.fixture
async def member(visitor: httpx2.AsyncClient) -> httpx2.AsyncClient:
    await visitor.post("/sign-in", data={"username": "demo", "password": "demo"})
    return visitor


@pytest.mark.parametrize(
    "path", ["/", "/claims", "/claims/new", "/claims/NW-2026-1024", "/claims/NW-2026-1024/letter.pdf"]
)
async def test_nothing_is_shown_before_sign_in(visitor: httpx2.AsyncClient, path: str) -> None:
    assert (await visitor.get(path)).url.path == "/sign-in"


async def test_wrong_password_is_refused_and_stays_out(visitor: httpx2.AsyncClient) -> None:
    answer = await visitor.post("/sign-in", data={"username": '"><i>', "password": "x"})

    assert answer.status_code == 401
    assert 'role="alert"' in answer.text
    assert "<i>" not in answer.text
    assert (await visitor.get("/claims")).url.path == "/sign-in"


async def test_signing_out_ends_the_session_itself(member: httpx2.AsyncClient) -> None:
    kept = dict(member.cookies)
    await member.post("/sign-out")
    member.cookies.update(kept)

    assert (await member.get("/claims")).url.path == "/sign-in"


async def test_claims_stand_on_three_pages_of_eight(member: httpx2.AsyncClient) -> None:
    pages = [(await member.get("/claims", params={"page": page})).text for page in (1, 2, 3)]

    assert [page.count('<th scope="row">') for page in pages] == [8, 8, 8]
    assert ['rel="next"' in page for page in pages] == [True, True, False]
    assert ['rel="prev"' in page for page in pages] == [False, True, True]


@pytest.mark.parametrize("page", ["0", "-1", "99", "x", "9" * 5000, "²"])
async def test_page_that_is_not_there_shows_one_that_is(member: httpx2.AsyncClient, page: str) -> None:
    answer = await member.get("/claims", params={"page": page})

    assert answer.status_code == 200
    assert answer.text.count('<th scope="row">') == 8


async def test_search_and_status_narrow_each_other_and_stay_in_the_page_links(
    member: httpx2.AsyncClient,
) -> None:
    storms = (await member.get("/claims", params={"q": "storm", "status": "Open"})).text
    many = (await member.get("/claims", params={"q": "HP-"})).text

    assert storms.count('<th scope="row">') == 2
    assert "/claims?q=HP-&amp;page=2" in many


async def test_a_claim_has_its_facts_items_and_letter(member: httpx2.AsyncClient) -> None:
    page = (await member.get("/claims/NW-2026-1024")).text
    letter = await member.get("/claims/NW-2026-1024/letter.pdf")

    assert "Amelia Hartley" in page
    assert "Oak flooring" in page
    assert letter.headers["content-type"] == "application/pdf"
    assert 'filename="letter-NW-2026-1024.pdf"' in letter.headers["content-disposition"]


async def test_unknown_addresses_are_not_found(member: httpx2.AsyncClient) -> None:
    for path in ("/claims/NW-1", "/claims/NW-1/letter.pdf", "/nowhere"):
        assert (await member.get(path)).status_code == 404


async def test_submitted_claim_is_confirmed_and_stands_first_in_the_table(member: httpx2.AsyncClient) -> None:
    files = {"evidence": ("photo.png", b"12345", "image/png")}
    asked = await member.post("/claims/new", data=CLAIM, files=files)
    before = (await member.get("/claims")).text
    answer = await member.post("/claims/new", data=_hidden(asked.text) | {"confirmed": "yes"})
    table = (await member.get("/claims")).text

    assert "Nothing has been submitted yet" in asked.text
    assert "NW-2026-1025" not in before
    assert answer.url.path == "/claims/NW-2026-1025"
    assert "Thank you" in answer.text
    assert "Ada &lt;b&gt;Byron&lt;/b&gt;" in answer.text
    assert "photo.png (5 bytes)" in answer.text
    assert "$1,200.50" in table
    assert table.index("NW-2026-1025") < table.index("NW-2026-1024")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("holder", " "),
        ("policy", "12"),
        ("happened", "2026-07-01"),
        ("happened", "soon"),
        ("kind", "Flood"),
        ("amount", "NaN"),
        ("amount", "-3"),
        ("story", ""),
    ],
)
async def test_mistake_is_named_and_nothing_is_filed(
    member: httpx2.AsyncClient, field: str, value: str
) -> None:
    answer = await member.post("/claims/new", data=CLAIM | {field: value})

    assert answer.status_code == 422
    assert f'href="#{field}"' in answer.text
    assert "24 claims" in (await member.get("/claims")).text


async def test_office_gets_in_with_a_code_and_not_without(visitor: httpx2.AsyncClient) -> None:
    office = {"username": OFFICE_USER, "password": OFFICE_PASSWORD}
    asked = await visitor.post("/sign-in", data=office)
    between = await visitor.get("/claims")
    wrong = await visitor.post("/sign-in/code", data={"code": "12345"})
    right = await visitor.post("/sign-in/code", data={"code": code_now(CODE_SEED).code})

    assert asked.url.path == "/sign-in/code"
    assert between.url.path == "/sign-in"
    assert wrong.status_code == 401
    assert right.url.path == "/claims"


async def test_broken_portal_has_other_names_words_order_and_nesting_and_the_same_claims() -> None:
    whole, broken = [await _claims_page(Markup(is_broken=is_broken)) for is_broken in (False, True)]

    assert {*re.findall(r'\bid="([^"]+)"', whole)}.isdisjoint(re.findall(r'\bid="([^"]+)"', broken))
    assert {*re.findall(r'class="([^"]+)"', whole)}.isdisjoint(re.findall(r'class="([^"]+)"', broken))
    assert ">Next<" not in broken
    assert whole.index(">Amount</th>") < whole.index(">Status</th>")
    assert broken.index(">Status</th>") < broken.index(">Amount</th>")
    assert broken.count("<div") > whole.count("<div")
    assert re.findall(r"NW-2026-\d+</a>", whole) == re.findall(r"NW-2026-\d+</a>", broken)


async def _claims_page(markup: Markup) -> str:
    transport = httpx2.ASGITransport(app=create_portal(markup))
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://portal", follow_redirects=True
    ) as client:
        return (await client.post("/sign-in", data={"username": "demo", "password": "demo"})).text


def _hidden(page: str) -> dict[str, str]:
    found = re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', page)
    return {name: unescape(value) for name, value in found}


def test_submitted_claims_are_bounded_and_the_known_ones_stay() -> None:
    claims = ClaimStore()
    first = claims.search()[0]
    for _ in range(MAX_SUBMITTED + 5):
        claims.add(replace(first, number=claims.next_number()))

    assert len(claims.search()) == MAX_SUBMITTED + 24
    assert claims.get("NW-2026-1001") is not None


async def test_portal_takes_another_port_when_its_own_is_taken_and_frees_it_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        running = await serve_portal(port)
        async with httpx2.AsyncClient() as client:
            answer = await client.get(running.url, follow_redirects=True)
        await running.stop()

    assert answer.status_code == 200
    assert running.url != f"http://127.0.0.1:{port}"
    socket.create_server(("127.0.0.1", int(running.url.rsplit(":", 1)[1]))).close()

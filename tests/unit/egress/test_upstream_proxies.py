"""Which proxy an execution goes through, how it is changed, and that nobody sees its password."""

import pytest

from pagehand.egress.policy import EgressPolicy
from pagehand.egress.upstream import ProxyRefused, UpstreamProxy
from pagehand.egress.upstream_proxies import UpstreamProxies
from pagehand.errors import BlockFailed, InvalidRequest, UserMistake
from pagehand.storage import Stores
from support.logins import VAULT

pytestmark = pytest.mark.anyio
URL = "http://ann:s%40cret@proxy.example:3128"
MASKED = "http://ann:********@proxy.example:3128"


@pytest.fixture
async def owner(stores: Stores) -> str:
    return (await stores.organizations.ensure("acme")).id


def proxies(stores: Stores, operator_url: str | None = None, allow: str = "") -> UpstreamProxies:
    return UpstreamProxies(operator_url, stores.organizations, VAULT, EgressPolicy(allow))


async def test_an_organization_has_its_own_before_the_operators(stores: Stores, owner: str) -> None:
    made = proxies(stores, "http://operator.example:80")
    other = (await stores.organizations.ensure("other")).id
    await made.set_url(owner, URL)
    assert (await made.require(owner)).host == "proxy.example"
    assert (await made.require(other)).host == "operator.example"
    await made.set_url(owner, "")
    assert (await made.require(owner)).host == "operator.example"


async def test_without_any_a_run_that_asks_for_one_fails(stores: Stores, owner: str) -> None:
    made = proxies(stores)
    assert not await made.is_set(owner)
    with pytest.raises(BlockFailed, match="asks for a proxy, and none is set any more"):
        await made.client(owner)


async def test_a_password_is_encrypted_and_shown_as_a_mask(stores: Stores, owner: str) -> None:
    made = proxies(stores)
    await made.set_url(owner, URL)
    assert await made.masked_url(owner) == MASKED
    sealed = await stores.organizations.proxy(owner)
    assert sealed is not None
    assert b"cret" not in sealed
    found = await made.require(owner)
    assert found.credentials == ("ann", "s@cret")
    assert "s@cret" not in repr(found)


async def test_the_mask_sent_back_keeps_the_password(stores: Stores, owner: str) -> None:
    made = proxies(stores)
    await made.set_url(owner, URL)
    await made.set_url(owner, MASKED)
    assert (await made.require(owner)).credentials == ("ann", "s@cret")


@pytest.mark.parametrize("url", [MASKED.replace("3128", "3129"), "http://bob:********@elsewhere.example"])
async def test_the_mask_with_another_address_is_refused(stores: Stores, owner: str, url: str) -> None:
    made = proxies(stores)
    await made.set_url(owner, URL)
    with pytest.raises(InvalidRequest, match="give the password itself"):
        await made.set_url(owner, url)
    assert await made.masked_url(owner) == MASKED


@pytest.mark.parametrize(
    "url",
    [
        "proxy.example:3128",
        "ftp://proxy.example",
        "http://ann:hunter2@",
        "http://:3128",
        "http://x:99999",
        "http://x:port",
        "http://[::1",
        f"socks5://{'u' * 256}:p@proxy.example",
    ],
)
async def test_what_is_not_a_proxy_is_refused_without_showing_it(
    stores: Stores, owner: str, url: str
) -> None:
    with pytest.raises(UserMistake, match=r"^`proxy`") as refusal:
        await proxies(stores).set_url(owner, url)
    assert "hunter2" not in refusal.value.message
    assert await proxies(stores).masked_url(owner) is None


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "10.1.2.3", "169.254.169.254"])
async def test_an_organization_cannot_go_through_a_closed_address(
    stores: Stores, owner: str, host: str
) -> None:
    with pytest.raises(InvalidRequest, match=r"`proxy`: .*`PAGEHAND_EGRESS_ALLOW`"):
        await proxies(stores).set_url(owner, f"http://{host}:3128")
    await proxies(stores, allow=f"{host}:3128").set_url(owner, f"http://{host}:3128")


async def test_a_name_of_a_closed_address_is_refused_when_it_is_dialled() -> None:
    policy = EgressPolicy()
    with pytest.raises(ProxyRefused, match="is not a public address"):
        await UpstreamProxy.parse("http://127.0.0.1:9", "proxy").address_to_dial(policy)
    # the operator's own proxy may stand inside the network
    assert await UpstreamProxy.parse("http://127.0.0.1:9").address_to_dial(policy) == "127.0.0.1"


@pytest.mark.parametrize(
    ("url", "host", "port", "is_tls", "is_socks"),
    [
        ("http://p.example", "p.example", 80, False, False),
        ("https://p.example", "p.example", 443, True, False),
        ("socks5://p.example", "p.example", 1080, False, True),
        ("http://[2001:db8::1]:8080", "2001:db8::1", 8080, False, False),
    ],
)
def test_what_a_url_leaves_out_is_known(url: str, host: str, port: int, is_tls: bool, is_socks: bool) -> None:
    found = UpstreamProxy.parse(url)
    assert (found.host, found.port, found.is_tls, found.is_socks) == (host, port, is_tls, is_socks)
    assert found.credentials is None

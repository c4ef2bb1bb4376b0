"""What may be reached: by default the public internet, beyond it only what the operator opened."""

from ipaddress import ip_address

import pytest

from pagehand.egress.policy import EgressPolicy, EgressRefused, HostUnknown
from pagehand.errors import BlockFailed, SiteDown, UserMistake

pytestmark = pytest.mark.anyio


PUBLIC = ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "2002:808:808::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_open(address: str) -> None:
    assert EgressPolicy().decide("example.com", 443, ip_address(address)) is None


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.1.1"),  # noqa: S104 - judged, not listened on
        *("100.64.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.1.1"),
        *(
            "240.0.0.1",
            "255.255.255.255",
            "169.254.169.254",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
        ),
        *(
            "::",
            "::1",
            "fe80::1",
            "fe80::1%eth0",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "ff0e::1",
            "fec0::1",
        ),
        *("2001:db8::1", "3fff::1", "100::1", "5f00::1", "4000::1", "64:ff9b:1::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "::8.8.8.8"),
        *(
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "2002:7f00:1::1",
            "2002:a00:1::",
            "2001:0:4136:e378:8000::1",
        ),
    ],
)
def test_everything_else_is_closed(address: str) -> None:
    assert EgressPolicy().decide("example.com", 443, ip_address(address)) is not None


@pytest.mark.parametrize(
    ("allow", "host", "port", "address", "is_open"),
    [
        ("localhost:3000", "localhost", 3000, "127.0.0.1", True),
        ("localhost:3000", "LOCALHOST.", 3000, "::1", True),
        ("localhost:3000", "localhost", 3001, "127.0.0.1", False),
        ("localhost:3000", "elsewhere", 3000, "127.0.0.1", False),
        ("127.0.0.1:*", "localhost", 9, "127.0.0.1", True),
        ("127.0.0.1:*", "x", 9, "::ffff:127.0.0.1", True),
        ("127.0.0.1:*", "localhost", 9, "::1", False),
        ("127.0.0.1:*", "localhost", 9, "127.0.0.2", False),
        (" 10.20.0.0/16 , [::1]:8080", "x", 1, "10.20.255.1", True),
        ("10.20.0.0/16,[::1]:8080", "x", 1, "10.21.0.1", False),
        ("10.20.0.0/16,[::1]:8080", "::1", 8080, "::1", True),
        ("10.20.0.0/16,[::1]:8080", "::1", 8081, "::1", False),
        ("10.20.0.0/16:443", "x", 443, "10.20.0.1", True),
        ("10.20.0.0/16:443", "x", 80, "10.20.0.1", False),
        ("::1", "x", 80, "::1", True),
        ("fd12::/16", "x", 80, "fd12::9", True),
        ("intranet.example", "Intranet.Example", 81, "192.168.0.9", True),
        ("intranet.example", "a.intranet.example", 81, "192.168.0.9", False),
        ("169.254.0.0/16", "x", 80, "169.254.1.1", True),
        ("169.254.0.0/16", "x", 80, "169.254.169.254", False),
        ("0.0.0.0/0", "x", 80, "169.254.169.254", False),
        ("metadata.example", "metadata.example", 80, "169.254.169.254", False),
        ("169.254.169.254:80", "x", 80, "169.254.169.254", True),
        ("169.254.169.254:80", "x", 80, "::ffff:169.254.169.254", True),
        ("169.254.169.254:80", "x", 81, "169.254.169.254", False),
        ("[fd00:ec2::254]", "x", 80, "fd00:ec2::254", True),
        ("10.0.0.0/8", "x", 80, "64:ff9b::a00:1", True),
    ],
)
def test_the_setting_opens_what_it_names_and_no_more(
    allow: str, host: str, port: int, address: str, is_open: bool
) -> None:
    assert (EgressPolicy(allow).decide(host, port, ip_address(address)) is None) == is_open


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("localhost:99999", "`99999` is not a port"),
        ("localhost:0", "`0` is not a port"),
        ("localhost:http", "`http` is not a port"),
        ("10.20.1.0/16", "did you mean `10.20.0.0/16`?"),
        ("10.0.0.0/33", "expected a host name"),
        ("127.1", "expected a host name"),
        ("http://localhost:3000", "makes no sense"),
        ("local host", "expected a host name"),
        ("*", "expected a host name"),
        (":80", "expected a host name"),
        ("[::1", "makes no sense"),
    ],
)
def test_an_entry_that_makes_no_sense_is_refused_at_start(entry: str, says: str) -> None:
    with pytest.raises(UserMistake) as mistake:
        EgressPolicy(f"localhost:1,{entry}")
    assert says in mistake.value.message
    assert f"`PAGEHAND_EGRESS_ALLOW` has an entry `{entry}`" in mistake.value.message


@pytest.mark.parametrize(
    "host",
    ["localhost", "127.0.0.1", "127.1", "0x7f.1", "0177.0.0.1", "2130706433", "0", "[::1]", "::1",
     "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "LocalHost", "\uff11\uff12\uff17.0.0.1"],
)  # fmt: skip
async def test_every_spelling_of_loopback_is_judged_by_what_would_be_dialled(host: str) -> None:
    with pytest.raises(EgressRefused) as refusal:
        await EgressPolicy().resolve(host, 80)
    assert isinstance(refusal.value, BlockFailed)
    assert refusal.value.message.startswith(f"`{host}:80` is not a public address; it was not contacted.")
    assert "`PAGEHAND_EGRESS_ALLOW`" in refusal.value.message
    # what the message says to write does open it
    advised = refusal.value.message.split("`--allow ")[1].split("`")[0]
    assert await EgressPolicy(advised).resolve(host, 80)


async def test_a_refusal_does_not_tell_what_a_name_stands_for() -> None:
    with pytest.raises(EgressRefused) as refusal:
        await EgressPolicy().resolve("localhost", 80)
    assert "127.0.0.1" not in refusal.value.message
    assert "::1" not in refusal.value.message


async def test_only_the_opened_addresses_of_a_name_are_dialled() -> None:
    assert await EgressPolicy("127.0.0.1:80").resolve("localhost", 80) == [ip_address("127.0.0.1")]


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a..b", "x" * 300, "", "local host"])
async def test_a_name_that_does_not_resolve_is_the_outside_being_down(host: str) -> None:
    with pytest.raises(HostUnknown) as trouble:
        await EgressPolicy().resolve(host, 80)
    assert isinstance(trouble.value, SiteDown)


async def test_a_name_is_looked_up_once_in_a_while_and_judged_each_time() -> None:
    policy = EgressPolicy("localhost:80")
    assert await policy.resolve("localhost", 80) == await policy.resolve("localhost", 80)
    with pytest.raises(EgressRefused):
        await policy.resolve("localhost", 81)

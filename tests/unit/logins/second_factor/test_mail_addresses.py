"""Who may have codes sent to which address of the operator's mail account."""

import pytest

from pagehand.errors import InvalidRequest
from pagehand.logins.second_factor.mail_listener import AssignedAddresses, tagged_address

ASSIGNED = AssignedAddresses("acme=codes@mail.test, globex=*@Globex.test, acme=one@globex.test")
LOGIN = "login_01k3v8c2m4"


@pytest.mark.parametrize(
    ("address", "organization", "is_own"),
    [
        ("codes@mail.test", "acme", True),
        ("Codes@Mail.Test", "acme", True),
        ("codes@mail.test", "globex", False),
        ("codes@mail.test", "default", False),
        ("any@globex.test", "globex", True),
        ("any@globex.test", "acme", False),
        ("one@globex.test", "acme", True),
        ("one@globex.test", "globex", False),
        ("nobodys@mail.test", "acme", False),
        ("nobodys@mail.test", "default", True),
        (f"box+{LOGIN}@mail.test", "acme", True),
        ("box+login_of_another@mail.test", "acme", False),
        ("box+login_of_another@mail.test", "default", False),
        ("box+login_of_another@globex.test", "globex", False),
    ],
)
def test_an_address_is_of_one_organization_alone(address: str, organization: str, is_own: bool) -> None:
    assert ASSIGNED.is_own(address, organization, LOGIN) is is_own


def test_every_login_has_an_address_in_the_account() -> None:
    assert tagged_address("Box@mail.test", LOGIN) == f"box+{LOGIN}@mail.test"
    assert AssignedAddresses("").is_own(f"box+{LOGIN}@mail.test", "acme", LOGIN)
    assert tagged_address("no-address", LOGIN) is None


@pytest.mark.parametrize("text", ["codes@mail.test", "acme=", "=a@b", "acme=nothing", "acme codes@mail.test"])
def test_what_is_not_an_assignment_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest, match="PAGEHAND_IMAP_ADDRESSES"):
        AssignedAddresses(text)

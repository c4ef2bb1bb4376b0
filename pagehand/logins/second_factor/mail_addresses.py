"""Which organization may use which address of the operator's mail account."""

from typing import Final

from pagehand.errors import BlockFailed, Diagnosis, InvalidRequest
from pagehand.logins.second_factor.mail_message import MailMessage

_OPERATORS_ORGANIZATION: Final = "default"
_TAG: Final = "+login_"


class AssignedAddresses:
    """Addresses by organization: one organization must never receive the codes of another.

    Addresses without an organization belong to the operator's own, `default`. An address with the id of a
    login after a plus sign belongs to that login, without being assigned.
    """

    def __init__(self, assigned: str) -> None:
        """`assigned` is a comma-separated list such as `acme=codes@mail.example, acme=*@acme.example`."""
        self._owners: dict[str, set[str]] = {}
        for pair in filter(None, (part.strip() for part in assigned.split(","))):
            organization, equals, address = (part.strip() for part in pair.partition("="))
            if not (organization and equals and "@" in address):
                raise InvalidRequest(
                    f"`PAGEHAND_IMAP_ADDRESSES`: `{pair}` is not `organization=address`, such as "
                    "`acme=codes@mail.example` or `acme=*@acme.example`"
                )
            self._owners.setdefault(address.lower(), set()).add(organization)

    def is_own(self, address: str, organization: str, login_id: str) -> bool:
        """Whether a login of the organization may have its codes sent to the address."""
        address = address.lower()
        # an address with the id of a login is that login's, whatever the operator's list says
        if _TAG in address:
            return f"+{login_id}@".lower() in address
        domain = address.rpartition("@")[2]
        owners = self._owners.get(address) or self._owners.get(f"*@{domain}")
        return organization in (owners or {_OPERATORS_ORGANIZATION})


def tagged_address(account: str, login_id: str) -> str | None:
    """The login's own address in an account whose user name is an address."""
    local, at, domain = account.rpartition("@")
    return f"{local}+{login_id}@{domain}".lower() if at else None


class UnassignedAddress:
    """Implements `MailSource` for an address of another organization: nothing is read."""

    def __init__(self, address: str, own: str | None) -> None:
        self._address = address
        self._own = own

    @property
    def pause_seconds(self) -> float:
        """Zero, because the first look raises."""
        return 0.0

    async def messages(self, since: float) -> list[MailMessage]:
        """Raise, with advice."""
        del since
        tagged = f" Or have the site send to `{self._own}`, the login's own address." if self._own else ""
        raise BlockFailed(
            f"Codes sent to `{self._address}` are not read for this organization: in the operator's mail "
            "account an address serves the organization it is assigned to.",
            Diagnosis(
                advice="Give the login a mailbox of its own (`mailboxPassword`), or ask the operator to "
                f"assign the address with `PAGEHAND_IMAP_ADDRESSES`.{tagged}"
            ),
        )

    async def close(self) -> None:
        """Nothing to close."""

"""Who may have codes sent to which address of the operator's own mail account."""

from typing import Final

from pagehand.errors import BlockFailed, Diagnosis, InvalidRequest
from pagehand.logins.second_factor.letter import Letter

_OPERATORS_ORGANIZATION: Final = "default"
_TAG: Final = "+login_"


class AssignedAddresses:
    """Addresses by organization: one organization must never receive the codes of another.

    Addresses that are nobody's belong to the operator, whose own organization is `default`. An address with
    the id of a login behind a plus belongs to that login, so that nothing has to be assigned.
    """

    def __init__(self, assigned: str) -> None:
        """`assigned`: pairs such as `acme=codes@mail.example` or `acme=*@acme.example`, between commas."""
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
        # an address with the id of a login is that login's, wherever the operator's list would put it
        if _TAG in address:
            return f"+{login_id}@".lower() in address
        domain = address.rpartition("@")[2]
        owners = self._owners.get(address) or self._owners.get(f"*@{domain}")
        return organization in (owners or {_OPERATORS_ORGANIZATION})


def tagged_address(account: str, login_id: str) -> str | None:
    """The address of a login's own in an account, where the account is named by its address."""
    local, at, domain = account.rpartition("@")
    return f"{local}+{login_id}@{domain}".lower() if at else None


class ForeignAddress:
    """Implements `MailSource` for an address that is not the organization's own: nothing is read."""

    def __init__(self, address: str, own: str | None) -> None:
        self._address = address
        self._own = own

    @property
    def pause_seconds(self) -> float:
        """Nobody waits here."""
        return 0.0

    async def letters(self, since: float) -> list[Letter]:
        """Refuse, and say what can be done."""
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
        """There is nothing to leave."""

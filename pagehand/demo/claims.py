"""The claims of Northwind Mutual: twenty-four that are always the same, and those a visitor submits."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

TODAY = date(2026, 6, 30)
"""The portal's date never changes, so that screenshots and tests stay the same."""

STATUSES = ("Received", "Open", "In review", "Approved", "Paid", "Declined")
KINDS = ("Water damage", "Storm", "Theft", "Fire", "Glass", "Liability")
CONTACTS = ("Email", "Phone", "Post")
MAX_SUBMITTED = 200


@dataclass(frozen=True, slots=True)
class LineItem:
    """One position of a claim, in whole cents."""

    text: str
    quantity: int
    unit_cents: int

    @property
    def total_cents(self) -> int:
        """Quantity times price."""
        return self.quantity * self.unit_cents


@dataclass(frozen=True, slots=True)
class Claim:
    """A policy holder's claim and its status."""

    number: str
    holder: str
    policy: str
    kind: str
    status: str
    happened: date
    filed: date
    adjuster: str
    contact: str
    description: str
    items: tuple[LineItem, ...]
    attachment: str = ""
    is_reported_to_police: bool = False

    @property
    def total_cents(self) -> int:
        """The amount claimed."""
        return sum(item.total_cents for item in self.items)


class ClaimStore:
    """All claims, newest first."""

    def __init__(self) -> None:
        self._initial = list(_initial_claims())
        self._submitted: list[Claim] = []
        self._next_number = len(self._initial) + 1

    def next_number(self) -> str:
        """A new claim number."""
        number = _number(self._next_number)
        self._next_number += 1
        return number

    def add(self, claim: Claim) -> None:
        """Add a visitor's claim, and drop the oldest of them beyond a limit."""
        self._submitted.insert(0, claim)
        del self._submitted[MAX_SUBMITTED:]

    def get(self, number: str) -> Claim | None:
        """The claim with that number."""
        return next((claim for claim in self._all() if claim.number == number), None)

    def search(self, *, words: str = "", status: str = "") -> list[Claim]:
        """Claims with this status whose number, holder, policy or kind contains the words."""
        needle = words.strip().casefold()
        return [
            claim
            for claim in self._all()
            if status in ("", claim.status)
            and needle in f"{claim.number} {claim.holder} {claim.policy} {claim.kind}".casefold()
        ]

    def _all(self) -> list[Claim]:
        return [*self._submitted, *self._initial]


_ADJUSTERS = ("Ingrid Solberg", "Marcus Bell", "Priya Raman")

# holder, kind, status: newest first. Everything else follows from the position.
_CASES = (
    ("Amelia Hartley", "Water damage", "Open"),
    ("Tobias Lindqvist", "Storm", "In review"),
    ("Grace Okafor", "Theft", "Received"),
    ("Henrik Vasseur", "Glass", "Paid"),
    ("Noor Rahman", "Fire", "In review"),
    ("Calum Fraser", "Liability", "Approved"),
    ("Lucía Ferrer", "Storm", "Open"),
    ("Benjamin Achterberg", "Water damage", "Paid"),
    ("Saoirse Brennan", "Theft", "Declined"),
    ("Viktor Havel", "Glass", "Paid"),
    ("Maya Castellano", "Water damage", "In review"),
    ("Oliver Pemberton", "Storm", "Open"),
    ("Zoë Marchand", "Fire", "Approved"),
    ("Kenji Watanabe", "Theft", "Paid"),
    ("Freya Nilsen", "Liability", "In review"),
    ("Daniel Osei", "Glass", "Received"),
    ("Hannah Whitlock", "Storm", "Paid"),
    ("Rafael Monteiro", "Water damage", "Approved"),
    ("Isla MacKenzie", "Theft", "Open"),
    ("Pavel Dvořák", "Fire", "Paid"),
    ("Chloe Beaumont", "Glass", "Declined"),
    ("Samuel Adeyemi", "Storm", "Paid"),
    ("Elin Bergström", "Liability", "Approved"),
    ("Jonas Keller", "Water damage", "Paid"),
)

_DESCRIPTIONS = {
    "Water damage": "A supply hose behind the washing machine burst while nobody was at home.",
    "Storm": "Gusts lifted part of the roof during the night; rain came in above the landing.",
    "Theft": "The garden shed was broken open and tools and two bicycles were taken.",
    "Fire": "A pan caught fire; the blaze was put out, but hood and cabinets are scorched.",
    "Glass": "A stone thrown up by a mower cracked the patio door.",
    "Liability": "A falling branch from the holder's tree dented a neighbour's parked car.",
}
_WORK = {
    "Water damage": (
        ("Drying and moisture survey", 18_500),
        ("Oak flooring, per m²", 6_450),
        ("Skirting board, per m", 1_275),
    ),
    "Storm": (("Emergency tarpaulin", 24_000), ("Roof tiles, per m²", 8_900), ("Plasterwork, per m²", 4_150)),
    "Theft": (("Replacement lock", 9_500), ("Trekking bicycle", 74_900), ("Power tools, set", 31_250)),
    "Fire": (
        ("Soot removal, per room", 42_000),
        ("Kitchen cabinet door", 12_850),
        ("Extractor hood", 38_900),
    ),
    "Glass": (("Safety glazing, per pane", 46_500), ("Fitting, per hour", 6_800)),
    "Liability": (
        ("Bodywork, per hour", 9_200),
        ("Paint and materials", 27_400),
        ("Rental car, per day", 5_600),
    ),
}


def _initial_claims() -> Iterator[Claim]:
    for position, (holder, kind, status) in enumerate(_CASES):
        serial = len(_CASES) - position
        filed = TODAY - timedelta(days=1 + position * 3 + serial * 5 % 3)
        yield Claim(
            number=_number(serial),
            holder=holder,
            policy=f"HP-{40_000 + serial * 7_919 % 50_000}",
            kind=kind,
            status=status,
            happened=filed - timedelta(days=2 + serial * 11 % 17),
            filed=filed,
            adjuster=_ADJUSTERS[serial % len(_ADJUSTERS)],
            contact=CONTACTS[serial * 5 % len(CONTACTS)],
            description=_DESCRIPTIONS[kind],
            items=tuple(
                LineItem(text, 1 + serial * (place + 3) % 7 if place else 1, cents)
                for place, (text, cents) in enumerate(_WORK[kind])
            ),
        )


def _number(serial: int) -> str:
    return f"NW-{TODAY.year}-{1_000 + serial}"

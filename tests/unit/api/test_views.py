"""Records as the API shows them."""

from dataclasses import dataclass
from typing import Annotated

import pytest
from msgspec import Meta

from pagehand.api.fields import Moment, View

AT = 1_700_000_000_000
SHOWN = "2023-11-14T22:13:20.000Z"


class Times(View):
    """A moment, as views declare it."""

    plain: Moment
    missing: Moment | None
    described: Annotated[Moment | None, Meta(description="When it began.")]


@dataclass
class Record:
    plain: int = AT
    missing: int | None = None
    described: int | None = AT


@pytest.mark.parametrize("described", [AT, None])
def test_times_are_shown_as_text_however_they_are_declared(described: int | None) -> None:
    shown = Times.of(Record(described=described))
    assert (shown.plain, shown.missing, shown.described) == (SHOWN, None, SHOWN if described else None)

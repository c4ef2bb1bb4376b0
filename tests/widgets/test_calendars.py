"""Date Input and Input's Date fill the date pickers that sites use."""

import pytest
from browser.blocks.conftest import Desk

from pagehand.errors import BlockFailed

pytestmark = pytest.mark.anyio

NOW = "2026-11-16T10:05:00.000Z"


async def put(desk: Desk, value: str, locator: dict[str, str], **data: str) -> str:
    """Run the block; what it says the field shows."""
    block = {"type": "DateInput", "locator": locator, "data": {"value": value, **data}}
    return (await desk.run_block(block, now=NOW)).details["shows"]


@pytest.mark.parametrize("value", ["2027-03-01", "2026-08-31", "1998-02-28"])
async def test_flatpickr_is_read_only_and_filled_through_its_calendar(
    desk: Desk, address: str, value: str
) -> None:
    await desk.session.goto(f"{address}/flatpickr.html")
    assert await put(desk, value, {"label": "Plain"}) == value
    assert (
        await desk.value("plain._flatpickr.formatDate(plain._flatpickr.selectedDates[0], 'Y-m-d')") == value
    )
    assert await desk.value("plain._flatpickr.isOpen") is False


async def test_flatpickr_that_takes_typing_is_typed_into(desk: Desk, address: str) -> None:
    await desk.session.goto(f"{address}/flatpickr.html")
    assert await put(desk, "2026-12-05", {"label": "Typed"}) == "05/12/2026"
    assert (
        await desk.value("typed._flatpickr.formatDate(typed._flatpickr.selectedDates[0], 'Y-m-d')")
        == "2026-12-05"
    )


async def test_flatpickr_shown_in_another_field_is_meant_by_the_hidden_one(desk: Desk, address: str) -> None:
    await desk.session.goto(f"{address}/flatpickr.html")
    assert await put(desk, "2027-01-09", {"css": "#spelled"}) == "January 9, 2027"
    assert await desk.value("spelled.value") == "2027-01-09"


async def test_flatpickr_with_a_clock_takes_the_time(desk: Desk, address: str) -> None:
    await desk.session.goto(f"{address}/flatpickr.html")
    assert await put(desk, "2026-12-24T17:45", {"label": "With a time"}) == "2026-12-24 17:45"


async def test_flatpickr_refuses_days_out_of_its_bounds(desk: Desk, address: str) -> None:
    await desk.session.goto(f"{address}/flatpickr.html")
    with pytest.raises(BlockFailed, match="does not offer `2026-12-31`"):
        await put(desk, "2026-12-31", {"label": "Bounded"})


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("Plain", "2027-02-03", "02/03/2027"),
        ("German", "2027-02-03", "03.02.2027"),
        ("Locked", "1999-07-04", "07/04/1999"),
        ("By button", "2026-12-31", "12/31/2026"),
    ],
)
async def test_jquery_ui_datepicker(desk: Desk, address: str, field: str, value: str, shown: str) -> None:
    await desk.session.goto(f"{address}/jquery-ui.html")
    assert await put(desk, value, {"label": field}) == shown
    css = f"$('label').filter((_, l) => l.innerText === '{field}')[0].control"
    assert await desk.value(f"$.datepicker.formatDate('yy-mm-dd', $({css}).datepicker('getDate'))") == value
    await desk.session.page.wait_for_function("$('#ui-datepicker-div').is(':hidden')", timeout=5000)


@pytest.mark.parametrize(("field", "shown"), [("Day", "05.02.2027"), ("Locked", "February 5, 2027")])
async def test_air_datepicker_knows_what_was_chosen(desk: Desk, address: str, field: str, shown: str) -> None:
    await desk.session.goto(f"{address}/air-datepicker.html")
    assert await put(desk, "2027-02-05", {"label": field}) == shown
    # the page hears of the choice a moment after the field shows it
    await desk.session.page.wait_for_function("document.title === '2027-02-05'", timeout=5000)
    assert await desk.value("!!document.querySelector('.air-datepicker.-active-')") is False


@pytest.mark.parametrize(
    ("css", "value", "shown"),
    [
        ("#day input", "next Friday", "2026-11-20"),
        ("#day", "2031-01-02", "2031-01-02"),
        ("#locked input", "2025-12-31", "31.12.2025"),
    ],
)
async def test_ant_design_date_picker(desk: Desk, address: str, css: str, value: str, shown: str) -> None:
    await desk.session.goto(f"{address}/antd.html")
    assert await put(desk, value, {"css": css}) == shown
    assert await desk.value("Object.values(window.kept)") == [shown]


async def test_a_masked_date_field_is_typed_into(desk: Desk, address: str) -> None:
    await desk.session.goto(f"{address}/masks.html")
    assert await put(desk, "2026-03-09", {"label": "Day"}) == "09.03.2026"
    assert await desk.value("masks.day.typedValue.toDateString()") == "Mon Mar 09 2026"


async def test_inputs_date_uses_the_calendar_too(desk: Desk, address: str) -> None:
    await desk.session.goto(f"{address}/flatpickr.html")
    data = {"key": "Plain", "inputType": "Date", "value": "last day of month"}
    await desk.run_block({"type": "Input", "data": data}, now=NOW)
    assert await desk.value("plain.value") == "2026-11-30"

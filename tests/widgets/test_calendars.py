"""Date Input and Input's Date fill the date pickers that sites use."""

import pytest

from pagehand.errors import BlockFailed
from support.block_runner import BlockRunner, set_clock

pytestmark = pytest.mark.anyio

NOW = "2026-11-16T10:05:00.000Z"


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, NOW)


async def put(runner: BlockRunner, value: str, locator: dict[str, str], **data: str) -> str:
    """Run the block; what it says the field shows."""
    return (await runner.run("DateInput", {"value": value, **data}, **locator)).details["shows"]


@pytest.mark.parametrize("value", ["2027-03-01", "2026-08-31", "1998-02-28"])
async def test_flatpickr_is_read_only_and_filled_through_its_calendar(
    runner: BlockRunner, address: str, value: str
) -> None:
    await runner.session.goto(f"{address}/flatpickr.html")
    assert await put(runner, value, {"label": "Plain"}) == value
    assert (
        await runner.value("plain._flatpickr.formatDate(plain._flatpickr.selectedDates[0], 'Y-m-d')") == value
    )
    assert await runner.value("plain._flatpickr.isOpen") is False


async def test_flatpickr_that_takes_typing_is_typed_into(runner: BlockRunner, address: str) -> None:
    await runner.session.goto(f"{address}/flatpickr.html")
    assert await put(runner, "2026-12-05", {"label": "Typed"}) == "05/12/2026"
    assert (
        await runner.value("typed._flatpickr.formatDate(typed._flatpickr.selectedDates[0], 'Y-m-d')")
        == "2026-12-05"
    )


async def test_flatpickr_shown_in_another_field_is_meant_by_the_hidden_one(
    runner: BlockRunner, address: str
) -> None:
    await runner.session.goto(f"{address}/flatpickr.html")
    assert await put(runner, "2027-01-09", {"css": "#spelled"}) == "January 9, 2027"
    assert await runner.value("spelled.value") == "2027-01-09"


async def test_flatpickr_with_a_clock_takes_the_time(runner: BlockRunner, address: str) -> None:
    await runner.session.goto(f"{address}/flatpickr.html")
    assert await put(runner, "2026-12-24T17:45", {"label": "With a time"}) == "2026-12-24 17:45"


async def test_flatpickr_refuses_days_out_of_its_bounds(runner: BlockRunner, address: str) -> None:
    await runner.session.goto(f"{address}/flatpickr.html")
    with pytest.raises(BlockFailed, match="does not offer `2026-12-31`"):
        await put(runner, "2026-12-31", {"label": "Bounded"})


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("Plain", "2027-02-03", "02/03/2027"),
        ("German", "2027-02-03", "03.02.2027"),
        ("Locked", "1999-07-04", "07/04/1999"),
        ("By button", "2026-12-31", "12/31/2026"),
    ],
)
async def test_jquery_ui_datepicker(
    runner: BlockRunner, address: str, field: str, value: str, shown: str
) -> None:
    await runner.session.goto(f"{address}/jquery-ui.html")
    assert await put(runner, value, {"label": field}) == shown
    css = f"$('label').filter((_, l) => l.innerText === '{field}')[0].control"
    assert await runner.value(f"$.datepicker.formatDate('yy-mm-dd', $({css}).datepicker('getDate'))") == value
    await runner.session.page.wait_for_function("$('#ui-datepicker-div').is(':hidden')", timeout=5000)


@pytest.mark.parametrize(("field", "shown"), [("Day", "05.02.2027"), ("Locked", "February 5, 2027")])
async def test_air_datepicker_knows_what_was_chosen(
    runner: BlockRunner, address: str, field: str, shown: str
) -> None:
    await runner.session.goto(f"{address}/air-datepicker.html")
    assert await put(runner, "2027-02-05", {"label": field}) == shown
    # the page hears of the choice a moment after the field shows it
    await runner.session.page.wait_for_function("document.title === '2027-02-05'", timeout=5000)
    assert await runner.value("!!document.querySelector('.air-datepicker.-active-')") is False


@pytest.mark.parametrize(
    ("css", "value", "shown"),
    [
        ("#day input", "next Friday", "2026-11-20"),
        ("#day", "2031-01-02", "2031-01-02"),
        ("#locked input", "2025-12-31", "31.12.2025"),
    ],
)
async def test_ant_design_date_picker(
    runner: BlockRunner, address: str, css: str, value: str, shown: str
) -> None:
    await runner.session.goto(f"{address}/antd.html")
    assert await put(runner, value, {"css": css}) == shown
    assert await runner.value("Object.values(window.kept)") == [shown]


async def test_a_masked_date_field_is_typed_into(runner: BlockRunner, address: str) -> None:
    await runner.session.goto(f"{address}/masks.html")
    assert await put(runner, "2026-03-09", {"label": "Day"}) == "09.03.2026"
    assert await runner.value("masks.day.typedValue.toDateString()") == "Mon Mar 09 2026"


async def test_inputs_date_uses_the_calendar_too(runner: BlockRunner, address: str) -> None:
    await runner.session.goto(f"{address}/flatpickr.html")
    data = {"key": "Plain", "inputType": "Date", "value": "last day of month"}
    await runner.run("Input", data)
    assert await runner.value("plain.value") == "2026-11-30"

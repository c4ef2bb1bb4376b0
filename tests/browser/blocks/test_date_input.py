"""DateInput puts dates into native fields, text fields in their own style, and calendars."""

import pytest

from pagehand.errors import BlockFailed
from support.block_runner import BlockRunner, examples_of, set_clock

pytestmark = pytest.mark.anyio

NOW = "2026-11-16T10:05:00.000Z"  # a Monday


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, NOW)


async def put(runner: BlockRunner, value: str, css: str = "#f", **data: str) -> None:
    await runner.run("DateInput", {"value": value, **data}, css=css)


async def test_examples_run_as_shown(runner: BlockRunner) -> None:
    await runner.open("""<label for=a>Arrival</label><input id=a type=date>
      <label for=b>Date of birth</label><input id=b>""")
    for example in examples_of("DateInput"):
        await runner.run_block(example, params={"born": "1990-02-28"})
    assert await runner.value("[a.value, b.value]") == ["2026-11-20", "28.02.1990"]


@pytest.mark.parametrize(
    ("kind", "value", "kept"),
    [
        ("date", "2026-01-31", "2026-01-31"),
        ("date", "in 3 days", "2026-11-19"),
        ("date", "2026-01-31T14:30", "2026-01-31"),
        ("datetime-local", "2026-01-31T14:30", "2026-01-31T14:30"),
        ("datetime-local", "tomorrow at 2pm", "2026-11-17T14:00"),
        ("month", "2026-05", "2026-05"),
        ("month", "next month", "2026-12"),
        ("week", "2026-W05", "2026-W05"),
        ("week", "2026-11-16", "2026-W47"),
        ("time", "14:30", "14:30"),
    ],
)
async def test_native_fields_take_their_own_kind_of_value(
    runner: BlockRunner, kind: str, value: str, kept: str
) -> None:
    await runner.open(f"<input id=f type={kind}>")
    await put(runner, value)
    assert await runner.value("f.value") == kept


@pytest.mark.parametrize(
    ("field", "kept"),
    [
        ("<input id=f placeholder='mm/dd/yyyy'>", "01/31/2026"),
        ("<input id=f placeholder='TT.MM.JJJJ'>", "31.01.2026"),
        ("<input id=f placeholder='jj/mm/aaaa'>", "31/01/2026"),
        ("<input id=f placeholder='e.g. 25/12/2025'>", "31/01/2026"),
        ("<input id=f data-date-format='d.m.Y'>", "31.01.2026"),
        ("<input id=f value='25-12-2025'>", "31-01-2026"),
        ("<input id=f value='Dec 25, 2025'>", "Jan 31, 2026"),
        ("<input id=f pattern='\\d{4}/\\d{2}/\\d{2}'>", "2026/01/31"),
        ("<input id=f lang=de>", "31.01.2026"),
        ("<input id=f lang=en-US>", "01/31/2026"),
        ("<label for=f>Day (DD/MM/YY)</label><input id=f>", "31/01/26"),
        ("<input id=f>", "2026-01-31"),
    ],
)
async def test_a_text_field_gets_the_style_it_gives_away(runner: BlockRunner, field: str, kept: str) -> None:
    await runner.open(field)
    await put(runner, "2026-01-31")
    assert await runner.value("f.value") == kept


async def test_a_given_format_wins(runner: BlockRunner) -> None:
    await runner.open("<input id=f placeholder='mm/dd/yyyy'>")
    await put(runner, "2026-01-31T09:05", format="D MMMM YYYY, HH:mm")
    assert await runner.value("f.value") == "31 January 2026, 09:05"
    await put(runner, "01/02/2026", format="dd/mm/yyyy")
    assert await runner.value("f.value") == "01/02/2026"


@pytest.mark.slow
async def test_a_date_the_field_does_not_keep_fails_with_what_it_shows(runner: BlockRunner) -> None:
    await runner.open("<input id=f placeholder='dd/mm/yyyy' onblur=\"this.value = '01/01/1970'\">")
    with pytest.raises(BlockFailed, match=r"did not take the date 2026-01-31: it shows `01/01/1970`"):
        await put(runner, "2026-01-31")


async def test_words_that_are_not_a_date_are_refused(runner: BlockRunner) -> None:
    await runner.open("<input id=f>")
    with pytest.raises(BlockFailed, match="`nxt friday` is not a date"):
        await put(runner, "nxt friday")
    assert await runner.value("f.value") == ""


@pytest.mark.slow
async def test_a_read_only_field_without_a_calendar_is_a_failure(runner: BlockRunner) -> None:
    await runner.open("<input id=f readonly>")
    with pytest.raises(BlockFailed, match="no calendar opened"):
        await put(runner, "2026-01-31")


GRID = """<input id=f readonly><div id=cal hidden>
<button aria-label='Previous month'>&lt;</button><h2 id=head></h2>
<button aria-label='Next month'>&gt;</button>
<table role=grid><tbody id=rows></tbody></table></div><script>
let shown = new Date(2026, 10, 1);
const draw = () => {
  head.textContent = shown.toLocaleString('LANG', {month: 'long', year: 'numeric'});
  const start = new Date(shown); start.setDate(1 - shown.getDay());
  rows.innerHTML = '';
  for (let w = 0; w < 6; w++) { const row = rows.insertRow();
    for (let d = 0; d < 7; d++) { const cell = row.insertCell(); cell.setAttribute('role', 'gridcell');
      const day = new Date(start); day.setDate(start.getDate() + w * 7 + d);
      cell.textContent = day.getDate(); CELL;
      if (day.getMonth() === shown.getMonth() && day.getDate() === 13) cell.ariaDisabled = 'true';
      cell.onclick = () => { f.value = [day.getDate(), day.getMonth() + 1, day.getFullYear()].join('.');
        cal.hidden = true } } } };
f.onclick = () => { cal.hidden = false; draw() };
const turn = by => { const next = new Date(shown); next.setMonth(next.getMonth() + by);
  if (next.getFullYear() < 2028) { shown = next; setTimeout(draw, 80) } };
const [back, on] = cal.querySelectorAll('button'); back.onclick = () => turn(-1); on.onclick = () => turn(1);
</script>"""


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en-US", "de-DE", "fr-FR"])
@pytest.mark.parametrize(
    "cell", ["", "cell.dataset.date = new Date(day.getTime() + 4e7).toISOString().slice(0, 10)"]
)
@pytest.mark.parametrize(("value", "kept"), [("2027-03-01", "1.3.2027"), ("2026-08-31", "31.8.2026")])
async def test_a_read_only_field_is_filled_through_its_calendar(
    runner: BlockRunner, language: str, cell: str, value: str, kept: str
) -> None:
    page = GRID.replace("LANG", language).replace("CELL", cell)
    await runner.open(f"<div lang={language}>{page}</div>")
    await put(runner, value)
    assert await runner.value("[f.value, cal.hidden]") == [kept, True]


async def test_the_control_that_opens_the_calendar_may_be_meant(runner: BlockRunner) -> None:
    page = GRID.replace("LANG", "en").replace("CELL", "").replace("f.onclick", "c.onclick")
    await runner.open(f"<p><a id=c href=# onclick='return false'>Choose a day</a> {page}</p>")
    await runner.run("DateInput", {"value": "2026-12-24"}, css="#c")
    assert await runner.value("f.value") == "24.12.2026"


@pytest.mark.slow
async def test_a_day_the_calendar_does_not_offer_is_a_failure(runner: BlockRunner) -> None:
    await runner.open(GRID.replace("LANG", "en").replace("CELL", ""))
    with pytest.raises(BlockFailed, match=r"does not offer `2026-11-13`: that day cannot be chosen"):
        await put(runner, "2026-11-13")
    with pytest.raises(BlockFailed, match=r"does not offer `2028-02-01`: it does not go further"):
        await put(runner, "2028-02-01")

"""What a person does on the live page, as the recorder sees it on real pages."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from pagehand.browser import BrowserSession, picking
from pagehand.browser.screenshots import Screenshots
from pagehand.browser_session import KeyInput, MouseInput, TextInput
from pagehand.workflow.recorded import RecordedAct
from support.site import Site
from support.waiting import until

pytestmark = pytest.mark.anyio

FORM = """<!doctype html><style>body{margin:0} body > *, form > * {position:absolute;left:100px;width:200px;
height:30px;margin:0}</style><input aria-label=Search style="top:50px">
<select aria-label=Status style="top:100px"><option>All<option>Open<option>Closed</select>
<form onsubmit="return false" style="position:static"><input aria-label=User style="top:150px" name=user>
<input aria-label=Secret style="top:200px" type=password></form>
<button style="top:250px" onclick="attachment.click()">Attach</button>
<input id=attachment type=file aria-label=Attachment style="top:300px">
<input aria-label=Agree type=checkbox style="top:350px;width:20px">
<button style="top:400px" onclick="document.querySelector('[type=password]').type = 'text'">Show</button>
<table style="top:450px"><caption>Orders</caption><tr><th>Order<th>Total<tr><td>A-1<td>10</table>"""


class Person:
    """Somebody at the live view who is being recorded."""

    def __init__(self, session: BrowserSession) -> None:
        self.session = session
        self.acts: list[RecordedAct] = []
        self.view = session.live_view

    async def click(self, y: float, x: float = 110) -> None:
        self.view.input.send(MouseInput(kind="down", x=x, y=y, button="left", buttons=1, clicks=1))
        self.view.input.send(MouseInput(kind="up", x=x, y=y, button="left", clicks=1))
        await self.view.input.idle()

    async def click_twice(self, y: float, x: float = 110) -> None:
        await self.click(y, x)
        self.view.input.send(MouseInput(kind="down", x=x, y=y, button="left", buttons=1, clicks=2))
        self.view.input.send(MouseInput(kind="up", x=x, y=y, button="left", clicks=2))
        await self.view.input.idle()

    async def right_click(self, y: float, x: float = 110) -> None:
        self.view.input.send(MouseInput(kind="down", x=x, y=y, button="right", buttons=2, clicks=1))
        self.view.input.send(MouseInput(kind="up", x=x, y=y, button="right", clicks=1))
        await self.view.input.idle()

    async def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        send, steps = self.view.input.send, 5
        send(MouseInput(kind="down", x=start[0], y=start[1], button="left", buttons=1, clicks=1))
        for step in range(1, steps + 1):
            x, y = (at + (to - at) * step / steps for at, to in zip(start, end, strict=True))
            send(MouseInput(kind="move", x=x, y=y, button="left", buttons=1))
            await self.view.input.idle()
        send(MouseInput(kind="up", x=end[0], y=end[1], button="left", clicks=1))
        await self.view.input.idle()

    async def press(self, key: str, key_code: int, text: str = "") -> None:
        self.view.input.send(KeyInput(kind="down", key=key, code=key, key_code=key_code, text=text))
        self.view.input.send(KeyInput(kind="up", key=key, code=key, key_code=key_code))
        await self.view.input.idle()

    async def paste(self, text: str) -> None:
        self.view.input.send(TextInput(text))
        await self.view.input.idle()

    async def type(self, text: str) -> None:
        for letter in text:
            await self.press(letter, ord(letter.upper()), letter)

    async def stop(self) -> list[RecordedAct]:
        await self.view.stop_recording()
        return self.acts

    def kinds(self) -> list[str]:
        return [act.kind for act in self.acts]


@pytest.fixture
async def person(session: BrowserSession, site: Site) -> AsyncGenerator[Person]:
    await session.goto(site.page("/", FORM))
    person = Person(session)
    session.live_view.drive()
    await session.live_view.record(person.acts.append, with_address=True)
    yield person
    await session.live_view.stop_recording()


async def test_typing_is_one_act_that_grows_and_enter_belongs_to_it(person: Person, site: Site) -> None:
    await person.click(65)
    await person.type("ACME")
    await until(lambda: "fill" in person.kinds())
    await person.press("Enter", 13, "\r")
    first, *typed = await person.stop()
    assert (first.kind, first.value) == ("open", f"{site.url}/")
    last = typed[-1]
    assert (last.kind, last.value, last.presses_enter, last.replaces_last) == ("fill", "ACME", True, True)
    assert last.locator is not None
    assert last.locator.words == "Search field"


async def test_locators_of_a_picked_element_want_exactly_one(person: Person) -> None:
    picked = await person.view.pick(110, 265)
    assert picked is not None
    assert all(ranked.locator.strict or ranked.locator.words for ranked in picked.locators)
    assert len(picked.locators) > 1


async def test_pasted_text_reaches_the_page_and_is_recorded(person: Person) -> None:
    await person.click(65)
    await person.paste("ACME GmbH")
    await until(lambda: "fill" in person.kinds())
    assert await person.session.page.get_by_label("Search").input_value() == "ACME GmbH"
    assert (await person.stop())[-1].value == "ACME GmbH"


async def test_an_option_is_a_choice_and_a_checkbox_says_what_it_became(person: Person) -> None:
    await person.click(115)
    place = """() => { const {x, y} = document.querySelectorAll('option')[1].getBoundingClientRect();
      return [x, y] }"""
    x, y = await person.session.scripts.run_in_page(place, None, timeout_seconds=5)
    await person.click(y + 5, x + 5)
    await person.click(360)
    await person.click(360)
    acts = [(act.kind, act.value) for act in await person.stop()][1:]
    assert acts == [("choose", "Open"), ("check", "true"), ("check", "false")]


async def test_a_password_that_was_shown_before_somebody_came_to_it_is_not_read(person: Person) -> None:
    await person.session.page.reload()
    await person.click(415)
    await person.click(215)
    await person.type("hunter2")
    acts = await person.stop()
    assert "hunter2" not in repr(acts)
    assert acts[-1].kind == "fill secret"


async def test_a_secret_is_never_read_even_while_the_page_shows_it(person: Person) -> None:
    await person.click(165)
    await person.type("ada")
    await person.press("Tab", 9)
    await person.type("hush")
    await person.click(415)
    await person.click(215)
    await person.type("more")
    acts = await person.stop()
    assert [act.kind for act in acts if act.kind.startswith("fill")][-2:] == ["fill secret", "fill secret"]
    assert "fill username" in person.kinds()
    assert "hush" not in repr(acts)
    assert "more" not in repr(acts)


async def test_a_click_beside_everything_is_not_recorded(person: Person) -> None:
    await person.click(700, 1200)
    assert [act.kind for act in await person.stop()] == ["open"]


async def test_a_button_that_asks_for_a_file_is_an_upload(person: Person) -> None:
    await person.click(265)
    await until(lambda: "upload" in person.kinds())
    act = person.acts[-1]
    assert (act.name, act.replaces_last) == ("Attachment", True)


async def test_a_table_is_read_by_its_columns_and_a_text_by_itself(person: Person) -> None:
    table = await person.session.live_view.record_read_at(150, 500)
    assert table is not None
    assert (table.name, table.columns) == ("Orders", ["Order", "Total"])
    assert await person.session.live_view.record_read_at(5000, 5000) is None


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        # the name of each row is a heading as well, as in Django's admin
        (
            "<thead><tr><th><input type=checkbox><th>Title<th>Price<tbody><tr><td><input><th>Book 1<td>1.50",
            ["Title", "Price"],
        ),
        ("<tr><th>Title<th>Price<tr><th scope=row>Book 1<td>1.50<tr><th>Total<th>1.50", ["Title", "Price"]),
        (
            "<tr><th rowspan=2>Name<th colspan=2>Net<tr><th>May<th>June<tr><td>A<td>1<td>2",
            ["Name", "May", "June"],
        ),
        ("<tr><th>Customer<td>ACME<tr><th>Total<td>10", ["Customer", "Total"]),
        ("<tr><th>Order<tr><td><table><tr><th>Inner<tr><td>x</table>", ["Order"]),
    ],
)
async def test_columns_are_named_by_the_headings_of_columns(
    person: Person, site: Site, rows: str, columns: list[str]
) -> None:
    page = person.session.page
    await page.goto(
        site.page("/table", f"<!doctype html><style>body{{margin:0}}</style><table>{rows}</table>")
    )
    last = await page.locator("tr").first.bounding_box()
    assert last
    read = await person.session.live_view.record_read_at(last["x"] + 3, last["y"] + 3)
    assert read is not None
    assert read.columns == columns


async def test_what_signs_in_is_marked_so_that_a_signed_in_run_can_skip_it(person: Person) -> None:
    for y, text in ((165, "ada"), (215, "horse")):
        await person.click(y)
        await person.type(text)
    await person.click(415)
    await person.click(265)
    acts = await person.stop()
    signing_in = [act.name for act in acts if act.signs_in]
    assert list(dict.fromkeys(signing_in)) == ["User", "Secret", "Show"]


BOARD = """<!doctype html><style>body{margin:0;user-select:none} body > *{position:absolute;width:200px;
height:60px;margin:0}</style>
<button style="left:100px;top:50px" ondblclick="document.title = 'Opened'">Folder</button>
<div role=button style="left:100px;top:150px" oncontextmenu="document.title = 'Menu'">Letter</div>
<div id=card role=button aria-label="Card" style="left:100px;top:250px;z-index:1">Card</div>
<section aria-label="Done" role=region style="left:500px;top:250px">Done</section>
<div role=slider tabindex=0 aria-label=Volume style="left:100px;top:350px">Volume</div>
<a style="left:100px;top:450px" href="/other" target=_blank>Terms</a>
<p style="left:100px;top:550px;user-select:text">Some words to mark with the mouse</p>
<iframe title="Inner" style="left:500px;top:450px;height:100px" srcdoc="<button>Inside</button>"></iframe>
<script>
  let held = null;
  card.onmousedown = (event) => { held = [event.clientX, event.clientY]; };
  onmousemove = (event) => {
    if (held) card.style.transform = `translate(${event.clientX - held[0]}px, ${event.clientY - held[1]}px)`;
  };
  onmouseup = () => { held = null; };
</script>"""


@pytest.fixture
async def board(session: BrowserSession, site: Site) -> AsyncGenerator[Person]:
    site.page("/other", "<!doctype html><title>Terms</title><h1>Terms</h1>")
    await session.goto(site.page("/board", BOARD))
    person = Person(session)
    session.live_view.drive()
    await session.live_view.record(person.acts.append, with_address=False)
    yield person
    await session.live_view.stop_recording()


async def test_two_clicks_in_a_row_are_a_double_click(board: Person) -> None:
    await board.click_twice(80)
    await until(lambda: board.kinds() == ["click", "double click"])
    assert board.acts[-1].replaces_last
    assert board.acts[-1].locator == board.acts[0].locator


async def test_the_right_button_is_recorded_as_such(board: Person) -> None:
    await board.right_click(180)
    await until(lambda: board.kinds() == ["right click"])
    assert board.acts[0].name == "Letter"


async def test_what_is_dragged_onto_an_element_names_both(board: Person) -> None:
    await board.drag((200, 280), (600, 280))
    await until(lambda: "drag" in board.kinds())
    act = board.acts[-1]
    assert (act.name, act.replaces_last) == ("Card", True)
    assert act.to_locator is not None
    assert "Done" in str(act.to_locator)


async def test_what_is_dragged_to_an_empty_place_says_how_far(board: Person) -> None:
    await board.drag((150, 380), (230, 380))
    await until(lambda: "drag" in board.kinds())
    assert (board.acts[-1].to_locator, board.acts[-1].moved_by) == (None, (80, 0))


NATIVE = """<!doctype html><style>body{margin:0} body > * {position:absolute;top:50px;width:200px;height:60px}
</style><div id=card draggable=true style="left:100px" role=listitem aria-label=Card>Card</div>
<div id=done style="left:600px" role=list aria-label=Done>Done</div>
<output style="top:300px"></output><script>
  const card = document.getElementById("card"), done = document.getElementById("done");
  card.ondragstart = (event) => event.dataTransfer.setData("text/plain", "card 7");
  done.ondragover = (event) => event.preventDefault();
  done.ondrop = (event) => {
    event.preventDefault();
    document.querySelector("output").textContent = event.dataTransfer.getData("text/plain");
  };
</script>"""


async def test_what_the_browser_itself_drags_and_drops_names_both(
    session: BrowserSession, site: Site
) -> None:
    await session.goto(site.page("/native", NATIVE))
    person = Person(session)
    session.live_view.drive()
    await session.live_view.record(person.acts.append, with_address=False)
    await person.drag((150, 80), (780, 80))  # two moves over the target: entered, then hovered
    await until(lambda: "drag" in person.kinds())
    await session.live_view.stop_recording()
    assert person.acts[-1].name == "Card"
    assert "Done" in str(person.acts[-1].to_locator)
    await session.page.get_by_text("card 7").wait_for(timeout=5000)


async def test_marking_text_is_not_a_drag(board: Person) -> None:
    await board.drag((110, 560), (250, 560))
    assert "drag" not in [act.kind for act in await board.stop()]


async def test_a_click_that_opens_a_tab_expects_it(board: Person) -> None:
    await board.click(460, 120)
    await until(lambda: bool(board.acts) and board.acts[-1].opens_tab)
    assert (board.acts[-1].kind, board.acts[-1].replaces_last) == ("click", True)


async def test_a_click_inside_a_frame_names_the_frame(board: Person) -> None:
    await board.click(470, 530)
    await until(lambda: board.kinds() == ["click"])
    assert board.acts[0].name == "Inside"
    assert board.acts[0].locator is not None


KEYBOARD = """<!doctype html><style>body{margin:0} button{width:200px;height:40px}</style>
<button onclick="query.focus()">Find</button><input id=query aria-label=Query>
<select aria-label=Status><option>Draft<option>Listed<option>Gone</select>
<select aria-label=Shelf><option>North<option>South</select>
<input type=checkbox aria-label=Lendable>
<label><input type=radio name=binding checked>Soft</label><label><input type=radio name=binding>Hard</label>
<input role=combobox aria-label=Author aria-activedescendant=ada><ul role=listbox>
<li role=option id=ada>Ada</ul>
<textarea aria-label=Notes></textarea><input type=date aria-label=Due><button>Keep</button>"""
TYPED = [("fill", "Query", "x"), ("choose", "Status", "Listed"), ("choose", "Shelf", "South")]
PRESSED = [("check", "Lendable", "true"), ("check", "Hard", "true"), ("click", "Ada", "")]


async def record_on(session: BrowserSession, address: str) -> Person:
    await session.goto(address)
    person = Person(session)
    session.live_view.drive()
    await session.live_view.record(person.acts.append, with_address=False)
    return person


def lasting(acts: list[RecordedAct]) -> list[tuple[str, str, str]]:
    """The acts that no later one has replaced."""
    kept: list[RecordedAct] = []
    for act in acts:
        if act.replaces_last:
            kept.pop()
        kept.append(act)
    return [(act.kind, act.name, act.value + "⏎" * act.presses_enter) for act in kept]


async def test_what_is_done_by_the_keyboard_alone_is_recorded(session: BrowserSession, site: Site) -> None:
    person = await record_on(session, site.page("/keyboard", KEYBOARD))
    await person.click(20, 20)
    await person.type("x")
    await person.press("Tab", 9)
    await person.type("L")
    await person.press("Tab", 9)
    await person.press("Enter", 13, "\r")
    await person.press("ArrowDown", 40)
    await person.press("Enter", 13, "\r")
    await person.press("Tab", 9)
    await person.press(" ", 32, " ")
    await person.press("Tab", 9)
    await person.press("ArrowDown", 40)
    await person.press("Tab", 9)
    await person.press("Enter", 13, "\r")
    await person.press("Tab", 9)
    await person.type("a")
    await person.press("Enter", 13, "\r")
    await person.type("b")
    await person.press("Tab", 9)
    await person.type("05012024")
    await session.page.get_by_role("button", name="Keep").focus()
    await person.press(" ", 32, " ")
    rest = [("fill", "Notes", "a\nb"), ("fill", "Due", "2024-05-01"), ("click", "Keep", "")]
    assert lasting(await person.stop()) == [("click", "Find", ""), *TYPED, *PRESSED, *rest]


@pytest.mark.parametrize(
    ("control", "keys", "act"),
    [
        ("<select aria-label=Sort onchange=GO><option>Name<option>Date</select>", "d", ("choose", "Date")),
        ("<input type=checkbox aria-label=Sort onchange=GO>", " ", ("check", "true")),
        ("<input aria-label=Sort oninput='value.length > 2 && GO'>", "123", ("fill", "123")),
    ],
)
async def test_a_page_that_leaves_at_a_change_loses_neither_it_nor_the_next_act(
    session: BrowserSession, site: Site, control: str, keys: str, act: tuple[str, str]
) -> None:
    site.page("/after", "<!doctype html><style>button{width:200px;height:90px}</style><button>Next</button>")
    person = await record_on(
        session, site.page("/before", control.replace("GO", "location.assign(`/after`)"))
    )
    await person.press("Tab", 9)
    await person.type(keys)
    await session.page.get_by_role("button", name="Next").wait_for()
    await person.click(40, 40)
    kind, value = act
    assert lasting(await person.stop()) == [(kind, "Sort", value), ("click", "Next", "")]


async def test_a_slow_page_costs_no_act(
    session: BrowserSession, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def take_long(_: Screenshots) -> None:
        await asyncio.sleep(0.4)

    person = await record_on(session, site.page("/keyboard", KEYBOARD))
    await session.page.get_by_label("Query").focus()
    monkeypatch.setattr(picking, "_RANKING_SECONDS", 0, raising=False)
    monkeypatch.setattr(Screenshots, "wait_until_taken", take_long)
    for key, code in (("Tab", 9), ("L", 76)):
        text = key if len(key) == 1 else ""
        person.view.input.send(KeyInput(kind="down", key=key, code=key, key_code=code, text=text))
        person.view.input.send(KeyInput(kind="up", key=key, code=key, key_code=code))
    assert lasting(await person.stop()) == [("choose", "Status", "Listed")]

"""ClosePopup closes what lies over the page."""

import pytest

from support.block_runner import BlockRunner, examples_of
from support.site import Site

pytestmark = pytest.mark.anyio

BANNER = """<p>Page</p>
<div id=banner style='position:fixed;bottom:0;width:100%;background:#eee'>We use cookies.{}</div>
<script>window.note = t => {{ document.title += t; banner.remove() }}</script>"""
BUTTONS = "<button onclick=\"note('accepted')\">Accept all</button>"


async def test_examples_run_as_shown(runner: BlockRunner) -> None:
    banner, control = examples_of("ClosePopup")
    await runner.open(BANNER.format(BUTTONS + "<button onclick=\"note('rejected')\">Reject all</button>"))
    assert (await runner.run_block(banner)).details == {"closed": ["cookieBanner"]}
    assert await runner.value("document.title") == "rejected"
    await runner.open("<button onclick=\"document.title = 'refused'\">No thanks</button>")
    await runner.run_block(control)
    assert await runner.value("document.title") == "refused"


@pytest.mark.parametrize(
    ("more", "done"),
    [("<button aria-label=Close onclick=\"note('closed')\">&times;</button>", "closed"), ("", "accepted")],
)
async def test_a_cookie_banner_is_accepted_only_without_another_way(
    runner: BlockRunner, more: str, done: str
) -> None:
    await runner.open(BANNER.format(BUTTONS + more))
    await runner.run("ClosePopup", {})
    assert await runner.value("document.title") == done


@pytest.mark.parametrize(
    ("says", "accept", "reject"),
    [
        ("Diese Seite verwendet Cookies.", "Alle akzeptieren", "Nur notwendige Cookies"),
        ("Nous utilisons des cookies.", "Tout accepter", "Tout refuser"),
        ("Usamos cookies.", "Aceptar todo", "Rechazar todo"),
        ("Utilizziamo i cookie.", "Accetta tutti", "Rifiuta tutti"),
        ("Wij gebruiken cookies.", "Alles accepteren", "Weigeren"),
        ("Usamos cookies.", "Aceitar", "Rejeitar"),
        ("Používáme cookies.", "Přijmout vše", "Odmítnout vše"),
        ("Używamy plików cookie.", "Akceptuję", "Odrzuć wszystkie"),
        ("Vi använder kakor.", "Godkänn alla", "Endast nödvändiga"),
        ("Käytämme evästeitä.", "Hyväksy kaikki", "Vain välttämättömät"),
        ("Мы используем файлы cookie.", "Принять все", "Отклонить"),
        ("We value your consent.", "Accept", "Continue without accepting"),
    ],
)
async def test_a_banner_is_rejected_in_the_pages_language(
    runner: BlockRunner, says: str, accept: str, reject: str
) -> None:
    await runner.open(
        f"""<div id=banner style='position:fixed;bottom:0;width:100%'>{says}
        <button onclick="done('accepted')">{accept}</button><a href=#more>?</a>
        <button onclick="done('rejected')">{reject}</button></div>
        <script>function done(how) {{ document.title = how; banner.remove() }}</script>"""
    )
    assert (await runner.run("ClosePopup", {})).details == {"closed": ["cookieBanner"]}
    assert await runner.value("document.title") == "rejected"


async def test_at_most_three_are_closed(runner: BlockRunner) -> None:
    boxes = "".join(
        f"<dialog id=d{n}><form method=dialog><button>Close</button></form></dialog>" for n in range(5)
    )
    await runner.open(
        boxes + "<script>document.querySelectorAll('dialog').forEach(d => d.showModal())</script>"
    )
    assert (await runner.run("ClosePopup", {})).details == {"closed": ["dialog"] * 3}
    assert await runner.value("document.querySelectorAll('dialog[open]').length") == 2


@pytest.mark.slow
async def test_a_banner_inside_a_shadow_root_and_one_inside_a_frame_are_rejected(runner: BlockRunner) -> None:
    await runner.open("""<div id=host></div><script>host.attachShadow({mode: 'open'}).innerHTML =
      `<div style='position:fixed;bottom:0'>We use cookies <button>Accept</button>
       <button onclick="this.parentNode.remove(); document.title += 'shadow'">Decline</button></div>`</script>
      <iframe srcdoc="<div style='position:fixed;bottom:0'>We use cookies <button>Accept</button>
      <button onclick='this.parentNode.remove(); parent.document.title += 1'>Decline</button></div>">
      </iframe>""")
    assert (await runner.run("ClosePopup", {})).details == {"closed": ["cookieBanner", "cookieBanner"]}
    assert await runner.value("document.title") == "shadow1"


async def test_dialogs_and_modal_boxes_are_closed_one_after_the_other(runner: BlockRunner) -> None:
    await runner.open("""<dialog id=d><form method=dialog>Hi<button>Close</button></form></dialog>
      <div id=m class=modal style='position:fixed;inset:0;background:#ccc'>Newsletter
      <span class=close onclick='m.remove()'>x</span></div><script>d.showModal()</script>""")
    outcome = await runner.run("ClosePopup", {})
    assert sorted(outcome.details["closed"]) == ["dialog", "modal"]
    assert await runner.value("[d.open, !!document.querySelector('#m')]") == [False, False]


async def test_a_dialog_without_a_control_is_closed_with_escape(runner: BlockRunner) -> None:
    await runner.open("<dialog id=d>Hello</dialog><script>d.showModal()</script>")
    await runner.run("ClosePopup", {"kinds": ["dialog"]})
    assert await runner.value("d.open") is False


async def test_a_late_popup_is_waited_for(runner: BlockRunner) -> None:
    await runner.open("""<dialog id=d><form method=dialog><button>Close</button></form></dialog>
      <script>setTimeout(() => d.showModal(), 700)</script>""")
    assert (await runner.run("ClosePopup", {})).details == {"closed": ["dialog"]}


@pytest.mark.slow
async def test_nothing_to_close_is_not_an_error_and_does_not_take_the_blocks_time(
    runner: BlockRunner,
) -> None:
    await runner.open("<button>Delete my account</button><p>Our cookie recipes</p>")
    data = {"timeoutMs": 600_000}
    assert (await runner.run("ClosePopup", data)).details == {"closed": []}
    assert (await runner.run("ClosePopup", data, css="#missing")).details == {"closed": []}


@pytest.mark.slow
async def test_a_popup_window_is_closed_but_a_tab_of_a_link_stays(runner: BlockRunner, site: Site) -> None:
    site.page("/tab", "<title>Tab</title>")
    site.page("/ad", "<title>Ad</title>")
    button = "<button onclick=\"open('/ad', 'ad', 'width=300,height=200')\">Ad</button>"
    home = site.page("/", f"<a href=/tab target=_blank>Tab</a>{button}")
    await runner.session.goto(home)
    await runner.run("Mouse", {}, text="Tab")
    await runner.run("ClosePopup", {"kinds": ["window", "dialog"]})
    assert runner.session.page.url.endswith("/tab")
    await runner.run("Navigate", {"tab": 0})
    await runner.run("Mouse", {}, css="button")
    assert runner.session.page.url.endswith("/ad")
    assert (await runner.run("ClosePopup", {})).details["closed"][0] == "window"
    assert runner.session.page.url == home

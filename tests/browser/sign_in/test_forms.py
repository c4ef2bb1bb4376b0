"""Forms as sites build them: which fields are meant, and in which order they are filled in."""

import pytest

from pagehand.browser import BrowserSession
from pagehand.errors import BlockFailed
from support.bank import PASSWORD, PLAIN_FIELDS, Bank, bank_login, serve_bank, sign_in, signed_in_user
from support.logins import FakeSignInContext

pytestmark = pytest.mark.anyio


@pytest.mark.slow
async def test_user_name_and_password_on_pages_of_their_own(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    await sign_in(session, bank_login(bank, "/user"), run)
    assert await signed_in_user(session) == "Hello ada"
    assert bank.sent == [("/user", {"username": "ada"}), ("/password", {"password": PASSWORD})]
    assert run.types == ["login.opened", "login.submitted", "login.submitted", "login.accepted"]


@pytest.mark.slow
async def test_both_on_one_page_without_labels(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    await sign_in(session, bank_login(bank, "/one"), run)
    assert await signed_in_user(session) == "Hello ada"
    assert bank.sent == [("/one", {"email": "ada", "password": PASSWORD})]


async def test_unusual_names_behind_a_cookie_banner(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    bank.pages["/odd"] = """
      <form role=search><input name=q placeholder="Find a branch"><button>Search</button></form>
      <h1>Log in to Fjord</h1>
      <form method=post action=/odd-in>
        <div>Kundennr.</div><input name=f1x>
        <div>Geheimwort</div><input name=f2x type=password autocomplete=off>
        <div style="margin-top:500px"><button type=submit>Los!</button></div>
      </form>
      <div id=bar style="position:fixed;inset:auto 0 0 0;height:70vh;background:#ddd">
        We use cookies. <button onclick="fetch('/accepted')">Accept all</button>
        <button onclick="document.getElementById('bar').remove()">Reject all</button>
      </div>"""
    bank.pages["/odd-in"] = "<h1>Hej</h1><p id=who>Hello Fjord</p><a href=/out>Sign out</a>"
    await sign_in(session, bank_login(bank, "/odd", homeUrl=bank.url + "/odd-in"), run)
    assert bank.sent == [("/odd-in", {"f1x": "ada", "f2x": PASSWORD})]
    assert await signed_in_user(session) == "Hello Fjord"


@pytest.mark.slow
async def test_a_form_that_a_script_builds_and_judges(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    bank.pages["/app"] = """<div id=root></div><script>
      const root = document.getElementById('root').attachShadow({mode: 'open'});
      setTimeout(() => {
        root.innerHTML = `<label for=l>Account</label><input id=l><label for=p>Password</label>
          <input id=p type=password><button disabled>Sign in</button><div id=msg></div>`;
        const [user, password] = root.querySelectorAll('input'), button = root.querySelector('button');
        root.addEventListener('input', () => { button.disabled = !user.value || !password.value; });
        button.addEventListener('click', async () => {
          button.disabled = true;
          const body = new URLSearchParams({user: user.value, password: password.value});
          const answer = await fetch('/api', {method: 'POST', body});
          if ((await answer.json()).ok) location.hash = '#/in', root.innerHTML = '<h1>Inbox</h1>';
          else root.getElementById('msg').innerHTML = '<p role=alert>Unknown account</p>';
        });
      }, 400);
    </script>"""
    await sign_in(session, bank_login(bank, "/app"), run)
    assert await signed_in_user(session) == "Hello ada"
    other = bank_login(bank, "/app", {"username": "eve"})
    with pytest.raises(BlockFailed, match="Unknown account"):
        await sign_in(session, other, run, force=True)


@pytest.mark.slow
async def test_a_form_in_a_frame(session: BrowserSession, bank: Bank, run: FakeSignInContext) -> None:
    bank.pages["/framed"] = "<h1>Fjord Bank</h1><iframe src=/one width=600 height=300></iframe>"
    await sign_in(session, bank_login(bank, "/framed"), run)
    assert await signed_in_user(session) == "Hello ada"


async def test_a_strange_frame_in_its_own_page_gets_nothing(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    stranger = Bank()
    server = serve_bank(stranger)
    bank.pages["/framed"] = f"<iframe src={stranger.url}/one width=600 height=300></iframe>"
    with pytest.raises(BlockFailed, match="is not part of"):
        await sign_in(session, bank_login(bank, "/framed"), run)
    server.stop()
    assert await session.page.frames[1].input_value("[name=password]") == ""


@pytest.mark.slow
async def test_a_landing_page_is_asked_for_its_form(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    bank.pages["/landing"] = "<h1>Fjord Bank</h1><a href=/user>Log in</a>"
    await sign_in(session, bank_login(bank, "/landing"), run)
    assert await signed_in_user(session) == "Hello ada"


async def test_nothing_is_typed_on_another_site(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    stranger = Bank()
    server = serve_bank(stranger)
    bank.pages["/away"] = f"<script>location.href = '{stranger.url}/one'</script>"
    with pytest.raises(BlockFailed, match="is not part of") as failure:
        await sign_in(session, bank_login(bank, "/away"), run)
    server.stop()
    assert stranger.url in failure.value.message
    assert await session.page.input_value("[name=password]") == ""
    assert not stranger.sent


@pytest.mark.slow
async def test_the_password_field_is_masked_before_it_is_filled_and_emptied_afterwards(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    bank.pages["/stuck"] = f"<form onsubmit='sent = this.pw.value; return false'>{PLAIN_FIELDS}</form>"
    with pytest.raises(BlockFailed, match="asks for the same again"):
        await sign_in(session, bank_login(bank, "/stuck"), run)
    assert await session.page.evaluate("sent") == PASSWORD
    assert await session.page.input_value("[name=pw]") == ""
    assert await session.page.get_attribute("[name=pw]", "data-pagehand-masked") is not None


async def test_a_consent_screen_is_agreed_to_and_the_box_to_be_remembered_is_ticked(
    session: BrowserSession, bank: Bank, run: FakeSignInContext
) -> None:
    bank.pages["/boxed"] = (
        f"<form method=post action=/grant>{PLAIN_FIELDS}"
        "<label><input type=checkbox name=keep> Remember me</label></form>"
    )
    bank.pages["/grant"] = (
        "<h1>Shop would like access to your account</h1>"
        "<form action=/in><button name=no>Cancel</button><button name=yes>Allow</button></form>"
    )
    bank.pages["/in"] = "<p id=who>Hello ada</p><a href=/out>Sign out</a>"
    login = bank_login(bank, "/boxed", homeUrl=bank.url + "/boxed", persistSession=True)
    await sign_in(session, login, run)
    assert "login.agreed" in run.types
    assert bank.sent[0][1]["keep"] == "on"
    assert session.page.url.endswith("/in?yes=")

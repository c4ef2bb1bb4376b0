"""A login's secrets go to its own pages and hosts, whoever wrote the workflow; nobody else sees them."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support.portal import Portal, PortalRequest, Reply, serve_portal
from support.service import Api, Json, RunningService

PASSWORD = "kanari-password-4711"
API_KEY = "kanari-api-key-0815"


class Echo(Portal):
    """A site that keeps what comes; it has fields to type into, alone and in frames, and redirects."""

    def __init__(self) -> None:
        super().__init__()
        self.elsewhere = ""
        self.routes |= {
            "/fields": lambda _: _FIELDS,
            "/framed": lambda _: f"<h1>Frames</h1><iframe name=other src='{self.elsewhere}/fields'></iframe>",
            "/srcdoc": lambda _: f'<iframe srcdoc="{_FIELDS}"></iframe>',
            "/api": lambda _: Reply(json.dumps({"ok": True})),
            "/away": lambda _: Reply(status=307, location=f"{self.elsewhere}/api"),
        }

    def came(self) -> str:
        """Everything that came, to be searched."""
        return repr(self.requests)


_FIELDS = (
    "<form method=post action=/typed><label>Anything <input name=anything></label>"
    "<label>More <input name=more></label><button>Send</button></form>"
)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    running = RunningService(tmp_path_factory.mktemp("home") / "data").start()
    yield running.api()
    running.stop()


@pytest.fixture
def own() -> Iterator[Echo]:
    with serve_portal(Echo()) as portal:
        assert isinstance(portal, Echo)
        portal.routes["/typed"] = lambda asked: f"<p id=got>{asked.fields.get('anything')}</p>"
        yield portal


@pytest.fixture
def stranger(own: Echo) -> Iterator[Echo]:
    with serve_portal(Echo()) as portal:
        assert isinstance(portal, Echo)
        own.elsewhere, portal.elsewhere = portal.url, own.url
        yield portal


@pytest.fixture
def login(api: Api, own: Echo) -> str:
    return make_login(api, own)


def make_login(api: Api, own: Echo, **fields: Any) -> str:
    own.routes["/in"] = lambda asked: (
        own.complete_sign_in(asked) if asked.method == "POST" else _sign_in(asked)
    )
    written = {
        "name": "Canary",
        "authenticationUrl": f"{own.url}/in",
        "homeUrl": f"{own.url}/home",
        "loginConfiguration": {
            "username": "ada",
            "password": PASSWORD,
            "additionalCredentials": [{"key": "apiKey", "value": API_KEY}],
        },
    }
    return api.call("/logins/create", {**written, **fields})["login"]["id"]


def _sign_in(_: PortalRequest) -> str:
    fields = "<input name=user><input type=password name=password>"
    return f"<form method=post>{fields}<button>Sign in</button></form>"


def navigate(url: str) -> Json:
    return {"type": "Navigate", "data": {"url": url}}


def typing(value: str = "{{login.password}}", kind: str = "SensitiveTextInput", **more: Any) -> Json:
    data = {"key": "Anything", "inputType": kind, "value": value}
    return {"type": "Input", "data": data, **more}


def send() -> Json:
    return {"type": "Mouse", "locator": {"text": "Send"}, "data": {}}


def form(value: str) -> Json:
    field = {"key": "Anything", "inputType": "TextInput", "value": value}
    return {"type": "Form", "data": {"fields": [field], "submit": True}}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["SensitiveTextInput", "TextInput"])
def test_a_secret_is_typed_on_the_logins_own_pages(api: Api, own: Echo, login: str, kind: str) -> None:
    done = api.run(navigate(f"{own.url}/fields"), typing(kind=kind), send(), loginId=login)
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert own.posted("/typed")[0]["anything"] == PASSWORD
    assert PASSWORD not in json.dumps([done, api.events(done["id"])])


@pytest.mark.slow
def test_it_is_typed_in_a_frame_that_the_own_page_wrote(api: Api, own: Echo, login: str) -> None:
    done = api.run(navigate(f"{own.url}/srcdoc"), typing(), loginId=login)
    assert done["status"] == "Completed", done["errorAnalysis"]


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/fields", "/framed"])
@pytest.mark.parametrize(
    "block", [typing(), typing(kind="TextInput"), form("{{login.apiKey}}"), form("x{{login.password}}")]
)
def test_it_is_not_typed_anywhere_else(
    api: Api, own: Echo, stranger: Echo, login: str, path: str, block: Json
) -> None:
    place = f"{stranger.url}{path}" if path == "/fields" else f"{own.url}{path}"
    done = api.run(navigate(place), block, send(), loginId=login)
    assert done["status"] == "Failed"
    assert "signInUrls" in done["errorAnalysis"]
    assert "kanari" not in stranger.came()
    assert "kanari" not in json.dumps([done, api.events(done["id"])])


@pytest.mark.slow
def test_addresses_that_the_login_names_may_have_its_secrets(api: Api, own: Echo, stranger: Echo) -> None:
    stranger.routes["/typed"] = lambda _: "<p>thanks</p>"
    login = make_login(api, own, signInUrls=[stranger.url])
    done = api.run(navigate(f"{stranger.url}/fields"), typing(), send(), loginId=login)
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert stranger.posted("/typed")[0]["anything"] == PASSWORD


@pytest.mark.slow
@pytest.mark.parametrize("way", ["update", "upsert"])
def test_a_stored_secret_does_not_follow_a_new_address(
    api: Api, own: Echo, stranger: Echo, login: str, way: str
) -> None:
    """Whoever edits a login would otherwise have the kept password typed on a site of their own."""
    stranger.routes["/in"] = _sign_in
    moved = f"{stranger.url}/in"
    identity = {"loginConfiguration": {"username": f"ada+{way}", "password": "********"}}
    api.call("/logins/update", {"id": login, **identity})
    target: Json = {"id": login} if way == "update" else {}
    for address in ({"authenticationUrl": moved}, {"homeUrl": moved}, {"signInUrls": [moved]}):
        answer = api.post(f"/logins/{way}", {**target, **identity, **address})
        assert answer.status_code == 400
        assert "loginConfiguration.password" in answer.json()["error"]
        assert "loginConfiguration.additionalCredentials[0].value" in answer.json()["error"]
    tested = api.call("/logins/test", {"id": login})["test"]
    assert tested["success"], tested["message"]
    assert own.posted("/in")[0]["password"] == PASSWORD
    assert stranger.requests == []


def calling(url: str, **data: Any) -> Json:
    return {"type": "API", "data": {"method": "POST", "route": url, **data}}


AUTHS: list[Json] = [
    {"headers": {"X-Key": "{{login.apiKey}}"}},
    {"headers": {"User-Agent": "{{login.apiKey}}"}},
    {"auth": {"type": "bearer", "token": "{{login.apiKey}}"}},
    {"auth": {"type": "basic", "username": "ada", "password": "{{login.password}}"}},
    {"auth": {"type": "header", "name": "Accept", "value": "{{login.apiKey}}"}},
    {"auth": {"type": "query", "name": "key", "value": "{{login.apiKey}}"}},
]


@pytest.mark.slow
@pytest.mark.parametrize("auth", AUTHS, ids=str)
def test_auth_goes_to_the_logins_own_hosts_alone(
    api: Api, own: Echo, stranger: Echo, login: str, auth: Json
) -> None:
    good = api.run(calling(f"{own.url}/api", **auth), loginId=login)
    assert good["status"] == "Completed", good["errorAnalysis"]
    sent = own.requests[-1]
    assert "***" not in f"{sent.headers} {sent.query}"
    bad = api.run(calling(f"{stranger.url}/api", **auth), loginId=login)
    assert bad["status"] == "Failed"
    assert "signInUrls" in bad["errorAnalysis"]
    assert stranger.requests == []


@pytest.mark.parametrize("auth", AUTHS[:5], ids=str)
def test_a_redirect_takes_no_secret_along(
    api: Api, own: Echo, stranger: Echo, login: str, auth: Json
) -> None:
    done = api.run(calling(f"{own.url}/away", **auth), loginId=login)
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert [item.path for item in stranger.requests] == ["/api"]
    assert "kanari" not in stranger.came()
    assert "a2FuYXJp" not in stranger.came()  # the same in base64


SEE = {
    "python": "lambda output, context: list(reversed(str(context)))",
    "javascript": "(output, context) => [...JSON.stringify(context)].reverse()",
}


@pytest.mark.slow
@pytest.mark.parametrize("language", SEE)
def test_transformers_see_no_secret(api: Api, own: Echo, login: str, language: str) -> None:
    """Written backwards, so that nothing takes it out of the answer afterwards."""
    dialog = {"action": "accept"}
    data = {
        "key": "Anything",
        "inputType": "SensitiveTextInput",
        "value": "{{login.password}}",
        "dialog": dialog,
    }
    block = {"type": "Input", "data": data, "transformerFn": SEE[language]}
    done = api.run(navigate(f"{own.url}/fields"), block, loginId=login)
    assert done["status"] == "Completed", done["errorAnalysis"]
    seen = "".join(reversed(done["response"]["Input_1"]))
    assert "ada" in seen
    assert "kanari" not in seen


def test_what_a_page_shows_of_a_secret_reaches_no_code(api: Api, own: Echo, login: str) -> None:
    read = {
        "type": "Extract",
        "data": {
            "prompt": "it",
            "fields": {"typed": {"locator": {"css": "[name=anything]"}, "attribute": "value"}},
        },
        "transformerFn": "lambda output, context: output['typed'][::-1]",
    }
    done = api.run(navigate(f"{own.url}/fields"), typing(), read, loginId=login)
    assert done["status"] == "Completed", done["errorAnalysis"]
    assert done["response"]["Extract_1"] == "***"


def reversed_by_code(inputs: Json) -> Json:
    return {"type": "CodeV2", "data": {"code": "lambda inputs: str(inputs)[::-1]", "inputs": inputs}}


@pytest.mark.slow
def test_everywhere_else_a_secret_reads_as_stars(api: Api, stranger: Echo, login: str) -> None:
    blocks = [
        navigate(f"{stranger.url}/fields?key={{{{login.apiKey}}}}"),
        {
            "type": "Input",
            "data": {"key": "Anything", "inputType": "TextInput", "value": "{{login.username}}"},
        },
        calling(f"{stranger.url}/api", query={"k": "{{login.password}}"}, data={"k": "{{login.apiKey}}"}),
        reversed_by_code({"a": "{{login.password}}", "b": ["{{login.apiKey}}"]}),
        {
            "type": "Transform",
            "data": {"input": "{{login.password}}", "code": "lambda i, c: (str(i) + str(c))[::-1]"},
        },
        {
            "type": "If",
            "data": {"condition": {"expression": "login.password[0] == 'k'"}},
            "sequenceData": {"trueSequence": [navigate(f"{stranger.url}/api?guessed")]},
        },
        {
            "type": "LoopV2",
            "data": {"over": {"items": ["{{login.password}}"]}},
            "sequenceData": {"sequence": [reversed_by_code({"item": "{{item}}"})]},
        },
        {"type": "ParseToCsv", "data": {"input": [{"secret": "{{login.password}}"}], "fileName": "s.csv"}},
        {
            "type": "CodeV2",
            "data": {
                "language": "javascript",
                "inputs": {"k": "{{login.password}}"},
                "code": "inputs => [...JSON.stringify(inputs)].reverse().join('')",
            },
        },
    ]
    workflow = api.create("stars", *blocks, output={"out": "{{login.password}}", "all": "{{blocks}}"})
    done = api.call("/workflows/executeSync", {"workflowId": workflow["id"], "loginId": login})["execution"]
    assert done["status"] == "Completed", done["errorAnalysis"]
    everything = json.dumps([done, api.events(done["id"])]) + stranger.came()
    assert "kanari" not in everything
    assert "iranak" not in everything
    assert "guessed" not in stranger.came()
    assert "***" in stranger.requests[0].query["key"]

"""Attacks through every field that takes code, an expression, an address or a header: all count to zero.

One service that may reach one site and nothing else of this machine, with a canary in its environment and a
sentinel on a closed port. After each set: no canary file, no environment value, no hit, and it still answers.
"""

import json
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from support.blocks import branch, loop, value
from support.service import Api, Json, RunningService
from support.webservice import Reply, WebService, web_service

SECRET = "canary-51c0ffee"


class Target:
    """What is attacked, and the traps that must stay untouched."""

    def __init__(
        self, service: RunningService, opened: WebService, sentinel: WebService, canary: Path
    ) -> None:
        self.api: Api = service.api()
        self.service, self.opened, self.sentinel, self.canary = service, opened, sentinel, canary

    def check(self, execution: Json) -> None:
        shown = json.dumps([execution, self.api.events(execution["id"])])
        assert execution["status"] in ("Completed", "Failed")
        assert SECRET not in shown
        assert "root:x:0" not in shown
        assert not self.canary.exists()
        assert self.sentinel.requests == []
        assert self.service.process is not None
        assert self.service.process.poll() is None
        assert self.api.run(value("alive", 1))["response"] == {"alive": 1}

    def tried(self, *blocks: Json, **more: Json) -> Json:
        """Run every block that is not refused at once, in a loop of its own that goes on after errors."""
        rounds = [loop([1], [block], f"try_{n}") for n, block in enumerate(blocks) if self._is_taken(block)]
        for item in rounds:
            item["data"]["continueOnError"] = True
        return self.api.run(*rounds, **more)

    def _is_taken(self, block: Json) -> bool:
        """Whether a workflow with it is accepted; refused before it runs is as good as refused later."""
        answer = self.api.post("/workflows/create", {"name": "attack", "blocks": [loop([1], [block])]})
        assert answer.status_code in (200, 400)
        return answer.status_code == 200


@pytest.fixture(scope="module")
def traps() -> Iterator[tuple[WebService, WebService]]:
    with web_service() as opened, web_service() as sentinel:
        yield opened, sentinel


@pytest.fixture(scope="module")
def target(
    tmp_path_factory: pytest.TempPathFactory, traps: tuple[WebService, WebService]
) -> Generator[Target]:
    folder = tmp_path_factory.mktemp("attacked")
    opened, sentinel = traps
    running = RunningService(
        folder / "data",
        PAGEHAND_EGRESS_ALLOW=f"127.0.0.1:{opened.port}",
        CANARY=SECRET,
        PAGEHAND_SMTP_HOST="127.0.0.1",
        PAGEHAND_SMTP_PORT=str(sentinel.port),
        PAGEHAND_SMTP_FROM="robot@pagehand.test",
        PAGEHAND_SMTP_SECURITY="none",
    ).start()
    yield Target(running, opened, sentinel, folder / "canary-file")
    running.stop()


def python_attacks(target: Target) -> list[str]:
    """Expressions, so that they fit everywhere code fits."""
    canary, url = target.canary, target.sentinel.url
    return [
        "__import__('os').environ",
        f"__import__('os').system('touch {canary}')",
        "open('/etc/passwd').read()",
        "open('/proc/self/environ').read()",
        f"open('{canary}', 'w').write('x')",
        f"eval(\"__import__('urllib.request').request.urlopen('{url}')\")",
        "exec('import socket')",
        "().__class__.__bases__[0].__subclasses__()",
        "(lambda: 0).__globals__",
        "md5.__globals__",
        "csv_parse.__code__",
        "_pagehand_re",
        "params.__class__.__init__.__globals__",
        "'{0.__class__.__init__.__globals__}'.format(params)",
        "url_join.__closure__",
        "regex_test('(a+)+$', 'a' * 40 + 'b')",
        "[0] * 10 ** 10",
        "9 ** 9 ** 9",
        "breakpoint()",
    ]


@pytest.mark.slow
def test_code_blocks(target: Target) -> None:
    attacks = python_attacks(target)
    blocks: list[Json] = [{"type": "CodeV2", "data": {"code": code, "inputs": {}}} for code in attacks]
    target.check(target.tried(*blocks))


@pytest.mark.slow
def test_transforms_and_transformer_functions(target: Target) -> None:
    attacks = python_attacks(target)
    blocks = [value(f"t_{n}", 1, code) for n, code in enumerate(attacks)]
    for n, code in enumerate(attacks):
        blocks.append({**value(f"f_{n}"), "transformerFn": f"lambda output, context: {code}"})
    target.check(target.tried(*blocks))


@pytest.mark.slow
def test_conditions(target: Target) -> None:
    attacks = python_attacks(target)
    blocks = [branch(f"bool({code})", [], [], f"branch_{n}") for n, code in enumerate(attacks)]
    blocks += [
        {
            "type": "FailOnCondition",
            "data": {"condition": {"expression": f"str({code}) == 1"}, "message": "x"},
        }
        for code in attacks
    ]
    target.check(target.tried(*blocks))


@pytest.mark.slow
def test_javascript_in_a_blank_page_has_no_network(target: Target) -> None:
    url = target.opened.url  # open to pages, and still out of reach from here
    calls = [
        "return (await fetch(url)).status",
        "const x = new XMLHttpRequest(); x.open('GET', url, false); x.send(); return x.status",
        "return navigator.sendBeacon(url, 'x')",
        "new WebSocket(url.replace('http', 'ws'))",
        "new Image().src = url",
        "new EventSource(url)",
        "await import(url)",
        "new Worker(URL.createObjectURL(new Blob([`fetch('${url}')`])))",
        "document.documentElement.innerHTML = `<iframe src='${url}'></iframe>`",
        "const s = document.createElement('script'); s.src = url; document.documentElement.append(s)",
        "window.open(url)",
        "location.href = url",
        "while (true);",
    ]
    pause = "await new Promise(done => setTimeout(done, 300))"
    attacks = [
        f"async () => {{ const url = '{url}/{n}'; {call}; {pause}; return 1 }}"
        for n, call in enumerate(calls)
    ]
    target.opened.requests.clear()
    blocks: list[Json] = [{**value(f"js_{n}"), "transformerFn": code} for n, code in enumerate(attacks)]
    done = target.tried(*blocks)
    target.check(done)
    assert target.opened.requests == []
    assert {"js_4": 1} in [item for rounds in done["response"].values() for item in rounds]


ADDRESSES = (
    "http://127.0.0.1:{port}/",
    "http://localhost:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f.0.0.1:{port}/",
    "http://0177.1:{port}/",
    "http://0:{port}/",
    "http://[::1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://127。0。0。1:{port}/",
    "http://user:secret@127.0.0.1:{port}/",
    "http://example.com@127.0.0.1:{port}/",
    "file:///etc/passwd",
    "ftp://127.0.0.1:{port}/",
    "gopher://127.0.0.1:{port}/_x",
    "http://127.0.0.1:{port}/\r\nX: y",
    "http://169.254.169.254/latest/meta-data/",
    "{opened}/redirect",
    "{opened}/redirect-307",
)


@pytest.mark.slow
def test_addresses_of_api_blocks(target: Target) -> None:
    for path, status in (("/redirect", 302), ("/redirect-307", 307)):
        target.opened.answers[path] = Reply(b"", status, {"Location": target.sentinel.url})
    forms = [form.format(port=target.sentinel.port, opened=target.opened.url) for form in ADDRESSES]
    blocks: list[Json] = [
        {
            "type": "API",
            "data": {"method": method, "route": "{{params.routes." + str(n) + "}}", "timeoutMs": 5000},
        }
        for n in range(len(forms))
        for method in ("GET", "POST")
    ]
    done = target.tried(*blocks, params={"routes": forms})
    target.check(done)
    assert all("error" in item for rounds in done["response"].values() for item in rounds)


def places(text: str) -> list[Json]:
    """Where an API block takes text that ends up in a request."""
    return [
        {"headers": {"X-Text": text}},
        {"auth": {"type": "bearer", "token": text}},
        {"auth": {"type": "header", "name": text, "value": "x"}},
        {"query": {"q": text}},
        {"method": "POST", "bodyType": "form", "data": {"q": text}},
        {"method": "POST", "bodyType": "multipart", "data": {"q": text}},
    ]


def test_headers_and_queries_of_api_blocks(target: Target) -> None:
    target.opened.requests.clear()
    hostile = [
        "a\r\nX-Injected: 1",
        "a\nX-Injected: 1",
        "a\r\n\r\nGET /injected HTTP/1.1\r\nHost: x",
        "a\x0b",
        "ü\u2028",
    ]
    blocks: list[Json] = [
        {"type": "API", "data": {"route": f"{target.opened.url}/echo", **extra}}
        for n in range(len(hostile))
        for extra in places("{{params.texts." + str(n) + "}}")
    ]
    target.check(target.tried(*blocks, params={"texts": hostile}))
    assert len(target.opened.requests) >= 3 * len(hostile)
    for asked in target.opened.requests:
        assert asked.path.startswith("/echo")
        assert "x-injected" not in asked.headers


def test_a_page_cannot_lend_its_cookies_to_another_origin(target: Target) -> None:
    target.opened.answers["/page"] = Reply(
        b"<p>hello", headers={"Content-Type": "text/html", "Set-Cookie": "id=" + SECRET[::-1]}
    )
    target.opened.requests.clear()
    away = target.sentinel.url.removeprefix("http:")
    target.check(
        target.api.run(
            {"type": "Navigate", "data": {"url": f"{target.opened.url}/page"}},
            {"type": "API", "data": {"route": away}},
        )
    )
    done = target.api.run(
        {"type": "Navigate", "data": {"url": f"{target.opened.url}/page"}},
        {"type": "API", "blockReferenceId": "own", "data": {"route": "/echo?x=1"}},
    )
    assert done["response"]["own"]["data"]["headers"]["cookie"] == "id=" + SECRET[::-1]


@pytest.mark.slow
def test_local_files_are_out_of_reach(target: Target) -> None:
    paths = [
        "/etc/passwd",
        "../../../../etc/passwd",
        "file:///etc/passwd",
        "file_../../etc/passwd",
        str(target.service.data_dir),
    ]
    kinds: list[Json] = []
    for path in paths:
        kinds += [
            {
                "type": "API",
                "data": {
                    "method": "POST",
                    "route": f"{target.opened.url}/up",
                    "bodyType": "file",
                    "data": path,
                },
            },
            {"type": "SendEmail", "data": {"toAddresses": ["a@b.example"], "attachments": [path]}},
            {"type": "ParseToCsv", "data": {"input": path}},
            {"type": "Navigate", "data": {"url": path}},
            {"type": "DownloadFile", "data": {"url": path}},
        ]
    target.opened.requests.clear()
    target.check(target.tried(*kinds))
    assert not [asked for asked in target.opened.requests if asked.path == "/up"]


def test_a_saved_name_stays_in_the_runs_folder(target: Target) -> None:
    before = {path for path in target.canary.parent.rglob("*") if path.is_file()}
    names = ["../../../canary-file", str(target.canary), "..\\..\\canary-file", "a/b", "."]
    blocks: list[Json] = [
        {"type": "API", "data": {"route": f"{target.opened.url}/echo", "saveAs": name}} for name in names
    ]
    target.check(target.tried(*blocks))
    data = target.service.data_dir.resolve()
    added = {path for path in target.canary.parent.rglob("*") if path.is_file()} - before
    assert all(path.resolve().is_relative_to(data) for path in added if path.suffix != ".log")

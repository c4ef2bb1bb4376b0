"""A site on loopback that takes orders in every way a page can send one, and counts them by their token."""

import base64
import hashlib
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, quote, unquote, urlsplit

from support.http_server import HttpServer

_POST = "fetch('/order?t=TOKEN', {method: 'POST', body: 'x'})"
_SOCKET = "const s = new WebSocket(`ws://${location.host}/socket`); s.onopen = () => s.send('TOKEN')"
WAYS = {
    "form": "document.forms[0].submit()",
    "fetch": _POST,
    "xhr": "const x = new XMLHttpRequest(); x.open('PUT', '/order?t=TOKEN'); x.send('x')",
    "beacon": "navigator.sendBeacon('/order?t=TOKEN', 'x')",
    "websocket": _SOCKET,
    "shared worker": "new SharedWorker('/worker.js?t=TOKEN').port.start()",
    "service worker": "navigator.serviceWorker.register('/service.js?t=TOKEN').then(() => "
    "navigator.serviceWorker.ready).then((it) => it.active.postMessage('order'))",
    "get": "fetch('/order?t=TOKEN')",
    "iframe": "const f = document.createElement('iframe'); f.src = '/inner?t=TOKEN'; document.body.append(f)",
    "new tab": "window.open('/inner?t=TOKEN')",
    "socket in a new tab": "window.open('/inner_socket?t=TOKEN')",
    "worker": "new Worker('/plain_worker.js?t=TOKEN')",
    "late": f"setTimeout(() => {_POST}, 1500)",
    "shared worker socket": "new SharedWorker('/socket_worker.js?t=TOKEN').port.start()",
}
"""Scripts that send an order, by name."""
_FILES = {
    "/worker.js": f"onconnect = () => {_POST}",
    "/socket_worker.js": f"onconnect = () => {{ {_SOCKET} }}",
    "/plain_worker.js": _POST,
    "/service.js": f"oninstall = () => skipWaiting(); onactivate = (e) => e.waitUntil(clients.claim()); "
    f"onmessage = (e) => e.waitUntil({_POST})",
    "/inner": f"<!doctype html><title>Inner</title><script>{_POST}</script>",
    "/inner_socket": f"<!doctype html><title>Inner</title><script>{_SOCKET}</script>",
    "/harmless": """<!doctype html><title>Harmless</title>
<script>const look = (q) => fetch('/search', {method: 'POST', body: JSON.stringify({q})});
if (location.search === '?load') look('');
const query = 'query Q { orders { id } }';
const ask = () => fetch('/graphql', {method: 'POST', body: JSON.stringify({query})});
</script>
<form action=/harmless><label>Find <input name=q></label><button>Search</button></form>
<label>Filter <input oninput="look(this.value)"></label><button onclick="look('x')">Look up</button>
<button onclick="ask()">Show</button><a href="/harmless?page=2">Next</a>
<button onclick="menu.hidden = !menu.hidden">Menu</button><div id=menu hidden>Items</div>
<button role=tab onclick="fetch('/tab?n=2')">Details</button>
<label>Size <select><option>S</option><option>L</option></select></label>
<label><input type=checkbox> Only mine</label>""",
}


class OrderSite:
    """Counts orders; `on_order` is called with the token before an order is answered."""

    def __init__(self) -> None:
        self.orders = Counter[str]()
        self.on_order: Callable[[str], None] = lambda _token: None
        self.on_page: Callable[[str], None] = lambda _token: None
        """Called with the token before the page with the button is answered."""
        self.server = HttpServer(handle=self.answer, keeps_alive=True)
        self.url = self.server.url

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers.get("Content-Length", "0")))
        path, given = (
            urlsplit(handler.path).path,
            parse_qs(urlsplit(handler.path).query, keep_blank_values=True),
        )
        token = given.get("t", [""])[0]
        if path == "/socket":
            self._take_message(handler)
        elif path == "/order":
            self._take(token)
            _reply(handler, "Thank you")
        elif path == "/press":
            self.on_page(token)
            _reply(handler, _page(token, WAYS[given["way"][0]], given["label"][0]))
        else:
            _reply(
                handler, _FILES.get(path, "ok").replace("TOKEN", quote(token)), is_script=path.endswith(".js")
            )

    def _take(self, token: str) -> None:
        self.orders[token] += 1
        self.on_order(token)

    def _take_message(self, handler: BaseHTTPRequestHandler) -> None:
        """One message of a WebSocket, which is the token."""
        key = f"{handler.headers['Sec-WebSocket-Key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        handler.send_response(101)
        handler.send_header("Upgrade", "websocket")
        handler.send_header("Connection", "Upgrade")
        handler.send_header(
            "Sec-WebSocket-Accept",
            base64.b64encode(hashlib.sha1(key.encode()).digest()).decode(),  # noqa: S324 - RFC 6455 asks for it
        )
        handler.end_headers()
        length = handler.rfile.read(2)[1] & 127
        mask, masked = handler.rfile.read(4), handler.rfile.read(length)
        message = bytes(byte ^ mask[place % 4] for place, byte in enumerate(masked)).decode()
        self._take(unquote(message))
        handler.rfile.read(1)  # until the browser closes it


def _page(token: str, script: str, label: str) -> str:
    """The button is called `label`; without one it is an icon."""
    shown = label or "<svg width=16 height=16><circle cx=8 cy=8 r=6 /></svg>"
    return (
        f"<!doctype html><title>Order</title><form method=post action='/order?t=TOKEN'></form>"
        f'<button id=go onclick="{script}">{shown}</button>'
    ).replace("TOKEN", quote(token))


def _reply(handler: BaseHTTPRequestHandler, text: str, *, is_script: bool = False) -> None:
    body = text.encode()
    handler.send_response(200)
    handler.send_header("Content-Type", "text/javascript" if is_script else "text/html; charset=utf-8")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def order_site() -> Generator[OrderSite]:
    """The site, while it serves."""
    site = OrderSite()
    with site.server:
        yield site

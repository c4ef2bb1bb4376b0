"""The pages that are visited, on a loopback port of this program's own."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TITLE = "Harbour office"
_STYLE = "<style>body{font:16px sans-serif;margin:2em} label{display:block;margin:.5em 0}</style>"
_ROWS = "".join(f"<tr><td>Berth {n}</td><td>{n * 7 % 23} m</td></tr>" for n in range(1, 41))
_PAGE = f"<!doctype html><title>{TITLE}</title>{_STYLE}<h1>{TITLE}</h1><table>{_ROWS}</table>"
_FORM = f"""<!doctype html><title>Book a berth</title>{_STYLE}<h1>Book a berth</h1><form action="/booked">
<label for="a">Skipper</label><input id="a" name="skipper">
<label for="b">Ship</label><input id="b" name="ship">
<label for="c">Email</label><input id="c" name="email" type="email">
<label for="d">Length</label><input id="d" name="length" type="number">
<label for="e">Flag</label><select id="e" name="flag"><option>Portugal<option>Norway<option>Greece</select>
<label for="f">Remarks</label><textarea id="f" name="remarks" rows="4" cols="60"></textarea>
<label for="g">Shore power</label><input id="g" name="power" type="checkbox">
<button type="button" onclick="document.getElementById('price').hidden = false">Show price</button>
<p id="price" hidden>120.50</p><button>Book</button></form>"""
_BOOKED = """<!doctype html><title>Booked</title>{style}<h1>Booked</h1>
<dl><dt>Ship<dd id="ship">{ship}<dt>Flag<dd id="flag">{flag}<dt>Power<dd id="power">{power}</dl>"""

FIELDS = {f"Field {letter}": f"value {letter.lower()} {n}" for n, letter in enumerate("ABCDEFGHIJKL")}
"""The labels of a form of twelve fields, and what is filled in."""
TABLE_ROWS = [{"number": f"INV-{n:03}", "amount": f"{n * 7}.50"} for n in range(50)]
_FIELDS = "".join(
    f'<label for="x{n}">{label}</label><input id="x{n}" name="x{n}">' for n, label in enumerate(FIELDS)
)
_FIELDS_FORM = (
    f'<!doctype html><title>Fields</title>{_STYLE}<form action="/sent">{_FIELDS}<button>Send</button></form>'
)
_TABLE = "".join(f"<tr><td>{row['number']}</td><td>{row['amount']}</td></tr>" for row in TABLE_ROWS)
_TABLE_PAGE = (
    f"<!doctype html><title>Table</title>{_STYLE}<table><thead><tr><th>number<th>amount</tr></thead>"
    f"<tbody>{_TABLE}</tbody></table>"
)

FILLED = {"ship": "Halcyon", "flag": "Norway", "power": "on"}
"""What the last page shows once the form has been filled in and sent."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        body = _body(address.path, {k: v[0] for k, v in parse_qs(address.query).items()}).encode()
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's own name
        pass


def _body(path: str, sent: dict[str, str]) -> str:
    if path == "/booked":
        shown = {name: sent.get(name, "") for name in FILLED}
        return _BOOKED.format(style=_STYLE, **shown)
    if path == "/sent":
        return f'<!doctype html><title>Sent</title><p id="sent">{" ".join(sent.values())}</p>'
    return {"/": _PAGE, "/form": _FORM, "/fields": _FIELDS_FORM, "/table": _TABLE_PAGE}.get(path, "")


@contextmanager
def serving() -> Generator[str]:
    """Serve the pages; their address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()

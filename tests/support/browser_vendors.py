"""The HTTP APIs of browser vendors in the shapes they answer with; the browser behind them is a real one."""

import asyncio
import json
from collections.abc import Generator
from contextlib import AsyncExitStack, contextmanager
from typing import Any

from support.debugging_port import debugged_browser
from support.http_server import HttpReply, HttpRequest, HttpServer

Json = dict[str, Any]


class Vendors:
    """One server that speaks for all of them; what was asked of it is in `calls`."""

    def __init__(self, web_socket: str, port: int) -> None:
        self.calls: list[tuple[str, str, Json]] = []
        self.headers: list[Json] = []
        self.running: dict[str, Json] = {}
        self.refuses = 0
        self._web_socket = web_socket
        self._browser_port = port
        self.server = HttpServer(self._respond)
        self.url = self.server.url

    def _respond(self, request: HttpRequest) -> HttpReply:
        self.headers.append(request.headers)
        status, answer = self.answer(request.method, request.path, json.loads(request.body or b"{}"))
        return HttpReply(json.dumps(answer).encode(), status, {"Content-Type": "application/json"})

    def answer(self, method: str, path: str, body: Json) -> tuple[int, Any]:
        self.calls.append((method, path, body))
        if self.refuses:
            return self.refuses, {"message": "no browsers left"}
        route, _, _ = path.partition("?")
        if route.startswith("/v1/sessions"):
            return self._cloud(method, route, body)
        if route.startswith(("/session", "/status")):
            return self._grid(method, route, body)
        if route.startswith("/kill/"):
            return (200, []) if self.running.pop(route.removeprefix("/kill/"), None) else (404, {})
        return self._pods(method, route, body)

    def _cloud(self, method: str, route: str, body: Json) -> tuple[int, Any]:
        """Browserbase and Steel differ in the fields they read; both find theirs in the answers."""
        if method == "GET":
            sessions = [{"id": name} for name in self.running]
            steel = any("steel-api-key" in headers for headers in self.headers[-1:])
            return 200, {"sessions": sessions} if steel else sessions
        if route == "/v1/sessions":
            name = body.get("sessionId") or f"session-{len(self.calls)}"
            self.running[name] = body
            return 200, {"id": name, "connectUrl": self._web_socket, "websocketUrl": self._web_socket}
        name = route.removeprefix("/v1/sessions/").removesuffix("/release")
        return (200, {}) if self.running.pop(name, None) is not None else (404, {})

    def _grid(self, method: str, route: str, body: Json) -> tuple[int, Any]:
        if route == "/status":
            slots = [
                {"session": {"sessionId": name, "capabilities": wanted}}
                for name, wanted in self.running.items()
            ]
            return 200, {"value": {"ready": True, "nodes": [{"slots": [*slots, {"session": None}]}]}}
        if method == "POST":
            if "charset=utf-8" not in self.headers[-1]["content-type"].lower():  # as a real grid says it
                return 500, {"value": {"error": "unknown error", "message": "Content-Type is not utf-8 json"}}
            name = f"grid-{len(self.calls)}"
            self.running[name] = body["capabilities"]["alwaysMatch"]
            return 200, {"value": {"sessionId": name, "capabilities": {"se:cdp": self._web_socket}}}
        self.running.pop(route.removeprefix("/session/"), None)
        return 200, {"value": None}

    def _pods(self, method: str, route: str, body: Json) -> tuple[int, Any]:
        name = route.rpartition("/")[2]
        if method == "POST":
            self.running[body["metadata"]["name"]] = body
            return 201, body
        if method == "DELETE":
            return (200, {}) if self.running.pop(name, None) else (404, {})
        if name == "pods":
            return 200, {"items": [{"metadata": {"name": pod}} for pod in self.running]}
        return 200, {"status": {"phase": "Running", "podIP": "127.0.0.1"}}


@contextmanager
def vendors(web_socket: str, port: int) -> Generator[Vendors]:
    """The server, until the block ends."""
    running = Vendors(web_socket, port)
    with running.server:
        yield running


@contextmanager
def vendors_of_a_browser() -> Generator[Vendors]:
    """The server with a new Chromium; the browsers it rents out are tabs of it."""
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        try:
            browser = runner.run(stack.enter_async_context(debugged_browser()))
            with vendors(runner.run(browser.web_socket()), browser.port) as running:
                yield running
        finally:
            runner.run(stack.aclose())

"""A model service on loopback that always gives the same answer, after the time a real one takes."""

import json
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


class Answering:
    """The running service, and how often it was asked."""

    def __init__(self, answer: Json, seconds: float) -> None:
        self.asked = 0
        outer = self
        message = {"role": "assistant", "content": None, "tool_calls": [_call(answer)]}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
        usage = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}
        completion = {"id": "one", "object": "chat.completion", "created": 0, "model": "m"}
        body = json.dumps({**completion, "choices": [choice], "usage": usage}).encode()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                outer.asked += 1
                time.sleep(seconds)
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's own name
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def env(self) -> dict[str, str]:
        """The settings that make a service use it."""
        return {
            "PAGEHAND_MODEL": "openai:bench",
            "PAGEHAND_MODEL_BASE_URL": f"http://127.0.0.1:{self.server.server_port}/v1",
            "PAGEHAND_MODEL_API_KEY": "none",
            "PAGEHAND_MODEL_REPORTS": "false",
        }


@contextmanager
def answering(answer: Json, seconds: float) -> Generator[Answering]:
    """A service that answers within."""
    model = Answering(answer, seconds)
    thread = threading.Thread(target=model.server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        model.server.shutdown()
        model.server.server_close()


def _call(answer: Json) -> Json:
    function = {"name": "answer", "arguments": json.dumps(answer)}
    return {"id": "call_1", "type": "function", "function": function}

"""What is not even HTTP is refused in the API's own shape too: `uvicorn.Config(http=JsonProtocol)`."""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from pagehand.api.errors import error_body


class JsonProtocol(HttpToolsProtocol):
    """HTTP as uvicorn speaks it, except that its own refusals are JSON."""

    def send_400_response(self, msg: str) -> None:
        """Refuse a request that cannot be parsed, and end the connection."""
        body = error_body(msg)
        head = (
            "HTTP/1.1 400 Bad Request\r\n"
            "content-type: application/json\r\n"
            f"content-length: {len(body)}\r\n"
            "connection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()

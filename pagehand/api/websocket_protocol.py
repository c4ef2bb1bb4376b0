"""uvicorn's WebSocket protocol, with limits for clients that send more than is read, or do not read."""

from typing import Final

from uvicorn.protocols.websockets.wsproto_impl import WSProtocol
from wsproto import events

_MAX_UNREAD_MESSAGES: Final = 2000
"""Reading pauses while messages wait, but one piece of data may hold tens of thousands."""
_MAX_UNSENT_BYTES: Final = 64 * 1024


class LimitedWebSocket(WSProtocol):
    """One WebSocket; `uvicorn.Config(ws=LimitedWebSocket)`."""

    def handle_message(self, event: events.TextMessage | events.BytesMessage) -> None:
        """Queue a message for the application."""
        if self.queue.qsize() < _MAX_UNREAD_MESSAGES:
            super().handle_message(event)
        else:
            self.transport.abort()

    def handle_ping(self, event: events.Ping) -> None:
        """Answer a ping, unless the client does not read the answers."""
        if self.transport.get_write_buffer_size() < _MAX_UNSENT_BYTES:
            super().handle_ping(event)

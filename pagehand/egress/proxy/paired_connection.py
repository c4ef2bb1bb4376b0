"""One end of a relay between two connections, with flow control from one to the other."""

import asyncio
from typing import cast

_BUFFER_BYTES = 1024 * 1024


class PairedConnection(asyncio.Protocol):
    """One of two connections joined into a relay: what it receives, its peer sends."""

    def __init__(self) -> None:
        self.peer: PairedConnection | None = None
        self.last_active_at = 0.0
        self._transport: asyncio.Transport | None = None

    @property
    def is_closing(self) -> bool:
        """True when nothing more can be written."""
        return self._transport is None or self._transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)  # every event loop gives TCP connections one
        self._transport.set_write_buffer_limits(high=_BUFFER_BYTES)
        self.last_active_at = asyncio.get_running_loop().time()

    def data_received(self, data: bytes) -> None:
        """Send it through the peer."""
        self.last_active_at = asyncio.get_running_loop().time()
        if self.peer is not None:
            self.peer.write(data)

    def eof_received(self) -> bool:
        """Pass the end on to the peer; this connection stays open for the other direction."""
        if self.peer is None:
            return False
        self.peer.write_eof()
        return True

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        """Close the peer once everything has been written to it."""
        self._transport = None
        if self.peer is not None:
            self.peer.close()

    def pause_writing(self) -> None:
        """The write buffer is full: stop reading from the peer."""
        if self.peer is not None:
            self.peer.pause_reading()

    def resume_writing(self) -> None:
        """The write buffer has room again: read from the peer."""
        if self.peer is not None:
            self.peer.resume_reading()

    def pair_with(self, peer: "PairedConnection") -> None:
        """Relay between this connection and `peer`."""
        self.peer, peer.peer = peer, self

    def close_peer(self) -> None:
        """End the relay and close the peer's connection."""
        if self.peer is not None:
            self.peer.peer = None
            self.peer.close()
            self.peer = None

    def write(self, data: bytes) -> None:
        """Send, unless the connection is closed already."""
        if self._transport is not None:
            self._transport.write(data)

    def write_eof(self) -> None:
        """Close the sending direction; TLS connections cannot, and need not."""
        if (
            self._transport is not None
            and self._transport.can_write_eof()
            and not self._transport.is_closing()
        ):
            self._transport.write_eof()

    def pause_reading(self) -> None:
        """Stop receiving."""
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Receive again."""
        if self._transport is not None:
            self._transport.resume_reading()

    def close(self) -> None:
        """Close once everything has been sent."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        if self._transport is not None:
            self._transport.abort()

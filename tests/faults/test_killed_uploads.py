"""A process that is killed while it receives a file leaves nothing of it once it runs again."""

import socket
import tempfile
from pathlib import Path

from support.service import RunningService
from support.waiting import wait_until


def test_half_an_upload_is_removed_at_the_next_start(folder: Path) -> None:
    service = RunningService(folder, "--no-worker").start()
    try:
        assert service.process is not None
        pattern = f"pagehand-upload-{service.process.pid}.*"
        part = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n' + bytes(
            100_000
        )
        head = f"POST /files/upload HTTP/1.1\r\nhost: 127.0.0.1:{service.port}\r\ncontent-length: 900000\r\n"
        with socket.create_connection(("127.0.0.1", service.port), timeout=30) as client:
            client.sendall(f"{head}content-type: multipart/form-data; boundary=b\r\n\r\n".encode() + part)
            wait_until(lambda: any(Path(tempfile.gettempdir()).glob(pattern)))
            service.kill()
        service.start()
        wait_until(lambda: not any(Path(tempfile.gettempdir()).glob(pattern)), 20)
    finally:
        service.stop()

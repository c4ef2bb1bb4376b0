"""Watches a service while it works: whether it answers, what holds its event loop, the memory it takes."""

import contextlib
import json
import threading
import time
from collections.abc import Generator
from pathlib import Path

import httpx2

from pagehand.testing import standstills
from support.service import RunningService
from support.service_log import HELD, held_seconds

PATIENCE_SECONDS = 30.0
"""How long one answer of `/healthz` may take on a machine that is busy with other tests."""
HEALTH_SECONDS = 1.0
"""0.3 are promised; beside other tests an answer also waits for disks and other programs."""
HELD_SECONDS = 0.3
"""Processor time, which a busy machine does not change."""
GROWN_MB = 150


class Health:
    """Asks how the service is, again and again, as a monitor would."""

    def __init__(self, service: RunningService, *, pause_seconds: float = 0.05) -> None:
        self._service = service
        self._pause_seconds = pause_seconds
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._ask)
        self.answers = 0
        self.slowest = 0.0
        """Seconds of the slowest answer, without the time in which it waited for a processor."""
        self.grown_mb = 0.0
        self.troubles: list[str] = []

    def _ask(self) -> None:
        before = resident_mb(self._service)
        with httpx2.Client(base_url=self._service.url, timeout=PATIENCE_SECONDS) as client:
            while not self._over.wait(self._pause_seconds):
                began, waited = time.monotonic(), self._waited_for_processor()
                try:
                    status = client.get("/healthz").status_code
                except httpx2.TransportError as trouble:
                    self.troubles.append(repr(trouble))
                else:
                    self.answers += status == 200
                elapsed = time.monotonic() - began
                took = elapsed - (self._waited_for_processor() - waited)
                if took > self.slowest:
                    stood_still = standstills.seconds_between(time.time() - elapsed, time.time())
                    self.slowest = max(self.slowest, took - stood_still)
                self.grown_mb = max(self.grown_mb, resident_mb(self._service) - before)

    def _waited_for_processor(self) -> float:
        """How long the threads of the service and this one were ready and other programs ran instead."""
        assert self._service.process is not None
        threads = [*Path(f"/proc/{self._service.process.pid}/task").iterdir()]
        threads.append(Path(f"/proc/self/task/{threading.get_native_id()}"))
        return sum(_run_queue_seconds(thread) for thread in threads)

    @contextlib.contextmanager
    def watched(self) -> Generator["Health"]:
        """Ask all the while; every question must have been answered."""
        self._thread.start()
        try:
            yield self
        finally:
            self._over.set()
            self._thread.join()
        assert self.troubles == []
        assert self.slowest < PATIENCE_SECONDS


def _run_queue_seconds(thread: Path) -> float:
    with contextlib.suppress(OSError):  # it has ended
        return int((thread / "schedstat").read_text().split()[1]) / 1e9
    return 0.0


def resident_mb(service: RunningService) -> float:
    """The memory of the service's main process."""
    assert service.process is not None
    pages = int(Path(f"/proc/{service.process.pid}/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def held_loop(log: bytes) -> list[tuple[float, str]]:
    """Each time that something held the event loop: seconds, and where."""
    lines = [json.loads(line) for line in log.decode(errors="replace").splitlines() if HELD in line]
    return [(held_seconds(line), line["at"]) for line in lines]


@contextlib.contextmanager
def answering(service: RunningService, grown_mb: float = GROWN_MB) -> Generator[None]:
    """Within, `/healthz` answers at once, nothing holds the event loop, and the memory hardly grows."""
    start = service.log.stat().st_size
    with Health(service, pause_seconds=0.01).watched() as health:
        yield
    held = held_loop(service.log.read_bytes()[start:])
    assert health.slowest <= HEALTH_SECONDS, f"{health.slowest:.2f} s, {held}"
    assert max((seconds for seconds, _ in held), default=0) <= HELD_SECONDS, held
    assert health.grown_mb <= grown_mb, f"memory grew by {health.grown_mb:.0f} MB"

"""What open console tabs cost the service: one that idles, and fifty beside running executions.

    python benchmarks/open_consoles.py [--seconds 20] [--runs 60]

A tab is what it is to the service: one open event stream. With fifty, every execution's changes are written
fifty times. The executions take turns with and without the tabs.
"""

import argparse
import contextlib
import socket
import threading
import time
from collections.abc import Generator

from measuring import flows, processes, running
from measuring.report import Figure, publish

NOTHING_TO_DO: list[flows.Block] = [{"type": "Wait", "data": {"durationMs": 0}}] * 3
REQUEST = b"GET /console/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n"
MANY = 50


@contextlib.contextmanager
def tabs(port: int, count: int) -> Generator[None]:
    """So many open event streams, each of which has begun."""
    connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(count)]
    received = [0] * count
    readers = [
        threading.Thread(target=_read, args=(connection, received, number), daemon=True)
        for number, connection in enumerate(connections)
    ]
    for connection, reader in zip(connections, readers, strict=True):
        connection.sendall(REQUEST)
        reader.start()
    while not all(received):
        time.sleep(0.05)
    try:
        yield
    finally:
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        for reader in readers:
            reader.join()


def _read(connection: socket.socket, received: list[int], number: int) -> None:
    with contextlib.suppress(OSError):
        while chunk := connection.recv(65_536):
            received[number] += len(chunk)


def idle_share(seconds: float) -> float:
    """The share of a core that everything started takes while nothing is asked of it."""
    processes.wait_until_quiet()
    before = processes.cpu_seconds()
    time.sleep(seconds)
    return 100 * (processes.cpu_seconds() - before) / seconds


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--runs", type=int, default=60)
    given = parser.parse_args()
    processes.adopt_orphans()
    costs = processes.Costs()
    with running.running() as service:
        client = service.client()
        workflow = client.create("Nothing", NOTHING_TO_DO)
        client.timed(workflow, 5)
        without = idle_share(given.seconds)
        with tabs(service.port, 1):
            with_one = idle_share(given.seconds)
        for _ in range(3):
            costs.measure("no tabs", lambda: client.timed(workflow, given.runs // 3))
            with tabs(service.port, MANY):
                costs.measure("tabs", lambda: client.timed(workflow, given.runs // 3))
    wall, cpu = costs.wall_ms(), costs.cpu_ms()
    publish(
        "open_consoles",
        "Open console tabs",
        [
            Figure("idle service, share of a core", without, "%"),
            Figure("one idle tab, share of a core beyond that", with_one - without, "%", at_most=1),
            Figure(
                f"{MANY} tabs: time of an execution", wall["tabs"] / wall["no tabs"], "times", at_most=1.1
            ),
            Figure(f"{MANY} tabs: CPU of an execution", cpu["tabs"] / cpu["no tabs"], "times"),
        ],
    )


if __name__ == "__main__":
    main()
